import { readXml, SoapFault, XmlError } from "@ledge/soap";
import { CameraError } from "../camera-error.ts";
import * as answers from "../answers.ts";
import { readAnswer } from "../client.ts";
import { readProbeMatches } from "../discovery.ts";

const readers = [
  answers.readTime,
  answers.readInformation,
  answers.readHardwareAddress,
  answers.readServices,
  answers.readProfiles,
  answers.readUri,
  answers.readPresets,
  answers.readPosition,
  answers.readsMotion,
  answers.readSubscription,
  answers.readMotion,
];

const scraps = [
  "<",
  ">",
  "&",
  "&amp;",
  "&x;",
  "<![CDATA[",
  "]]>",
  "<!DOCTYPE x [",
  "<!--",
  "-->",
  '"',
  "\u0000",
  "\uFFFF",
  "😀",
  "<a:b>",
  "</a:b>",
  "999999999999999999999",
  "-1",
  "NaN",
  "__proto__",
  "constructor",
  'token=""',
];

/** Values of elements and attributes that leave an answer well-formed. */
const values = [
  "",
  " ",
  "0",
  "1",
  "-1",
  "1e308",
  "1e999",
  "NaN",
  "0x10",
  "99999999999999999999",
  "true",
  "FALSE",
  "__proto__",
  "constructor",
  "\uD800",
  "\u202E",
  "&#10;&#9;",
  "&lt;script>",
  "http://[::1/",
  "http://192.0.2.1:99999/",
  "http://169.254.169.254/latest",
  "file:///etc/passwd",
  "rtsp://a:b@c/canary",
  "x".repeat(5000),
];

/**
 * Returns an answer with one to eight changes. In half of them it stays well-formed: values are exchanged, elements
 * renamed, repeated or taken out. In the others parts are taken out, repeated, exchanged with another answer, or broken.
 */
export function mutated(texts: readonly string[], below: (count: number) => number): string {
  const text = texts[below(texts.length)] ?? "";
  return below(2) === 0 ? revalued(text, below) : broken(text, texts, below);
}

function revalued(original: string, below: (count: number) => number): string {
  let text = original;
  for (let left = 1 + below(8); left > 0; left -= 1) {
    const [pattern, put] = [
      [/(?<=>)[^<>]*(?=<\/)/g, () => values[below(values.length)] ?? ""],
      [/(?<=[a-zA-Z]=")[^"<]*(?=")/g, () => values[below(values.length)] ?? ""],
      [/<(\w+:\w+)[^<>]*>[^<>]*<\/\1>/g, (element: string) => element.repeat(below(40))],
      [
        /<(\w+:\w+)[^<>]*>[^<>]*<\/\1>/g,
        (element: string) => element.replaceAll(/(?<=<\/?)[\w:]+/g, "tt:Other"),
      ],
    ][below(4)] as [RegExp, (part: string) => string];
    const parts = [...text.matchAll(pattern)];
    const part = parts[below(Math.max(1, parts.length))];
    if (part === undefined) continue;
    text = text.slice(0, part.index) + put(part[0]) + text.slice(part.index + part[0].length);
  }
  return text;
}

function broken(original: string, texts: readonly string[], below: (count: number) => number): string {
  let text = original;
  for (let left = 1 + below(8); left > 0; left -= 1) {
    const from = below(text.length + 1);
    const to = Math.min(text.length, from + below(60));
    const other = texts[below(texts.length)] ?? "";
    const start = below(other.length + 1);
    const put = [
      "",
      text.slice(from, to).repeat(2 + below(20)),
      other.slice(start, start + below(200)),
      scraps[below(scraps.length)] ?? "",
      String.fromCharCode(below(65_536)),
    ][below(5)];
    text = text.slice(0, from) + put + text.slice(to);
  }
  return text;
}

/**
 * Reads an answer by every reader, as of a camera that answers something else than it was asked.
 * @returns what became of it, and what must not be
 */
export function tryAnswer(text: string): { readonly outcome: string; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const outcome = outcomeOf(text, problems);
  return { outcome, problems };
}

function outcomeOf(text: string, problems: string[]): string {
  try {
    readProbeMatches(text, "192.168.1.20");
    const answer = readAnswer({ status: 200, body: Buffer.from(text) });
    for (const read of readers) {
      const told = JSON.stringify(read(answer)) ?? "";
      if (told.length > 65_536) problems.push(`${read.name} tells ${told.length} characters`);
      if (!told.isWellFormed()) problems.push(`${read.name} tells half a character`);
    }
    for (const element of readXml(text).children) {
      const uri = answers.streamUri(element.text, "192.168.1.20", "canary");
      if (uri !== undefined && !/^(?:rtsps?|https?):\/\/192\.168\.1\.20[:/]?/.test(uri))
        problems.push(`a stream at ${uri}`);
    }
    return "read";
  } catch (error) {
    if (error instanceof XmlError) return "no XML";
    if (error instanceof SoapFault) return "fault";
    if (error instanceof CameraError) return error.failure;
    problems.push(`${String(error)} ${(error as Error).stack?.split("\n")[1] ?? ""}`);
    return "broken";
  }
}
