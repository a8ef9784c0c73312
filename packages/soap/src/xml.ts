/** An element without its namespaces: devices disagree about prefixes, and no two names in use differ only by them. */
export interface XmlElement {
  /** Without its prefix. */
  readonly name: string;
  /** By name without prefix; declarations of namespaces are left out. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** The text directly in it, in one piece, without white space around it. */
  readonly text: string;
}

/** A text is no XML, or XML that is refused. */
export class XmlError extends Error {
  override readonly name = "XmlError";
}

/** Answers of devices are far smaller. */
export const xmlLimits = { chars: 512 * 1024, depth: 48, elements: 20_000, attributes: 64 } as const;

interface Open {
  readonly tag: string;
  readonly element: { name: string; attributes: Map<string, string>; children: XmlElement[]; text: string };
  readonly texts: string[];
}

const nameAt = /[A-Za-z_][\w.:-]*/y;
const spaceAt = /\s*/y;

/**
 * Reads a document. Takes no document types, so that no entity of a document's own is ever expanded, and nothing
 * beyond `xmlLimits`. Takes time in proportion to the text.
 * @throws XmlError
 */
export function readXml(text: string): XmlElement {
  if (text.length > xmlLimits.chars) throw new XmlError(`more than ${xmlLimits.chars} characters`);
  return new Reader(text).read();
}

class Reader {
  readonly #text: string;
  #at = 0;
  #elements = 0;
  #root: XmlElement | undefined;
  readonly #open: Open[] = [];

  constructor(text: string) {
    this.#text = text.startsWith("\uFEFF") ? text.slice(1) : text;
  }

  read(): XmlElement {
    const text = this.#text;
    while (this.#at < text.length) {
      const next = text.indexOf("<", this.#at);
      this.#characters(text.slice(this.#at, next < 0 ? text.length : next));
      if (next < 0) break;
      this.#at = next;
      if (text.startsWith("<!--", next)) this.#past("-->");
      else if (text.startsWith("<![CDATA[", next)) this.#cdata();
      else if (text.startsWith("<!", next)) throw new XmlError("a document type is refused");
      else if (text.startsWith("<?", next)) this.#past("?>");
      else if (text.startsWith("</", next)) this.#close();
      else this.#start();
    }
    const [open] = this.#open;
    if (open !== undefined) throw new XmlError(`<${open.tag}> has no end`);
    if (this.#root === undefined) throw new XmlError("no element");
    return this.#root;
  }

  #characters(raw: string): void {
    const open = this.#open.at(-1);
    if (open !== undefined) open.texts.push(unescaped(raw));
    else if (raw.trim() !== "") throw new XmlError("text outside of the document");
  }

  #cdata(): void {
    const from = this.#at + "<![CDATA[".length;
    const to = this.#past("]]>");
    const open = this.#open.at(-1);
    if (open === undefined) throw new XmlError("text outside of the document");
    open.texts.push(this.#text.slice(from, to));
  }

  /** Moves behind the next `end`. @returns where it begins */
  #past(end: string): number {
    const to = this.#text.indexOf(end, this.#at);
    if (to < 0) throw new XmlError(`no ${end}`);
    this.#at = to + end.length;
    return to;
  }

  #close(): void {
    this.#at += 2;
    const tag = this.#name();
    this.#space();
    this.#expect(">");
    const open = this.#open.pop();
    if (open === undefined || open.tag !== tag) throw new XmlError(`</${tag}> has no beginning`);
    this.#ended(open);
  }

  #start(): void {
    this.#at += 1;
    const tag = this.#name();
    this.#elements += 1;
    if (this.#elements > xmlLimits.elements) throw new XmlError(`more than ${xmlLimits.elements} elements`);
    if (this.#open.length >= xmlLimits.depth) throw new XmlError(`deeper than ${xmlLimits.depth} elements`);
    if (this.#open.length === 0 && this.#root !== undefined) throw new XmlError("a second document");
    const attributes = this.#attributes();
    const open = { tag, element: { name: local(tag), attributes, children: [], text: "" }, texts: [] };
    if (this.#text[this.#at] === "/") {
      this.#at += 1;
      this.#expect(">");
      this.#ended(open);
    } else {
      this.#expect(">");
      this.#open.push(open);
    }
  }

  #ended({ element, texts }: Open): void {
    element.text = texts.join("").trim();
    const parent = this.#open.at(-1);
    if (parent === undefined) this.#root = element;
    else parent.element.children.push(element);
  }

  #attributes(): Map<string, string> {
    const attributes = new Map<string, string>();
    for (let count = 0; ; count += 1) {
      this.#space();
      const next = this.#text[this.#at];
      if (next === ">" || next === "/" || next === undefined) return attributes;
      if (count >= xmlLimits.attributes) throw new XmlError(`more than ${xmlLimits.attributes} attributes`);
      const name = this.#name();
      this.#space();
      this.#expect("=");
      this.#space();
      const quote = this.#text[this.#at];
      if (quote !== '"' && quote !== "'") throw new XmlError(`${name} has no quotes`);
      this.#at += 1;
      const from = this.#at;
      const value = this.#text.slice(from, this.#past(quote));
      if (value.includes("<")) throw new XmlError(`${name} has a <`);
      if (name !== "xmlns" && !name.startsWith("xmlns:")) attributes.set(local(name), unescaped(value));
    }
  }

  #name(): string {
    nameAt.lastIndex = this.#at;
    const name = nameAt.exec(this.#text)?.[0];
    if (name === undefined) throw new XmlError("a tag has no name");
    this.#at += name.length;
    return name;
  }

  #space(): void {
    spaceAt.lastIndex = this.#at;
    this.#at += spaceAt.exec(this.#text)?.[0].length ?? 0;
  }

  #expect(character: string): void {
    if (this.#text[this.#at] !== character) throw new XmlError(`${character} is missing`);
    this.#at += 1;
  }
}

function local(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** @throws XmlError for an entity of a document type */
function unescaped(raw: string): string {
  if (!raw.includes("&")) return raw;
  return raw.replaceAll(/&([^;&<]{0,16};?)/g, (_, body: string) => {
    const name = body.endsWith(";") ? body.slice(0, -1) : "";
    const code = /^#(?:x(?<hex>[0-9a-fA-F]{1,6})|(?<decimal>\d{1,7}))$/.exec(name)?.groups;
    if (code !== undefined) return characterOf(code["hex"], code["decimal"]);
    const known = Object.hasOwn(named, name) ? named[name] : undefined;
    if (known === undefined) throw new XmlError("an entity is refused");
    return known;
  });
}

function characterOf(hex: string | undefined, decimal: string | undefined): string {
  const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  if (point === 0 || point > 0x10_ff_ff || (point >= 0xd8_00 && point <= 0xdf_ff))
    throw new XmlError("a reference to no character");
  return String.fromCodePoint(point);
}

/** Returns a text as it stands in an element or an attribute. Characters that XML 1.0 lacks are left out. */
export function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\uFFFE\uFFFF]/gu, (character) => (/[\t\n\r]/.test(character) ? character : ""))
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&apos;")
    .replaceAll("\r", "&#13;");
}

/** Returns the first child with a name, and below it along a path. */
export function at(element: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined {
  return path.reduce<XmlElement | undefined>(
    (found, name) => found?.children.find((child) => child.name === name),
    element,
  );
}

/** Returns the children with a name. */
export function all(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

/** Returns the text at a path; undefined where there is no such element, or nothing in it. */
export function textAt(element: XmlElement | undefined, ...path: readonly string[]): string | undefined {
  const text = at(element, ...path)?.text;
  return text === "" ? undefined : text;
}

/** Returns the finite number at a path. */
export function numberAt(element: XmlElement | undefined, ...path: readonly string[]): number | undefined {
  const text = textAt(element, ...path);
  const value = text === undefined ? NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}
