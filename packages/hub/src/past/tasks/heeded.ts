import type { Wants } from "@ledge/log";
import type { RuleConfig } from "@ledge/model";

/** The first bytes of a commit whose only event is a device's own DeviceReported. */
const head = Buffer.from('[{"type":"DeviceReported","id":"');
const tail = Buffer.from(',"origin":"device","depth":0}]');
const [headWords, tailWords] = [wordsOf(head), wordsOf(tail)];
const reach = Buffer.from('"reachable"');
const quote = 0x22;
/** Longer commits are not examined, because reports are short. */
const lookedAt = 512;

/**
 * Returns a filter for the commits that rules might heed: all except those with a single report that another
 * device made by itself and that says nothing about reachability. A trial skips those events
 * (`UnderTest.take`). Most of a log is of this kind, so they are not even parsed.
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

// A month holds millions of these commits, so every byte read and every call into native code counts.

/** Returns the bytes of a text as 32-bit words. The last word may overlap the one before. */
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

/** Hashes the length and the last bytes of an id, in which ids mostly differ, to a number below 1024. */
function sumOf(bytes: Buffer, from: number, to: number): number {
  let sum = to - from;
  for (let at = Math.max(from, to - 4); at < to; at++)
    sum = Math.imul(sum ^ (bytes[at] as number), 0x9e37_79b1);
  return sum >>> 22;
}

/** Horspool's search: by the byte at which `reach` might end, how far to advance at least. */
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
