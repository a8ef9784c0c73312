import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { contentOf, given, setting } from "@ledge/testkit";
import { configurationObject, toldParameters } from "./configuration.ts";
import { limits } from "./limits.ts";

const offset = setting("offset", "NUMBER", {
  label: { en: "Offset", fi: "Poikkeama" },
  defaultValue: 0,
  minValue: -5,
  maxValue: 5,
});
const lock = setting("lock", "BOOL", { label: { en: "Child lock" } });
const title = setting("title", "TEXT", { label: { en: "Title" } });
const curve = setting("curve", "OPTION", {
  label: { en: "Curve" },
  help: { en: "How it heats", de: "Wie es heizt" },
  defaultValue: 1,
  options: [
    { value: 1, label: { en: "Soft", fi: "Sama" } },
    { value: 2, label: { en: "Steep", fi: "Sama" } },
  ],
});
const serial = setting("serial", "TEXT", { label: { en: "Serial" }, readOnly: true });
const items = [offset, lock, title, curve, serial];

const added = {
  type: "DeviceAdded",
  id: "d1",
  name: "Thermostat",
  ...contentOf("THERMOSTAT", ["DEVICE", "CONFIGURABLE"]),
};
const described = { type: "ConfigurationDescribed", id: "d1", items, values: { serial: "A1", curve: 2 } };
const set = (parameters: object) => ({ type: "CONFIGURATION", id: "d1", parameters });
const requested = (parameters: object, request = "new-1") => ({
  type: "ConfigurationRequested",
  id: "d1",
  request,
  parameters,
});
const applied = { type: "ConfigurationApplied", id: "d1", request: "new-1" };
const failed = {
  type: "ConfigurationFailed",
  id: "d1",
  request: "new-1",
  code: "unreachable",
  message: "away",
};
const before = given([added, described]);

describe("CONFIGURATION", () => {
  for (const [title_, parameters, wanted] of [
    ["requests what changes", { offset: 1.5, lock: true }, { offset: 1.5, lock: true }],
    ["leaves null and present values alone", { offset: null, curve: 2, title: "Hall" }, { title: "Hall" }],
    ["ignores unknown names", { title: "Hall", colour: "red", constructor: 1 }, { title: "Hall" }],
    ["accepts an unchanged read-only value", { serial: "A1", lock: false }, { lock: false }],
    ["accepts the limits of a number", { offset: -5 }, { offset: -5 }],
  ] as const) {
    test(title_, () => {
      before.when(set(parameters)).then([requested(wanted)]);
    });
  }

  test("requests nothing when nothing changes", () => {
    before.when(set({ curve: 2, serial: "A1" })).then([]);
    before.when(set({})).then([]);
    given([added, described, requested({ lock: true })])
      .when(set({ lock: true }))
      .then([]);
  });

  for (const [name, value] of [
    ["offset", 5.01],
    ["offset", -5.01],
    ["offset", "1"],
    ["offset", Number.NaN],
    ["lock", 1],
    ["title", 3],
    ["title", "x".repeat(limits.configurationTextChars + 1)],
    ["curve", 3],
    ["curve", "Soft"],
    ["serial", "B2"],
  ] as const) {
    test(`refuses ${JSON.stringify(value).slice(0, 20)} for ${name}, and changes nothing`, () => {
      const refusal = { rejected: "invalid", field: `parameters.${name}` } as const;
      before
        .when(
          set({
            title: "Hall",
            [name]: value,
          }),
        )
        .then(refusal);
    });
  }

  test("accepts a text of the greatest length", () => {
    const longest = "x".repeat(limits.configurationTextChars);
    before.when(set({ title: longest })).then([requested({ title: longest })]);
  });

  test("refuses a device without settings, a locked one, and an unknown one", () => {
    given([added]).when(set({})).then({ rejected: "not-found", field: "id" });
    given([described])
      .when(set({ lock: true }))
      .then({ rejected: "not-found", field: "id" });
    const locked = { type: "DeviceLockSet", id: "d1", locked: true };
    for (const command of [set({ lock: true }), { type: "RESET_CONFIGURATION", id: "d1" }]) {
      given([added, described, locked]).when(command).then({ rejected: "forbidden", field: "id" });
    }
  });

  test("refuses further requests when a device does not answer for long", () => {
    const waiting = Array.from({ length: limits.configurationsPending }, (_, index) =>
      requested({ offset: index / 10 }, `r${index}`),
    );
    given([added, described, ...waiting.slice(1)])
      .when(set({ lock: true }))
      .then([requested({ lock: true })]);
    given([added, described, ...waiting])
      .when(set({ lock: true }))
      .then({ rejected: "wrong-state", field: "id" });
  });
});

describe("a request", () => {
  const shown = (events: readonly { type: string; id: string }[]): object => {
    const state = given([added, described, ...events]).state("configuration", "d1");
    assert.ok(state);
    const { status, parameters, requested: asked, message } = configurationObject(state, "en", false);
    return { status, parameters, asked, message };
  };
  const values = { curve: 2, serial: "A1" };

  test("takes effect when the device confirms it", () => {
    const asked = requested({ offset: 2 });
    assert.deepEqual(shown([asked]), {
      status: "PENDING",
      parameters: values,
      asked: { offset: 2 },
      message: null,
    });
    assert.deepEqual(shown([asked, applied]), {
      status: "APPLIED",
      parameters: { ...values, offset: 2 },
      asked: null,
      message: null,
    });
    assert.deepEqual(shown([asked, failed]), {
      status: "FAILED",
      parameters: values,
      asked: { offset: 2 },
      message: "away",
    });
  });

  test("ends separately from others, and a new one clears a failure", () => {
    const [one, two] = [requested({ offset: 2 }), requested({ lock: true }, "new-2")];
    assert.deepEqual(shown([one, two, applied]), {
      status: "PENDING",
      parameters: { ...values, offset: 2 },
      asked: { lock: true },
      message: null,
    });
    assert.deepEqual(shown([one, failed, two]), {
      status: "PENDING",
      parameters: values,
      asked: { lock: true },
      message: null,
    });
  });

  test("ignores outcomes that no request waits for", () => {
    const note = { type: "NOTE_CONFIGURED", id: "d1", request: "new-1" };
    given([added, described, requested({ lock: true })])
      .when(note)
      .then([applied]);
    before.when(note).then([]);
    const failure = { ...note, type: "NOTE_CONFIGURATION_FAILED", code: "unreachable", message: "away" };
    given([added, described, requested({ lock: true })])
      .when(failure)
      .then([failed]);
    before.when(failure).then([]);
  });
});

describe("RESET_CONFIGURATION", () => {
  const reset = { type: "RESET_CONFIGURATION", id: "d1" };
  test("requests the defaults that differ, and leaves settings without one alone", () => {
    before.when(reset).then([requested({ offset: 0, curve: 1 })]);
    given([added, described, requested({ curve: 1 })])
      .when(reset)
      .then([requested({ offset: 0 })]);
  });
  test("also resets values that the device has not taken yet", () => {
    const all = [requested({ offset: 0, curve: 1 }), applied, requested({ curve: 2 }, "new-2")];
    given([added, described, ...all])
      .when(reset)
      .then([requested({ curve: 1 })]);
  });
});

describe("DESCRIBE_CONFIGURATION", () => {
  const describe_ = (all: unknown, values: object = {}) => ({
    type: "DESCRIBE_CONFIGURATION",
    id: "d1",
    items: all,
    values,
  });

  test("changes nothing when repeated, and keeps values that the adapter does not name", () => {
    before.when(describe_(items, { serial: "A1" })).then([]);
    before
      .when(describe_(items, { curve: 1 }))
      .then([{ type: "ConfigurationDescribed", id: "d1", items, values: { curve: 1 } }]);
    given([added])
      .when(describe_(items))
      .then([{ type: "ConfigurationDescribed", id: "d1", items, values: {} }]);
  });

  test("leaves out invalid values and values without a setting", () => {
    const after = before
      .when(describe_([offset, curve], { offset: 9, curve: 1, other: 1 }))
      .then([{ type: "ConfigurationDescribed", id: "d1", items: [offset, curve], values: { curve: 1 } }]);
    assert.deepEqual(after.state("configuration", "d1")?.values, { curve: 1 });
  });

  test("removes the configuration with null", () => {
    before.when(describe_(null)).then([{ type: "ConfigurationRemoved", id: "d1" }]);
    given([added]).when(describe_(null)).then([]);
  });

  for (const [problem, wrong] of [
    ["two settings with one name", [offset, { ...lock, name: "offset" }]],
    ["an option without options", [{ ...curve, options: [] }]],
    ["a text with options", [{ ...title, options: curve.options }]],
    [
      "two options with one label",
      [{ ...curve, options: [curve.options[0], { value: 3, label: { en: "Soft" } }] }],
    ],
    ["an invalid default", [{ ...offset, defaultValue: 6 }]],
    ["a minimum above the maximum", [{ ...offset, minValue: 6 }]],
    ["an invalid name", [{ ...offset, name: "__proto__" }]],
    ["an unknown type", [{ ...offset, fieldType: "COLOUR" }]],
    ["no text in English", [{ ...offset, label: { fi: "Poikkeama" } }]],
    ["a text instead of a list", "items"],
    [
      "too many settings",
      Array.from({ length: limits.configurationItems + 1 }, (_, index) => ({ ...title, name: `t${index}` })),
    ],
  ] as const) {
    test(`refuses ${problem}`, () => {
      before.when(describe_(wrong)).then({ rejected: "invalid", field: "items" });
    });
  }

  test("accepts the greatest number of settings", () => {
    const many = Array.from({ length: limits.configurationItems }, (_, index) => ({
      ...title,
      name: `t${index}`,
    }));
    before
      .when(describe_(many))
      .then([{ type: "ConfigurationDescribed", id: "d1", items: many, values: {} }]);
  });
});

describe("the template", () => {
  const state = before.state("configuration", "d1");
  test("is in the adapter's order and the client's language, and only sent on request", () => {
    assert.ok(state);
    const { template } = configurationObject(state, "fi", true);
    assert.equal(template?.type, "CFG_TEMPLATE");
    assert.deepEqual(
      template.parameters.map(({ name, description }) => [name, description]),
      [
        ["offset", "Poikkeama"],
        ["lock", "Child lock"],
        ["title", "Title"],
        ["curve", "Curve"],
        ["serial", "Serial"],
      ],
    );
    assert.equal("template" in configurationObject(state, "fi", false), false);
  });

  test("lists options by label, in English where a translation repeats a label", () => {
    assert.ok(state);
    const option = (language: "en" | "fi" | "de"): unknown =>
      configurationObject(state, language, true).template?.parameters[3];
    assert.deepEqual(option("de"), {
      type: "CFG_ITEM",
      name: "curve",
      fieldType: "OPTION",
      description: "Curve",
      help: "Wie es heizt",
      defaultValue: 1,
      options: { Soft: 1, Steep: 2 },
      minValue: null,
      maxValue: null,
      readOnly: false,
    });
    assert.deepEqual((option("fi") as { options: object }).options, { Soft: 1, Steep: 2 });
  });
});

describe("a secret setting", () => {
  const pin = setting("pinCode.1", "TEXT", { label: { en: "Code 1" }, secret: true });
  const keypad = { ...described, items: [pin, lock], values: { "pinCode.1": "" } };
  const hidden = (shown: string, told: string) => ({
    ...requested({ "pinCode.1": shown }),
    secrets: { "pinCode.1": told },
  });
  const codes = given([added, keypad]);

  test("is requested apart from what is shown, and only its device is told", () => {
    const after = codes.when(set({ "pinCode.1": "4711" })).then([hidden("set", "4711")]);
    const state = after.state("configuration", "d1") ?? assert.fail();
    assert.deepEqual(toldParameters(state, "new-1"), { "pinCode.1": "4711" });
    assert.ok(!JSON.stringify(configurationObject(state, "en", true)).includes("4711"));
    assert.deepEqual(configurationObject(state, "en", false).requested, { "pinCode.1": "set" });
  });

  test("is forgotten when the device has taken or refused it", () => {
    for (const outcome of [applied, failed]) {
      const state = given([added, keypad, hidden("set", "4711"), outcome]).state("configuration", "d1");
      assert.ok(!JSON.stringify(state).includes("4711"));
      assert.ok(state !== undefined && !("secrets" in state));
    }
    const shown = given([added, keypad, hidden("set", "4711"), applied]).state("configuration", "d1")?.values;
    assert.deepEqual(shown, { "pinCode.1": "set" });
  });

  test("can be set again, cleared once, and sent back as it was read", () => {
    const taken = given([added, keypad, hidden("set", "4711"), applied]);
    taken.when(set({ "pinCode.1": "4711" })).then([hidden("set", "4711")]);
    taken.when(set({ "pinCode.1": "set" })).then([]);
    taken.when(set({ "pinCode.1": "" })).then([hidden("", "")]);
    codes.when(set({ "pinCode.1": "" })).then([]);
    codes.when(set({ "pinCode.1": 4711 })).then({ rejected: "invalid", field: "parameters.pinCode.1" });
  });

  test("is not shown even if its adapter says it", () => {
    const said = { ...keypad, values: { "pinCode.1": "4711" } };
    const { values } = given([added, said]).state("configuration", "d1") ?? assert.fail();
    assert.deepEqual(values, { "pinCode.1": "set" });
  });

  test("is left out for the device when it could not be read from disk", () => {
    const sealed = { ...hidden("set", ""), secrets: { sealed: "c2VjcmV0", by: "0123456789abcdef" } };
    const state = given([added, keypad, sealed]).state("configuration", "d1") ?? assert.fail();
    assert.deepEqual(toldParameters(state, "new-1"), {});
  });

  test("is a text", () => {
    const number = setting("pin", "NUMBER", { label: { en: "Pin" }, secret: true });
    codes
      .when({ type: "DESCRIBE_CONFIGURATION", id: "d1", items: [number], values: {} })
      .then({ rejected: "invalid", field: "items" });
  });
});
