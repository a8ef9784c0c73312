import type { Wants } from "@ledge/log";
import type { RuleConfig } from "@ledge/model";

/** As DeviceReported of a device by itself begins and ends in the log, where it is the only event of its commit. */
const start = '[{"type":"DeviceReported","id":"';
const end = ',"origin":"device","depth":0}]';
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
  return (payload, count) => {
    if (count !== 1 || payload.length > lookedAt) return true;
    const text = payload.toString("latin1");
    if (!text.startsWith(start) || !text.endsWith(end)) return true;
    const device = text.slice(start.length, text.indexOf('"', start.length));
    return named.has(device) || text.includes('"reachable"');
  };
}
