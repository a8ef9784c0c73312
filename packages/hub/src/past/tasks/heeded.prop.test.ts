import assert from "node:assert/strict";
import { test } from "node:test";
import type { LoggedEvent, RuleConfig } from "@ledge/model";
import fc from "fast-check";
import { heededBy } from "./heeded.ts";

/** Texts that look like an id, like the searched words, or like neither. */
const text = fc.oneof(
  fc.uuid(),
  fc.constantFrom(
    "reachable",
    '"reachable"',
    'a"reachable',
    "",
    "lamp",
    "sensor",
    "sensör",
    "DeviceReported",
  ),
  fc.string({ unit: "binary", maxLength: 40 }),
);
const attributes = fc.dictionary(text, fc.oneof(fc.boolean(), fc.double(), text), { maxKeys: 3 });
const event = fc
  .record({
    type: fc.oneof({ weight: 9, arbitrary: fc.constant("DeviceReported") }, text),
    id: text,
    attributes,
    reachable: fc.option(fc.boolean(), { nil: undefined }),
    at: fc.nat(),
    origin: fc.oneof({ weight: 9, arbitrary: fc.constant("device") }, text),
    depth: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.nat(9)),
  })
  .map(({ type, id, attributes: of, reachable, at, origin, depth }) => {
    const said = reachable === undefined ? of : { ...of, reachable };
    return { type, id, attributes: said, at, version: 1, origin, depth } as LoggedEvent;
  });
const events = fc.oneof(
  { weight: 4, arbitrary: event.map((one) => [one]) },
  { weight: 1, arbitrary: fc.array(event, { maxLength: 3 }) },
);

/** The result of `heededBy`, computed in a slow and simple way. */
function isHeeded(payload: string, count: number, named: readonly string[]): boolean {
  const [head, tail] = ['[{"type":"DeviceReported","id":"', ',"origin":"device","depth":0}]'];
  if (count !== 1 || Buffer.byteLength(payload) > 512) return true;
  if (!payload.startsWith(head) || !payload.endsWith(tail)) return true;
  const rest = payload.slice(head.length);
  return named.includes(rest.slice(0, rest.indexOf('"'))) || rest.includes('"reachable"');
}

/** Whether JSON and UTF-8 keep an id unchanged, as they do with every id that a hub makes. */
function isPlain(id: string): boolean {
  return /^[ !#-[\]-~]*$/.test(id);
}

test("skips the same commits as a slow reading, and no rule could heed their events", () => {
  fc.assert(
    fc.property(
      fc.array(events, { minLength: 1, maxLength: 8 }),
      fc.nat(7),
      fc.nat(16),
      (all, chosen, at) => {
        const ids = ["sensor", "lamp", all.at(chosen)?.at(0)?.id ?? ""];
        const named = ids.filter(isPlain);
        const wants = heededBy([{ inputs: { sensors: named }, outputs: {} } as object as RuleConfig]);
        for (const of of all) {
          const payload = JSON.stringify(of);
          // Other bytes surround the payload, as in a block.
          const bytes = Buffer.from(`${'"'.repeat(at)}${payload}"reachable"`);
          const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
          const isWanted = wants(bytes, at, bytes.length - 11, of.length, view);
          assert.equal(isWanted, isHeeded(payload, of.length, named), payload);
          if (isWanted) continue;
          const { type, id, origin, attributes: said } = of[0] as LoggedEvent & { attributes: object };
          assert.deepEqual([of.length, type, origin], [1, "DeviceReported", "device"]);
          assert.ok(!named.includes(id) && !("reachable" in said), payload);
        }
      },
    ),
    { numRuns: 2000 },
  );
});
