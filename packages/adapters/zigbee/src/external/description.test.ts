import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { rawValue, readValue } from "./definition.ts";
import type { ExternalDescription, Property } from "./description.ts";
import { descriptionOf } from "./description.ts";

const dust = {
  type: "numeric",
  name: "pm25",
  unit: "µg/m³",
  cluster: "acmeAir",
  attribute: "dust",
  scale: 0.1,
};
const sound: object = {
  models: ["ACME-1"],
  vendor: "Acme",
  model: "Air 1",
  clusters: {
    acmeAir: { id: 0xfc00, manufacturerCode: 0x1037, attributes: { dust: { id: 1, type: "uint16" } } },
  },
  exposes: [dust],
};
const problemOf = (said: unknown): string => {
  const found = descriptionOf(said);
  return "problem" in found ? found.problem : "";
};

test("takes a definition of exposes, clusters, attributes and scales", () => {
  assert.deepEqual(descriptionOf(sound), sound as ExternalDescription);
  assert.equal(problemOf({ ...sound, exposes: [{ type: "switch" }, dust] }), "");
});

test("refuses what needs code, and says so", () => {
  for (const program of ["fromZigbee", "toZigbee", "extend", "configure", "onEvent"])
    assert.match(problemOf({ ...sound, [program]: [] }), new RegExp(`^${program} needs code`));
  assert.match(
    problemOf({ ...sound, exposes: [{ ...dust, convert: "(v) => v / 10" }] }),
    /^convert needs code/,
  );
});

test("says where a definition is wrong", () => {
  for (const [said, where] of [
    [null, /./],
    ["text", /./],
    [[], /./],
    [{}, /./],
    [{ ...sound, models: [] }, /^\/models/],
    [{ ...sound, models: [1] }, /^\/models/],
    [{ ...sound, colour: 1 }, /./],
    [{ ...sound, clusters: { acmeAir: { id: 70_000, attributes: {} } } }, /^\/clusters/],
    [
      { ...sound, clusters: { acmeAir: { id: 1, attributes: { a: { id: 1, type: "uint7" } } } } },
      /^\/clusters/,
    ],
    [{ ...sound, exposes: [] }, /^\/exposes/],
    [{ ...sound, exposes: [{ ...dust, name: "__proto__" }] }, /^exposes\/0\/name/],
    [{ ...sound, exposes: [{ ...dust, scale: 0 }] }, /^exposes\/0: the scale/],
    [{ ...sound, exposes: [{ ...dust, scale: "0.1" }] }, /^exposes\/0\/scale/],
    [{ ...sound, exposes: [{ ...dust, min: 2, max: 1 }] }, /^exposes\/0: its minimum/],
    [{ ...sound, exposes: [{ ...dust, type: "binary" }] }, /^exposes\/0: a binary/],
    [{ ...sound, exposes: [{ ...dust, type: "enum" }] }, /^exposes\/0: an enum/],
    [{ ...sound, exposes: [dust, dust] }, /pm25 is there twice/],
    [{ ...sound, exposes: [{ type: "switch", features: ["sing"] }] }, /^exposes\/0/],
  ] as const)
    assert.match(problemOf(said), where, JSON.stringify(said));
});

test("converts values both ways", () => {
  const property = (more: object): Property => ({ ...dust, ...more }) as Property;
  const scaled = property({ scale: 0.1, offset: -40 });
  assert.equal(readValue(scaled, 615), 21.5);
  assert.equal(rawValue(scaled, 21.5), 615);
  const words = property({ type: "enum", values: { low: 0, high: 2 } });
  assert.deepEqual(
    [readValue(words, 2), readValue(words, 1), rawValue(words, "high")],
    ["high", undefined, 2],
  );
  assert.equal(rawValue(words, "constructor"), undefined);
  const lock = property({ type: "binary", on: 1, off: 0 });
  assert.deepEqual([readValue(lock, 1), readValue(lock, 2), rawValue(lock, 0)], [1, undefined, 0]);
  assert.deepEqual(
    [readValue(scaled, "1"), readValue(scaled, Number.NaN), rawValue(scaled, "1")],
    [undefined, undefined, undefined],
  );
  assert.deepEqual(
    [readValue(property({ type: "text" }), "x"), readValue(property({ type: "text" }), 1)],
    ["x", undefined],
  );
});

test("takes the example of docs/zigbee-devices.md", () => {
  const page = readFileSync(new URL("../../../../../docs/zigbee-devices.md", import.meta.url), "utf8");
  const [, example = ""] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
  assert.equal(problemOf(JSON.parse(example)), "");
});
