import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { type ConfigurationValue, valueProblem } from "@ledge/model";
import { attributesOf, readsAfter } from "./attributes.ts";
import { clusters } from "./clusters/index.ts";
import { settingItems, settingsSaid, settingValues } from "./configuration.ts";
import type { NodeFacts } from "./facts.ts";
import { framesFor } from "./frames.ts";
import { fuzzFrames, impossibleIn } from "./test-fuzz.ts";
import { models } from "./test-models.ts";
import { nodeFacts } from "./test-node.ts";
import type { Unit } from "./unit.ts";
import { unitsOf } from "./units.ts";

const endpointOfAll = { id: 1, profile: 0x0104, device: 0x010d, input: [0x0b04], output: [] };
const names = [
  ...new Set(
    clusters.flatMap((map) => [
      ...(map.facts ?? []),
      ...map.state(endpointOfAll),
      ...(map.optional?.(endpointOfAll) ?? []).map(({ attribute }) => attribute),
      ...(map.settings ?? []).map(({ attribute }) => attribute),
    ]),
  ),
  ..."zonestatus stepmode movemode sceneid level armmode scale scaledValue enhancedColorMode doorState".split(
    " ",
  ),
  ..."dayofweek mode transitions".split(" "),
  ..."__proto__ constructor toString".split(" "),
];
const limitsOfZcl = [
  0,
  1,
  2,
  127,
  128,
  254,
  255,
  0x7fff,
  -0x8000,
  0xfeff,
  0xffff,
  0xff_ffff,
  2 ** 48 - 1,
  2 ** 32,
];
const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...limitsOfZcl) },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 300 }) },
  { weight: 2, arbitrary: fc.double() },
  fc.integer(),
  fc.anything(),
);
const data = fc.oneof(
  { weight: 9, arbitrary: fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 8 }) },
  { weight: 1, arbitrary: fc.anything() },
);
const types = [
  "attributeReport",
  "readResponse",
  "commandStatusChangeNotification",
  "commandMove",
  "commandRecall",
  "commandGetWeeklyScheduleRsp",
];
const before = fc.dictionary(
  fc.constantFrom(
    "brightness",
    "hue",
    "saturation",
    "temperature",
    "colorMode",
    "position",
    "button",
    "mode",
  ),
  fc.oneof(fc.double(), fc.constantFrom("hs", "ct", -1, 0, 1, 2), fc.anything()),
);

/** A device with any clusters and any reported facts. */
const anyNode = fc
  .record({
    input: fc.uniqueArray(fc.constantFrom(...clusters.map(({ id }) => id), 3, 0x0501)),
    output: fc.uniqueArray(fc.constantFrom(5, 6, 8, 0x0102, 0x0300, 0x0019)),
    device: fc.constantFrom(0x0100, 0x010d, 0x0302, 0x0402),
    said: fc.dictionary(
      fc.constantFrom(...clusters.map(({ cluster }) => cluster)),
      fc.dictionary(fc.constantFrom(...names), value),
    ),
  })
  .map(({ input, output, device, said }): NodeFacts =>
    nodeFacts([{ device, in: input, out: output, values: said }], { type: "EndDevice", powerSource: null }),
  );
const node = fc.oneof(fc.constantFrom(...Object.values(models)), anyNode);

function assertValid(unit: Unit, shown: Readonly<Record<string, unknown>>): void {
  const wrong = impossibleIn(unit, shown);
  assert.equal(wrong, undefined, `${wrong} is ${String(shown[wrong ?? ""])}`);
}

function assertSettings(unit: Unit, values: Readonly<Record<string, ConfigurationValue>>): void {
  const items = settingItems(unit);
  for (const [name, held] of Object.entries(values)) {
    const item = items.find((each) => each.name === name);
    assert.ok(item, `${name} is no setting`);
    assert.equal(valueProblem(item, held), undefined, `${name} is ${String(held)}`);
  }
}

test("never throws and only reports valid values, whatever a device sends", () => {
  fc.assert(
    fc.property(
      node,
      fc.constantFrom(...clusters.map(({ cluster }) => cluster), "genScenes", "ssIasAce", "unknown"),
      fc.constantFrom(...types),
      data,
      before,
      (facts, cluster, type, said, was) => {
        for (const unit of unitsOf(facts)) {
          for (const endpoint of unit.endpoints) {
            const message = { endpoint: endpoint.id, cluster, type, data: said };
            assertValid(unit, attributesOf(unit, message, was));
            readsAfter(unit, message);
            assertSettings(unit, settingValues(unit, settingsSaid(unit, message)));
          }
        }
      },
    ),
    { numRuns: 1000 },
  );
});

test("frames only hold integers and octets that fit ZCL, whatever is wanted", () => {
  const wanted = fc.record(
    {
      isOn: fc.boolean(),
      brightness: fc.double({ min: 0, max: 1, noNaN: true }),
      hue: fc.oneof(fc.constant(-1), fc.double({ min: 0, max: 2 * Math.PI, noNaN: true })),
      saturation: fc.oneof(fc.constant(-1), fc.double({ min: 0, max: 1, noNaN: true })),
      temperature: fc.oneof(fc.constant(-1), fc.double({ min: 1e-9, max: 1e6, noNaN: true })),
      colorMode: fc.constantFrom("hs", "ct"),
      transitionMsec: fc.integer({ min: 0, max: 3_600_000 }),
      position: fc.double({ min: 0, max: 1, noNaN: true }),
      tiltPct: fc.double({ min: 0, max: 100, noNaN: true }),
      stop: fc.constant(true),
      targetTemperature: fc.double({ min: -50, max: 150, noNaN: true }),
      mode: fc.integer({ min: 0, max: 3 }),
      fanMode: fc.integer({ min: 0, max: 6 }),
      locked: fc.boolean(),
      sirenOn: fc.boolean(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(node, wanted, before, (facts, want, was) => {
      for (const unit of unitsOf(facts)) {
        for (const action of framesFor(unit, want, was)) {
          if (action.kind === "convert" || action.kind === "read") continue;
          const payload = action.kind === "command" ? action.payload : action.values;
          for (const [name, each] of Object.entries(payload)) {
            const isHeld =
              Buffer.isBuffer(each) || (Number.isInteger(each) && Math.abs(each as number) <= 0xffff);
            assert.ok(isHeld, `${name} is ${String(each)}`);
          }
        }
      }
    }),
    { numRuns: 1000 },
  );
});

const seed = Number(process.env["SEED"] ?? Math.trunc(Math.random() * 2 ** 31));

test(`definitions only show valid values and extras, whatever their devices send (SEED=${seed})`, async () => {
  const { shown, failures } = await fuzzFrames({ cases: 3000, seed });
  assert.deepEqual(failures, []);
  assert.ok(shown > 100, `only ${shown} values were shown`);
});
