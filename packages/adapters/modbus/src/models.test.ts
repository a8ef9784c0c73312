import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { AdapterError } from "@ledge/port";
import { Models } from "./models.ts";
import { mapModel } from "./map-model.ts";
import { decodePoint, encodePoint } from "./point.ts";
import { planReads } from "./read-plan.ts";
import { readModel } from "./read-model.ts";
import { encodeNumber } from "./registers.ts";
import { shippedModels } from "./shipped-models.ts";

const point = { attribute: "temperature", table: "input", register: 0, type: "s16", scale: 0.1 };
const part = { part: "air", class: "MULTI_SENSOR", points: [point] };
const model = { format: 1, id: "air", manufacturer: "Acme", name: "Air sensor", devices: [part] };
const option = {
  attribute: "extras.mode",
  table: "holding",
  register: 5,
  type: "u16",
  options: { "0": "off" },
};
const text = { attribute: "extras.serial", table: "holding", register: 9, type: "string", length: 4 };

const withPoint = (more: object, of: object = point): object => ({
  ...model,
  devices: [{ ...part, points: [{ ...of, ...more }] }],
});

const wrong: readonly [field: string, file: unknown][] = [
  ["settings", null],
  ["settings", []],
  ["format", { ...model, format: 2 }],
  ["id", { ...model, id: "No spaces" }],
  ["name", { ...model, name: "" }],
  ["manufacturer", { ...model, manufacturer: undefined }],
  ["address", { ...model, address: 248 }],
  ["extra", { ...model, extra: 1 }],
  ["defaults.scale", { ...model, defaults: { scale: "x" } }],
  ["devices", { ...model, devices: [] }],
  ["devices[0]", { ...model, devices: [5] }],
  ["devices[0].class", { ...model, devices: [{ ...part, class: "TOASTER" }] }],
  ["devices[0].points", { ...model, devices: [{ ...part, points: [] }] }],
  ["devices[0].points[0]", { ...model, devices: [{ ...part, points: [5] }] }],
  ["devices[1].part", { ...model, devices: [part, part] }],
  ["devices[0].repeat.count", { ...model, devices: [{ ...part, repeat: { count: 0, step: 1 } }] }],
  ["devices[0].points[0].register", { ...model, devices: [{ ...part, repeat: { count: 200, step: 1000 } }] }],
  ["devices[0].capabilities[0]", { ...model, devices: [{ ...part, capabilities: ["FLYING"] }] }],
  ["devices[0].points[0].attribute", withPoint({ attribute: "warmth" })],
  ["devices[0].points[0].attribute", withPoint({ attribute: "extras." })],
  ["devices[0].points[0].attribute", withPoint({ attribute: "extras.ä" })],
  ["devices[0].points[0].register", withPoint({ register: 65_536 })],
  ["devices[0].points[0].type", withPoint({ type: "u8" })],
  ["devices[0].points[0].poll", withPoint({ poll: "hourly" })],
  ["devices[0].points[0].pollMs", withPoint({ pollMs: 1 })],
  ["devices[0].points[0].min", withPoint({ min: 0 })],
  ["devices[0].points[0].write", withPoint({ write: { register: 1 } })],
  ["devices[0].points[0].options", withPoint({ options: {} }, option)],
  ["devices[0].points[0].options.off", withPoint({ options: { off: "off" } }, option)],
  ["devices[0].points[0].options.0", withPoint({ attribute: "mode", options: { "0": 9 } }, option)],
  ["devices[0].points[0].options", withPoint({ options: { "0": true } }, option)],
  ["devices[0].points[0].type", withPoint({ type: "f32" }, option)],
  ["devices[0].points[0].scale", withPoint({ scale: 2 }, option)],
  ["devices[0].points[0].bit", withPoint({ bit: 3 })],
  ["devices[0].points[0].width", withPoint({ width: 3 })],
  ["devices[0].points[0].type", withPoint({ bit: 3, width: 2 })],
  ["devices[0].points[0].width", withPoint({ type: "u16", bit: 10, width: 8 })],
  ["devices[0].points[0].length", withPoint({ length: undefined }, text)],
  ["devices[0].points[0].length", withPoint({ length: 65 }, text)],
  ["devices[0].points[0].table", withPoint({ table: "coil" }, text)],
  ["devices[0].points[0].writable", withPoint({ table: "input", writable: true }, option)],
  [
    "devices[0].points[0].write.table",
    withPoint({ writable: true, write: { register: 1, table: "coil" } }, option),
  ],
  [
    "devices[0].points[0].write.options.1",
    withPoint({ writable: true, write: { register: 1, options: { "1": "on" } } }, option),
  ],
];

for (const [index, [field, file]] of wrong.entries()) {
  test(`refuses wrong model ${index} and names ${field}`, () => {
    assert.throws(
      () => readModel(JSON.parse(JSON.stringify(file))),
      (error) =>
        error instanceof AdapterError &&
        (error.message.startsWith(`${field}: `) || assert.fail(`${field}: ${error.message}`)),
    );
  });
}

test("fills in defaults, where they can apply", () => {
  const { devices } = readModel({
    ...model,
    defaults: { table: "input", type: "s16", scale: 0.1, wordOrder: "little", noValue: [-1] },
    devices: [
      {
        ...part,
        points: [
          { attribute: "temperature", register: 0 },
          { attribute: "open", table: "discrete", register: 0 },
          { attribute: "extras.serial", register: 3, type: "string", length: 2 },
          { attribute: "runningState", register: 2, type: "u16", options: { "1": "idle" } },
        ],
      },
    ],
  });
  const [plain, bit, word, choice] = devices[0]?.points ?? [];
  assert.deepEqual([plain?.type, plain?.scale, plain?.wordOrder], ["s16", 0.1, "little"]);
  assert.deepEqual([bit?.type, bit?.scale], [undefined, undefined]);
  assert.deepEqual([word?.type, word?.scale, word?.table], ["string", undefined, "input"]);
  assert.deepEqual([choice?.type, choice?.scale, choice?.noValue], ["u16", undefined, undefined]);
});

const device = { id: "d", address: 7, name: "D", deviceType: "MODEL", modelId: "x" } as const;

test("reads and writes texts, options, bits and extras", () => {
  const rows: readonly [point: object, registers: number[], value: unknown][] = [
    [text, [0x5345, 0x3132, 0x3300, 0], "SE123"],
    [{ ...text, byteOrder: "little" }, [0x4553, 0x3231, 0x0033, 0], "SE123"],
    [{ ...option, options: { "0": "off", "7": "eco" } }, [7], "eco"],
    [{ ...option, options: { "0": 10, "1": 20 } }, [1], 20],
    [{ ...option, type: "u32", wordOrder: "little", options: { "65536": "far" } }, [0, 1], "far"],
    [{ ...option, options: { "0": "a", "5": "b" }, bit: 4, width: 3 }, [0x50], "b"],
    [{ ...option, attribute: "mode", options: { "0": 0, "10": 2 } }, [10], 2],
    [{ ...option, attribute: "isOn", options: { "1": false, "2": true } }, [2], true],
    [
      { attribute: "extras.level", table: "holding", register: 0, type: "u16", bit: 8, width: 8 },
      [0x2a00],
      42,
    ],
    [{ attribute: "extras.heat", table: "holding", register: 0, type: "bool", bit: 2 }, [4], true],
    [{ attribute: "extras.run", table: "coil", register: 0 }, [1], true],
    [
      { attribute: "extras.flow", table: "holding", register: 0, type: "u16", scale: 0.5, unit: "l/s" },
      [3],
      1.5,
    ],
    [{ attribute: "voltageA", table: "holding", register: 0, type: "u32", scale: 0.1 }, [0, 2305], 230.5],
  ];
  for (const [settings, registers, value] of rows) {
    const read = readModel({ ...model, devices: [{ ...part, class: "POWER_SOCKET", points: [settings] }] });
    const [mapped] = mapModel(read, device, "line")[0]?.points ?? [];
    assert.ok(mapped);
    assert.equal(decodePoint(mapped, registers), value, JSON.stringify(settings));
    assert.deepEqual(encodePoint(mapped, value), registers, JSON.stringify(settings));
  }
});

test("refuses values that a point cannot have", () => {
  const [mapped] =
    mapModel(readModel(withPoint({ writable: true }, option)), device, "line")[0]?.points ?? [];
  const [words] = mapModel(readModel(withPoint({ writable: true }, text)), device, "line")[0]?.points ?? [];
  assert.ok(mapped && words);
  assert.throws(() => decodePoint(mapped, [1]), /1 is none of its options/);
  assert.throws(() => encodePoint(mapped, "eco"), /eco is not one of off/);
  assert.throws(() => encodePoint(words, "123456789"), /9 characters do not fit 4 registers/);
  assert.throws(() => encodePoint(words, "日"), RangeError);
  assert.throws(() => encodePoint(words, 5), RangeError);
  assert.equal(decodePoint(words, [0x4100, 0, 0, 0]), "A");
  assert.equal(decodePoint(words, [0x0741, 0x2020, 0x2020, 0x2020]), "A");
});

test("describes extras and numbers repeated parts", () => {
  const maps = mapModel(
    readModel({
      ...model,
      devices: [
        { ...part, points: [point, { ...option, writable: true, options: { "0": "off", "1": "on" } }] },
        {
          part: "relay",
          name: "Output",
          class: "POWER_SOCKET",
          repeat: { count: 2, step: 3 },
          points: [
            { attribute: "isOn", table: "coil", register: 1, writable: true, write: { register: 101 } },
          ],
        },
      ],
    }),
    { ...device, register: 10, pollMs: 500 },
    "line",
  );
  assert.deepEqual(
    maps.map(({ description: { native, name, manufacturer, model: kind } }) => [
      native,
      name,
      manufacturer,
      kind,
    ]),
    [
      ["line/d.air", "D air", "Acme", "Air sensor"],
      ["line/d.relay1", "D Output 1", "Acme", "Air sensor"],
      ["line/d.relay2", "D Output 2", "Acme", "Air sensor"],
    ],
  );
  assert.deepEqual(maps[0]?.description.stateExtras, [
    { name: "mode", unit: null, writable: true, fieldType: "OPTION", options: ["off", "on"] },
  ]);
  assert.deepEqual(
    maps.flatMap(({ points }) => points.map(({ register, write }) => [register, write?.register])),
    [
      [10, undefined],
      [15, undefined],
      [11, 111],
      [14, 114],
    ],
  );
  assert.deepEqual(new Set(maps.map(({ pollMs }) => pollMs)), new Set([500]));
});

test("every shipped model fits its file's name, has a number of its own, and needs few reads", () => {
  assert.ok(shippedModels.size >= 9);
  const numbers = [...shippedModels.values()].map(({ number }) => number);
  assert.equal(new Set(numbers).size, numbers.length);
  for (const shipped of shippedModels.values()) {
    const points = mapModel(shipped, device, "line").flatMap((map) => map.points);
    const reads = planReads(points, () => false);
    assert.ok(reads.length <= 8, `${shipped.id}: ${reads.length} reads`);
  }
});

test("the meters of three makers read what their manuals say", () => {
  const f32 = (value: number): number[] =>
    encodeNumber(value, { type: "f32", wordOrder: "big", byteOrder: "big" });
  const value = (id: string, attribute: string, registers: number[]): unknown => {
    const shipped = shippedModels.get(id);
    assert.ok(shipped, id);
    const [map] = mapModel(shipped, device, "line");
    const found = map?.points.find((each) => each.attribute === attribute);
    assert.ok(found, attribute);
    return [found.table, found.register, decodePoint(found, registers)];
  };
  assert.deepEqual(value("eastron-sdm630", "activePower", f32(1234.5)), ["input", 0x34, 1234.5]);
  assert.deepEqual(value("eastron-sdm630", "energyC", f32(2.5)), ["input", 0x15e, 2.5]);
  assert.deepEqual(value("eastron-sdm120", "totalPower", f32(17.25)), ["input", 0x48, 17.25]);
  assert.deepEqual(value("carlo-gavazzi-em340", "activePower", [0xfff6, 0xffff]), ["input", 0x28, -1]);
  assert.deepEqual(value("carlo-gavazzi-em340", "currentB", [2500, 0]), ["input", 0x0e, 2.5]);
  assert.deepEqual(value("schneider-iem3155", "activePower", f32(1.5)), ["holding", 3059, 1500]);
  assert.deepEqual(value("schneider-iem3155", "totalPower", [0, 0, 1, 0x86a0]), ["holding", 3203, 100]);
  assert.deepEqual(value("abb-b23", "voltageA", [0, 2301]), ["holding", 0x5b00, 230.1]);
  assert.deepEqual(value("abb-b23", "voltageA", [0xffff, 0xffff]), ["holding", 0x5b00, undefined]);
  assert.deepEqual(value("nibe-s", "runningState", [30]), ["input", 1028, "heating"]);
  assert.deepEqual(value("systemair-save", "extras.user_mode", [3]), ["input", 1160, "refresh"]);
});

const folder = mkdtempSync(join(tmpdir(), "ledge-models-"));
after(() => rmSync(folder, { recursive: true }));
const write = (name: string, value: unknown): void =>
  writeFileSync(join(folder, name), typeof value === "string" ? value : JSON.stringify(value));

test("reads a folder again when its files change, and says what is wrong with which", async () => {
  const models = new Models(folder);
  assert.deepEqual(await models.refresh(), { changed: new Set(), problems: [] });
  write("air.json", model);
  write("wrong.json", { ...model, id: "wrong", devices: [{ ...part, class: "X" }] });
  write("half.json", '{"format": 1,');
  write(".hidden.json", "{");
  write("notes.txt", "no model");
  const first = await models.refresh();
  assert.deepEqual(first.changed, new Set(["air"]));
  assert.deepEqual(
    first.problems.map(({ file, field }) => [file, field]),
    [
      ["half.json", ""],
      ["wrong.json", "devices[0].class"],
    ],
  );
  assert.match(first.problems[0]?.message ?? "", /^is no JSON: /);
  assert.deepEqual(await models.refresh(), { changed: new Set(), problems: [] });
  assert.equal(models.problems.length, 2);
  write("air.json", { ...model, name: "Better air sensor" });
  write("b.json", model);
  const second = await models.refresh();
  assert.deepEqual([second.changed, models.get("air")?.name], [new Set(["air"]), "Better air sensor"]);
  assert.deepEqual(second.problems, [{ file: "b.json", field: "id", message: '"air" is that of air.json' }]);
  rmSync(join(folder, "air.json"));
  rmSync(join(folder, "b.json"));
  assert.deepEqual((await models.refresh()).changed, new Set(["air"]));
  assert.equal(models.get("air"), undefined);
});

test("a file of the folder goes before a shipped model, and a copy stands in for both", async () => {
  write("sdm.json", { ...model, id: "eastron-sdm120" });
  const models = new Models(folder);
  models.addCopy({ ...model, id: "gone" });
  models.addCopy({ ...model, id: "eastron-sdm120", name: "Old copy" });
  models.addCopy("no model");
  assert.equal(models.get("eastron-sdm120")?.manufacturer, "Eastron");
  await models.refresh();
  assert.equal(models.get("eastron-sdm120")?.manufacturer, "Acme");
  assert.equal(models.get("gone")?.id, "gone");
  rmSync(join(folder, "sdm.json"));
  assert.deepEqual((await models.refresh()).changed, new Set(["eastron-sdm120"]));
  assert.equal(models.get("eastron-sdm120")?.manufacturer, "Eastron");
});

test("a folder that is absent or too full ends nothing", async () => {
  const absent = new Models(join(folder, "absent"));
  assert.deepEqual(await absent.refresh(), { changed: new Set(), problems: [] });
  write("large.json", " ".repeat(60_001));
  const models = new Models(folder);
  const { problems } = await models.refresh();
  assert.equal(problems.find(({ file }) => file === "large.json")?.message, "has more than 60000 bytes");
});
