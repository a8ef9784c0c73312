import assert from "node:assert/strict";
import test from "node:test";
import { createDispatch } from "./dispatch.ts";
import type { Match } from "./echo.ts";

type Attributes = Record<string, unknown>;

/** How a report `at` ms after the command is classified. */
const echoes: readonly [
  name: string,
  command: Attributes,
  before: Attributes,
  at: number,
  report: Attributes,
  as: Match["as"] | undefined,
][] = [
  ["the same switch state", { isOn: true }, { isOn: false }, 50, { isOn: true }, "confirmed"],
  ["the previous switch state, soon", { isOn: true }, { isOn: false }, 999, { isOn: false }, "stale"],
  ["the previous switch state, later", { isOn: true }, { isOn: false }, 1000, { isOn: false }, undefined],
  ["another attribute", { isOn: true }, {}, 50, { power: 3 }, undefined],
  ["a rounded brightness", { brightness: 0.5 }, { brightness: 0.1 }, 50, { brightness: 0.502 }, "confirmed"],
  [
    "a brightness between old and new",
    { brightness: 0.5 },
    { brightness: 0.1 },
    500,
    { brightness: 0.3 },
    "passing",
  ],
  [
    "a brightness beyond the target",
    { brightness: 0.5 },
    { brightness: 0.1 },
    500,
    { brightness: 0.8 },
    undefined,
  ],
  [
    "a brightness between old and new, too late",
    { brightness: 0.5 },
    { brightness: 0.1 },
    1000,
    { brightness: 0.3 },
    undefined,
  ],
  [
    "a value within the transition",
    { brightness: 0.5, transitionMsec: 4000 },
    { brightness: 0.1 },
    4900,
    { brightness: 0.3 },
    "passing",
  ],
  [
    "the previous value in a transition, soon",
    { brightness: 0.5, transitionMsec: 4000 },
    { brightness: 0.1 },
    900,
    { brightness: 0.1 },
    "stale",
  ],
  [
    "the previous value in a transition, later",
    { brightness: 0.5, transitionMsec: 4000 },
    { brightness: 0.1 },
    1900,
    { brightness: 0.1 },
    "passing",
  ],
  [
    "any value when the previous one is unknown",
    { brightness: 0.5 },
    {},
    500,
    { brightness: 0.3 },
    "passing",
  ],
  ["a hue past zero", { hue: 6.27 }, {}, 1500, { hue: 0.01 }, "confirmed"],
  ["a colour temperature in mired", { temperature: 2700 }, {}, 1500, { temperature: 2702.7 }, "confirmed"],
  ["a wrong colour temperature", { temperature: 2700 }, {}, 1500, { temperature: 2800 }, undefined],
  [
    "a setpoint rounded to half a degree",
    { targetTemperature: 21.3 },
    {},
    1500,
    { targetTemperature: 21.5 },
    "confirmed",
  ],
  [
    "another setpoint",
    { targetTemperature: 21 },
    { targetTemperature: 19 },
    500,
    { targetTemperature: 20 },
    undefined,
  ],
  ["a mode", { mode: 2 }, { mode: 0 }, 500, { mode: 1 }, undefined],
  ["a moving blind", { position: 1 }, { position: 0 }, 30_000, { position: 0.4 }, "passing"],
  ["a blind that reports percent", { position: 0.4 }, { position: 0 }, 30_000, { liftPct: 40 }, "confirmed"],
  ["a blind commanded in percent", { liftPct: 40 }, { liftPct: 0 }, 30_000, { position: 0.4 }, "confirmed"],
  [
    "an object with more fields",
    { rcData: { volume: 30 } },
    {},
    50,
    { rcData: { volume: 30, mute: false } },
    "confirmed",
  ],
  ["another object", { rcData: { volume: 30 } }, {}, 50, { rcData: { volume: 31 } }, undefined],
  ["a report long after", { isOn: true }, {}, 10_001, { isOn: true }, undefined],
];
for (const [name, attributes, before, at, report, as] of echoes) {
  test(`${name}: ${as ?? "no echo"}`, () => {
    const dispatch = createDispatch({ inFlight: () => 1 });
    dispatch.submit(
      { id: "c", native: "a", radio: "air", command: { type: "set", attributes }, absolute: true, before },
      0,
    );
    dispatch.outcome(1, undefined, 20);
    const { matches } = dispatch.report("a", report, at);
    assert.deepEqual(
      matches.map((match) => [match.id, match.as]),
      as ? [["c", as]] : [],
    );
  });
}

test("explains each attribute of a merged frame by its own command", () => {
  const dispatch = createDispatch({ inFlight: () => 1 });
  const submit = (id: string, attributes: Attributes): void => {
    dispatch.submit(
      { id, native: "a", radio: "air", command: { type: "set", attributes }, absolute: true },
      0,
    );
  };
  submit("c0", { isOn: false });
  submit("c1", { brightness: 0.5, isOn: true });
  submit("c2", { brightness: 0.7 });
  dispatch.outcome(1, undefined, 10);
  const { matches } = dispatch.report("a", { isOn: true, brightness: 0.7 }, 20);
  assert.deepEqual(
    matches.map(({ attribute, id }) => `${attribute} ${id}`),
    ["isOn c1", "brightness c2"],
  );
});

test("a waiting command explains no report", () => {
  const dispatch = createDispatch({ inFlight: () => 0 });
  dispatch.submit(
    {
      id: "c",
      native: "a",
      radio: "air",
      command: { type: "set", attributes: { isOn: true } },
      absolute: true,
    },
    0,
  );
  assert.deepEqual(dispatch.report("a", { isOn: true }, 1).matches, []);
});

test("forgetting a device drops the expectations of its commands", () => {
  const dispatch = createDispatch({ inFlight: () => 1 });
  dispatch.submit(
    {
      id: "c",
      native: "a",
      radio: "air",
      command: { type: "set", attributes: { isOn: true } },
      absolute: true,
    },
    0,
  );
  dispatch.forget("a", 1);
  assert.deepEqual(dispatch.report("a", { isOn: true }, 2).matches, []);
});

/** How successive reports after a command are classified: `[at, report, as]`. */
const sequences: readonly [
  name: string,
  command: Attributes,
  before: Attributes,
  reports: readonly (readonly [at: number, report: Attributes, as: Match["as"] | undefined])[],
][] = [
  [
    "does not call a real switch-off after the echo stale",
    { isOn: true },
    { isOn: false },
    [
      [50, { isOn: true }, "confirmed"],
      [300, { isOn: false }, undefined],
      [400, { isOn: true }, "confirmed"],
    ],
  ],
  [
    "calls the previous value before the echo stale",
    { isOn: true },
    { isOn: false },
    [
      [50, { isOn: false }, "stale"],
      [100, { isOn: true }, "confirmed"],
    ],
  ],
  [
    "a lamp that confirms its target early may still fade, but not return",
    { brightness: 0.5, transitionMsec: 4000 },
    { brightness: 0.1 },
    [
      [50, { brightness: 0.5 }, "confirmed"],
      [500, { brightness: 0.3 }, "passing"],
      [600, { brightness: 0.1 }, undefined],
    ],
  ],
  [
    "recognises a blind's arrival by its other attribute",
    { position: 1 },
    { position: 0 },
    [
      [50, { liftPct: 100 }, "confirmed"],
      [300, { position: 0 }, undefined],
    ],
  ],
];
for (const [name, attributes, before, reports] of sequences) {
  test(name, () => {
    const dispatch = createDispatch({ inFlight: () => 1 });
    dispatch.submit(
      { id: "c", native: "a", radio: "air", command: { type: "set", attributes }, absolute: true, before },
      0,
    );
    dispatch.outcome(1, undefined, 20);
    for (const [at, report, as] of reports) {
      const { matches } = dispatch.report("a", report, at);
      assert.deepEqual(
        matches.map((match) => match.as),
        as ? [as] : [],
        `at ${at}`,
      );
    }
  });
}

test("a value confirmed once is not stale again after a retry", () => {
  const dispatch = createDispatch({ inFlight: () => 1 });
  const attributes = { isOn: true, brightness: 0.5 };
  const before = { isOn: false, brightness: 0.1 };
  dispatch.submit(
    { id: "c", native: "a", radio: "air", command: { type: "set", attributes }, absolute: true, before },
    0,
  );
  dispatch.outcome(1, { code: "timeout", message: "timeout" }, 20);
  dispatch.report("a", { isOn: true }, 30);
  assert.deepEqual(
    dispatch.tick(1020).map(({ type }) => type),
    ["send"],
  );
  const { matches } = dispatch.report("a", { isOn: false, brightness: 0.1 }, 1100);
  assert.deepEqual(
    matches.map(({ attribute, as }) => `${attribute} ${as}`),
    ["brightness stale"],
  );
});
