import type { Wants } from "@ledge/log";
import type { RuleConfig } from "@ledge/model";

/** As DeviceReported of a device by itself begins and ends in the log, where it is the only event of its commit. */
const head = Buffer.from('[{"type":"DeviceReported","id":"');
const tail = Buffer.from(',"origin":"device","depth":0}]');
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
  return (bytes, start, end, count) => {
    if (count !== 1 || end - start > lookedAt || end - start < head.length + tail.length) return true;
    if (!standsAt(bytes, start, head) || !standsAt(bytes, end - tail.length, tail)) return true;
    const from = start + head.length;
    let to = from;
    while (to < end && bytes[to] !== quote) to++;
    return named.has(bytes.toString("latin1", from, to)) || standsWithin(bytes, to, end, reach);
  };
}

// A month is millions of these: what calls into native code for each is dearer than a loop.
function standsAt(bytes: Buffer, at: number, wanted: Buffer): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}

function standsWithin(bytes: Buffer, start: number, end: number, wanted: Buffer): boolean {
  for (let at = start; at <= end - wanted.length; at++) {
    if (bytes[at] === quote && bytes[at + 1] === wanted[1] && standsAt(bytes, at, wanted)) return true;
  }
  return false;
}
