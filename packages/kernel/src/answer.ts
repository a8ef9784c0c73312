const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const closeBracket = 0x5d;
/** Closes the objects of a category, its delta, the list of deltas and the answer: `}}]}`. */
const closingBytes = 4;

/** More fragments than this of one answer are not kept room for until the next. */
const roomMax = 1024;
/** Categories are the bits of a number. */
const categoriesMax = 31;

const encoder = new TextEncoder();

/** What stands before the objects of a category, by the index of that category: written on first use. */
export class Openings {
  readonly idle: Uint8Array;
  readonly #start: string;
  readonly #headers: readonly string[];
  /** In the first delta of an answer, after the answer's own beginning. */
  readonly #first: (Uint8Array | undefined)[] = [];
  /** In a later one, after the closing of the delta before. */
  readonly #later: (Uint8Array | undefined)[] = [];

  /** @param timestamp of the answer (ms), and so of each delta. */
  constructor(
    timestamp: number,
    full: boolean,
    categories: readonly { readonly type: string; readonly field: string }[],
  ) {
    this.#start = `{"type":"POLL_DELTA","timestamp":${timestamp},"full":${full},"polls":[`;
    this.#headers = categories.map(
      ({ type, field }) => `{"type":"${type}","timestamp":${timestamp},"${field}":{`,
    );
    this.idle = encoder.encode(`${this.#start}]}`);
  }

  first(category: number): Uint8Array {
    return (this.#first[category] ??= encoder.encode(this.#start + this.#headers[category]));
  }

  later(category: number): Uint8Array {
    return (this.#later[category] ??= encoder.encode(`}},${this.#headers[category]}`));
  }
}

/** A category's part of an answer. */
export class Section {
  readonly fragments: Uint8Array[] = [];
  /** How many of `fragments` are of this answer. */
  count = 0;
  /** Bytes of the fragments, with a comma after each. */
  #bytes = 0;

  clear(): void {
    this.count = 0;
    this.#bytes = 0;
  }

  /** Adds an object, as `"<id>":<JSON>`. */
  add(fragment: Uint8Array): void {
    this.fragments[this.count++] = fragment;
    this.#bytes += fragment.length + 1;
  }

  /** Bytes of the fragments, with a comma between two. */
  get bytes(): number {
    return Math.max(this.#bytes - 1, 0);
  }
}

/**
 * Collects the fragments of a poll answer by category, then writes them at once. Made once and used for one
 * answer after the other, to save what it would allocate.
 */
export class Answer {
  readonly #sections: readonly Section[];
  /** The categories that appear: bit n is category n. */
  #shown = 0;

  /** @param categories how many there are: 31 at most. */
  constructor(categories: number) {
    if (categories > categoriesMax) throw new RangeError(`${categories} categories are more than bits`);
    this.#sections = Array.from({ length: categories }, () => new Section());
  }

  get isEmpty(): boolean {
    return this.#shown === 0;
  }

  /** Begins another answer. */
  clear(): void {
    this.#shown = 0;
  }

  /** The part of a category, which appears in the answer even if nothing is added to it. */
  section(category: number): Section {
    const section = this.#sections[category] as Section;
    const bit = 1 << category;
    if ((this.#shown & bit) === 0) {
      this.#shown |= bit;
      section.clear();
    }
    return section;
  }

  /** The answer as bytes; at least one category is shown. */
  write(openings: Openings): Uint8Array {
    const first = lowest(this.#shown);
    let length = openings.first(first).length + this.#bytesOf(first) + closingBytes;
    for (let rest = without(this.#shown, first); rest !== 0; rest = without(rest, lowest(rest)))
      length += openings.later(lowest(rest)).length + this.#bytesOf(lowest(rest));
    const out = Buffer.allocUnsafe(length);
    let at = this.#writeDelta(first, openings.first(first), out, 0);
    for (let rest = without(this.#shown, first); rest !== 0; rest = without(rest, lowest(rest)))
      at = this.#writeDelta(lowest(rest), openings.later(lowest(rest)), out, at);
    out[at] = closeBrace;
    out[at + 1] = closeBrace;
    out[at + 2] = closeBracket;
    out[at + 3] = closeBrace;
    return out;
  }

  #bytesOf(category: number): number {
    return (this.#sections[category] as Section).bytes;
  }

  #writeDelta(category: number, opening: Uint8Array, out: Uint8Array, from: number): number {
    const { fragments, count } = this.#sections[category] as Section;
    out.set(opening, from);
    const at = copyJoined(fragments, count, out, from + opening.length);
    if (count > roomMax) fragments.length = 0;
    return at;
  }
}

/** The lowest category of some. */
function lowest(categories: number): number {
  return 31 - Math.clz32(categories & -categories);
}

function without(categories: number, category: number): number {
  return categories & ~(1 << category);
}

/** `{<fragment>,<fragment>}` as bytes. */
export function dictionaryOf(fragments: readonly Uint8Array[]): Uint8Array {
  let length = 2 + Math.max(fragments.length - 1, 0);
  for (const fragment of fragments) length += fragment.length;
  const out = Buffer.allocUnsafe(length);
  out[0] = openBrace;
  out[copyJoined(fragments, fragments.length, out, 1)] = closeBrace;
  return out;
}

function copyJoined(fragments: readonly Uint8Array[], count: number, to: Uint8Array, from: number): number {
  let at = from;
  for (let index = 0; index < count; index++) {
    if (index > 0) to[at++] = comma;
    const fragment = fragments[index] as Uint8Array;
    to.set(fragment, at);
    at += fragment.length;
  }
  return at;
}
