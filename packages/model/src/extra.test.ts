import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { given } from "@ledge/testkit";
import { eventDefinitions } from "./aggregates.ts";
import { type ExtraDescription, shownIn } from "./extra.ts";
import { cadenceOf } from "./device-state.ts";
import { limits } from "./limits.ts";

const content = {
  class: "POWER_SOCKET",
  capabilities: ["DEVICE", "ON_OFF"],
  manufacturer: null,
  model: null,
};
const plain = { unit: null, writable: false } as const;
const described: readonly ExtraDescription[] = [
  { ...plain, name: "x_axis", fieldType: "NUMBER", unit: "mg" },
  { ...plain, name: "muted", fieldType: "BOOL" },
  { ...plain, name: "state.text", fieldType: "TEXT" },
  { ...plain, name: "boost", fieldType: "NUMBER", unit: "s", writable: true, minValue: 0, maxValue: 60 },
  { ...plain, name: "blink", fieldType: "OPTION", writable: true, momentary: true, options: ["once", 2] },
];
const added = { type: "DeviceAdded", id: "d1", name: "Plug", ...content, extras: {} };
const plug = { ...added, stateExtras: described };
const about = <T extends string>(type: T, fields: object) => ({ ...fields, type, id: "d1" });
const report = (attributes: object) => about("REPORT_DEVICE", { attributes, at: 5 });
const reported = (attributes: object) => about("DeviceReported", { attributes, at: 5 });
const command = (state: object) => about("CMD_DEVICE", { state });
const extrasOf = (events: Parameters<typeof given>[0]): unknown =>
  given(events).state("device", "d1")?.state["extras"];

suite("extras of a device's state", () => {
  test("costs a device without extras no key", () => {
    const { state } = given([added]).state("device", "d1") ?? assert.fail();
    assert.ok(!("extras" in state));
    given([added])
      .when(report({ "extras.x_axis": 1 }))
      .then([]);
  });

  test("shows each extra with its unit, and null until its value is known", () => {
    assert.partialDeepStrictEqual(extrasOf([plug]), {
      x_axis: { name: "x_axis", fieldType: "NUMBER", unit: "mg", writable: false, value: null },
    });
    given([plug])
      .when(report({ "extras.x_axis": 12.5, "extras.muted": true, "extras.state.text": "fine" }))
      .then([reported({ "extras.x_axis": 12.5, "extras.muted": true, "extras.state.text": "fine" })]);
    assert.partialDeepStrictEqual(
      extrasOf([plug, reported({ "extras.x_axis": 12.5, "extras.muted": true })]),
      {
        x_axis: { value: 12.5, unit: "mg" },
        muted: { value: true },
        "state.text": { value: null },
      },
    );
  });

  test("ignores reports of a wrong kind, of unknown names, of commands, and without news", () => {
    const now = [plug, reported({ "extras.x_axis": 1 })];
    for (const wrong of [
      { "extras.x_axis": "1" },
      { "extras.x_axis": Infinity },
      { "extras.x_axis": 1 },
      { "extras.muted": 1 },
      { "extras.state.text": "x".repeat(limits.stateExtraTextChars + 1) },
      { "extras.constructor": 1 },
      { "extras.__proto__": 1 },
      { "extras.": 1 },
      { "extras.blink": "once" },
      { extras: { x_axis: 2 } },
    ])
      given(now).when(report(wrong)).then([]);
    given(now)
      .when(report({ "extras.state.text": "x".repeat(limits.stateExtraTextChars) }))
      .then([reported({ "extras.state.text": "x".repeat(limits.stateExtraTextChars) })]);
  });

  test("keeps known values when the adapter describes the device again", () => {
    const again = { type: "DeviceDescribed", id: "d1", ...content, extras: {} };
    const fewer = [...described.slice(0, 1), { ...plain, name: "muted", fieldType: "NUMBER" }];
    const before = [plug, reported({ "extras.x_axis": 3, "extras.muted": true })];
    assert.deepEqual(extrasOf([...before, { ...again, stateExtras: fewer }]), {
      x_axis: { ...described[0], value: 3 },
      muted: { ...plain, name: "muted", fieldType: "NUMBER", value: null },
    });
    assert.equal(extrasOf([...before, again]), undefined);
  });

  test("issues commands for writable extras, given as values or as objects with a value", () => {
    const issued = (attributes: object, absolute = true) => ({
      type: "CommandIssued",
      id: "new-1",
      device: "d1",
      attributes,
      absolute,
      group: null,
    });
    const before = given([plug, reported({ "extras.boost": 10 })]);
    before.when(command({ extras: { boost: 60 } })).then([issued({ "extras.boost": 60 })]);
    before.when(command({ extras: { boost: { value: 0 } } })).then([issued({ "extras.boost": 0 })]);
    before.when(command({ "extras.boost": 5 })).then([issued({ "extras.boost": 5 })]);
    before.when(command({ extras: { blink: 2 } })).then([issued({ "extras.blink": 2 }, false)]);
  });

  test("takes a whole state back without repeating what it shows", () => {
    const before = given([plug, reported({ "extras.boost": 10, "extras.x_axis": 1 })]);
    const { state } = before.state("device", "d1") ?? assert.fail();
    before.when(command({ ...state, isOn: true })).then([
      {
        type: "CommandIssued",
        id: "new-1",
        device: "d1",
        attributes: { isOn: true },
        absolute: true,
        group: null,
      },
    ]);
  });

  test("refuses values out of range and commands for nothing that can be set", () => {
    const before = given([plug]);
    for (const boost of [61, -1, "5", true])
      before.when(command({ extras: { boost } })).then({ rejected: "invalid", field: "state.extras.boost" });
    for (const blink of ["twice", true, 1])
      before.when(command({ extras: { blink } })).then({ rejected: "invalid", field: "state.extras.blink" });
    for (const extras of [{ x_axis: 1 }, { unknown: 1 }, { ["__proto__"]: 1 }, {}, [], "x"])
      before.when(command({ extras })).then({ rejected: "invalid", field: "state" });
  });

  test("refuses descriptions that are malformed, doubled or too large", () => {
    const describe = (stateExtras: unknown) =>
      about("DESCRIBE_DEVICE", { ...content, extras: {}, stateExtras });
    const extra = (name: string): object => ({ ...plain, name, fieldType: "BOOL" });
    const many = Array.from({ length: limits.stateExtras + 1 }, (_, index) => extra(`e${index}`));
    const options = Array.from({ length: limits.stateExtraOptions }, (_, index) => `${index}`);
    const large = Array.from({ length: 100 }, (_, index) => ({
      ...extra(`o${index}`),
      fieldType: "OPTION",
      options,
    }));
    for (const wrong of [
      [extra("a"), extra("a")],
      [extra("")],
      [extra("ä")],
      [extra("n".repeat(limits.stateExtraNameChars + 1))],
      [{ ...extra("a"), fieldType: "JSON" }],
      [{ ...extra("a"), unit: 1 }],
      [{ ...extra("a"), options: [...options, "more"] }],
      many,
      large,
      [null],
    ])
      given([added]).when(describe(wrong)).then({ rejected: "invalid", field: "stateExtras" });
    const most = many.slice(1);
    given([added])
      .when(describe(most))
      .then([{ type: "DeviceDescribed", id: "d1", ...content, extras: {}, stateExtras: most }]);
  });

  test("handles truths as pulses, and numbers and texts as levels", () => {
    assert.equal(cadenceOf("extras.muted", true), "pulse");
    assert.equal(cadenceOf("extras.x_axis", 1), "level");
    assert.equal(cadenceOf("extras.state.text", "x"), "level");
  });

  test("is telemetry that supersedes itself by extra", () => {
    const telemetry = eventDefinitions.get("DeviceReported")?.telemetry;
    const written = telemetry?.(reported({ "extras.x_axis": 1 }), undefined);
    assert.deepEqual([...(written ?? [])], ["extras.x_axis", "lastSeen"]);
  });
});

test("an ordinary attribute is shown without a look at the extras", () => {
  const asked: string[] = [];
  const lamp: Record<string, unknown> = { isOn: true };
  const state = new Proxy(lamp, {
    get: (shown, name) => {
      asked.push(String(name));
      return shown[String(name)];
    },
  });
  assert.equal(shownIn(state, "isOn"), true);
  assert.deepEqual(asked, ["isOn"]);
});
