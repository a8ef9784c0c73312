import type { Wants } from "@ledge/log";
import type { RuleConfig } from "@ledge/model";

/** As DeviceReported of a device by itself begins and ends in the log, where it is the only event of its commit. */
const head = Buffer.from('[{"type":"DeviceReported","id":"');
const tail = Buffer.from(',"origin":"device","depth":0}]');
const [headWords, tailWords] = [wordsOf(head), wordsOf(tail)];
const reach = Buffer.from('"reachable"');
const quote = 0x22;
/** Reports are short: what is longer is not looked at. */
const lookedAt = 512;

/**
 * Which commits rules might heed: all but those of one report, of another device, by itself, that does not say whether
 * it can be reached. A trial skips those events (`UnderTest.take`); most of a log is of this kind, and is not parsed.
 */
export function heededBy(rules: readonly RuleConfig[]): Wants {
  const named = new Set(
    rules.flatMap(({ inputs, outputs }) =>
      [inputs, outputs].flatMap((fields) => Object.values(fields).flat()),
    ),
  );
  const lengths = [...new Set([...named].map((id) => id.length))];
  const mayBeNamed = new Uint8Array(1024);
  for (const id of named) {
    const bytes = Buffer.from(id, "latin1");
    mayBeNamed[sumOf(bytes, 0, bytes.length)] = 1;
  }
  return (bytes, start, end, count, view) => {
    if (count !== 1 || end - start > lookedAt || end - start < head.length + tail.length) return true;
    if (!standsAt(view, start, head, headWords) || !standsAt(view, end - tail.length, tail, tailWords))
      return true;
    const from = start + head.length;
    for (const length of lengths) {
      const to = from + length;
      if (bytes[to] !== quote || mayBeNamed[sumOf(bytes, from, to)] === 0) continue;
      if (named.has(bytes.toString("latin1", from, to))) return true;
    }
    return standsWithin(bytes, from, end);
  };
}

// A month is millions of these: every byte that is looked at counts, and every call into native code.

/** The bytes of a text, four at a time; the last four may overlap those before. */
function wordsOf(text: Buffer): Int32Array {
  const count = Math.ceil(text.length / 4);
  return Int32Array.from({ length: count }, (_, place) =>
    text.readInt32LE(Math.min(place * 4, text.length - 4)),
  );
}

function standsAt(view: DataView, start: number, text: Buffer, words: Int32Array): boolean {
  const last = words.length - 1;
  for (let word = 0; word < last; word++) {
    if (view.getInt32(start + word * 4, true) !== words[word]) return false;
  }
  return view.getInt32(start + text.length - 4, true) === words[last];
}

/** Tells ids apart by their length and last bytes, where those of two devices mostly differ: a number below 1024. */
function sumOf(bytes: Buffer, from: number, to: number): number {
  let sum = to - from;
  for (let at = Math.max(from, to - 4); at < to; at++)
    sum = Math.imul(sum ^ (bytes[at] as number), 0x9e37_79b1);
  return sum >>> 22;
}

/** By the byte at which `reach` might end: how much farther it ends at least (Horspool's search). */
const steps = new Uint8Array(256).fill(reach.length);
for (const [at, byte] of reach.subarray(0, -1).entries()) steps[byte] = reach.length - 1 - at;

function standsWithin(bytes: Buffer, start: number, end: number): boolean {
  for (let last = start + reach.length - 1; last < end; last += steps[bytes[last] as number] as number) {
    let at = reach.length - 1;
    while (at >= 0 && bytes[last - reach.length + 1 + at] === reach[at]) at--;
    if (at < 0) return true;
  }
  return false;
}
