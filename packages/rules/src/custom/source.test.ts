import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isRejection, limits } from "@ledge/model";
import { lineIn } from "./json-source.ts";
import { parseCustomRule } from "./source.ts";
import { changed, stairsSource } from "./test-sources.ts";
import { checkCustomRule, tryCustomRule } from "./trial.ts";

function refusal(source: string): string {
  const found = checkCustomRule(source);
  assert.ok(isRejection(found), source.slice(0, 2000));
  return `${found.field ?? ""}: ${found.message}`;
}

test("tryCustomRule reads a whole rule, passes its tests, and lineIn finds lines", () => {
  const found = tryCustomRule(stairsSource);
  assert.ok(!isRejection(found), JSON.stringify(found));
  assert.deepEqual(found.results, [{ name: "on, dim, off", problem: undefined }]);
  const { template } = found;
  assert.deepEqual(template.hears, ["outputs"]);
  assert.equal(template.class, "RULE");
  assert.equal(template.feature, "CUSTOM_RULES");
  assert.deepEqual(Object.keys(template.chart.delays ?? {}), ["cfg_timeout", "ms10000"]);
  assert.equal(lineIn(stairsSource, "configType"), 3);
  assert.equal(lineIn(stairsSource, "template.name"), 8);
  assert.equal(lineIn(stairsSource, "template.name.of.nothing"), 8);
});

const guard = { type: "expr", params: { expr: true } };
const deep = (levels: number): unknown =>
  levels === 1 ? {} : { initial: "a", states: { a: deep(levels - 1) } };
const expr = (levels: number): unknown => (levels === 1 ? true : { "!": expr(levels - 1) });

/** Sources that try to get more out of a rule than it may, or contain mistakes. */
const attacks: readonly (readonly [what: string, source: string, message: RegExp])[] = [
  [
    "invoke",
    changed("machine/states/dark/invoke", { src: "fetch" }),
    /^machine.states.dark.invoke: invoke starts other code/,
  ],
  [
    "invoke of the machine",
    changed("machine/invoke", { src: "fetch" }),
    /^machine.invoke: invoke starts other code/,
  ],
  ["activities", changed("machine/states/dark/activities", ["beep"]), /a rule has no activities/],
  ["actors", changed("machine/actors", {}), /a rule has no actors/],
  ["onDone", changed("machine/states/lit/onDone", "dark"), /there is no onDone/],
  ["a final state", changed("machine/states/dark/type", "final"), /a rule has no end/],
  ["history", changed("machine/states/dark/type", "history"), /there is no history/],
  ["deep history", changed("machine/states/dark/history", "deep"), /there is no history/],
  [
    "xstate.raise",
    changed("machine/states/dark/entry", { type: "xstate.raise", params: {} }),
    /an action is cmd, set, notify or log, not "xstate.raise"/,
  ],
  [
    "xstate.spawnChild",
    changed("machine/states/dark/entry", { type: "xstate.spawnChild" }),
    /not "xstate.spawnChild"/,
  ],
  [
    "an action by name only",
    changed("machine/states/dark/entry", "sendEmail"),
    /an action is {"type", "params"}, not the text sendEmail/,
  ],
  [
    "an action with more fields",
    changed("machine/states/dark/entry", { type: "log", params: { text: "a" }, exec: "1" }),
    /exec is not allowed here/,
  ],
  [
    "a guard by name only",
    changed("machine/states/dark/on", { "in.motion": { guard: "isDark" } }),
    /a guard is .*, not a text/,
  ],
  [
    "a guard of another kind",
    changed("machine/states/dark/on", { "in.motion": { guard: { type: "xstate.and" } } }),
    /a guard is an expr, not "xstate.and"/,
  ],
  [
    "code in a guard",
    changed("machine/states/dark/on", {
      "in.motion": { guard: { type: "expr", params: { expr: { var: "constructor.constructor" } } } },
    }),
    /no path leads through constructor/,
  ],
  [
    "a value that the context does not have",
    changed("machine/states/dark/on", {
      "in.motion": { guard: { type: "expr", params: { expr: { var: "ctx.other" } } } },
    }),
    /the machine's context has no other/,
  ],
  [
    "process",
    changed("machine/states/dark/on", {
      "in.motion": { guard: { type: "expr", params: { expr: { var: "process.env" } } } },
    }),
    /a path begins with in, out, cfg/,
  ],
  [
    "an unknown operator",
    changed("machine/states/dark/on", {
      "in.motion": { guard: { type: "expr", params: { expr: { method: ["a", "b"] } } } },
    }),
    /there is no operator method/,
  ],
  [
    "a delay in words",
    changed("machine/states/dark/after", { PT5M: "lit" }),
    /^machine.states.dark.after.PT5M: after takes <ms> or cfg.<extra>/,
  ],
  ["a delay of 0", changed("machine/states/dark/after", { "0": "lit" }), /after takes <ms>/],
  ["a delay that is too short", changed("machine/states/dark/after", { "99": "lit" }), /at least 100 ms/],
  [
    "a delay that is too long",
    changed("machine/states/dark/after", { "31622400001": "lit" }),
    /at most 31622400000 ms/,
  ],
  [
    "a delay by an unknown extra",
    changed("machine/states/dark/after", { "cfg.other": "lit" }),
    /there is no TIME_DELTA_MS other/,
  ],
  [
    "a delay by an extra of another type",
    changed("machine/states/dark/after", { "cfg.maxLux": "lit" }),
    /there is no TIME_DELTA_MS maxLux/,
  ],
  [
    "a delay by an extra that may be empty",
    changed("template/extras/timeout/defaultValue", null),
    /timeout may be left out/,
  ],
  [
    "an unknown target",
    changed("machine/states/dark/on", { "in.motion": "elsewhere" }),
    /there is no state elsewhere/,
  ],
  [
    "a target by an unknown id",
    changed("machine/states/dark/on", { "in.motion": "#other.dark" }),
    /there is no state #other.dark/,
  ],
  [
    "a target in the engine",
    changed("machine/states/dark/on", { "in.motion": "#rule.off" }),
    /there is no state #rule.off/,
  ],
  [
    "two targets",
    changed("machine/states/dark/on", { "in.motion": { target: ["dark", "lit"] } }),
    /one target/,
  ],
  [
    "an inherited target",
    changed("machine/states/dark/on", { "in.motion": "constructor" }),
    /there is no state constructor/,
  ],
  [
    "an endless loop",
    changed("machine/states/dark/always", "lit").replace(
      '"initial": "bright",',
      '"initial": "bright", "always": "dark",',
    ),
    /forever without an event/,
  ],
  [
    "an endless loop in a state that is not the first",
    changed("machine/states/lit/states/dim", {
      initial: "a",
      states: { a: { always: "b" }, b: { always: "a" } },
    }),
    /^machine.states.lit.states.dim.*: it goes from state to state forever without an event/,
  ],
  [
    "a device that is not the rule's",
    changed("machine/states/lit/exit", { type: "cmd", params: { output: "lock", op: "off" } }),
    /there is no output "lock": a rule commands its own only/,
  ],
  [
    "an input as an output",
    changed("machine/states/lit/exit", { type: "cmd", params: { output: "motion", op: "off" } }),
    /there is no output "motion"/,
  ],
  [
    "an inherited output",
    changed("machine/states/lit/exit", { type: "cmd", params: { output: "toString", op: "off" } }),
    /there is no output "toString"/,
  ],
  [
    "toggle",
    changed("machine/states/lit/exit", { type: "cmd", params: { output: "lights", op: "toggle" } }),
    /there is no toggle/,
  ],
  [
    "a read-only attribute",
    changed("machine/states/lit/exit", {
      type: "cmd",
      params: { output: "lights", op: "motion", value: true },
    }),
    /op is on, off, level or an attribute/,
  ],
  [
    "an unknown attribute",
    changed("machine/states/lit/exit", {
      type: "cmd",
      params: { output: "lights", op: "__defineGetter__", value: true },
    }),
    /op is on, off, level or an attribute/,
  ],
  [
    "a wrong value",
    changed("machine/states/lit/exit", {
      type: "cmd",
      params: { output: "lights", op: "brightness", value: 7 },
    }),
    /brightness cannot be 7/,
  ],
  [
    "no value",
    changed("machine/states/lit/exit", { type: "cmd", params: { output: "lights", op: "brightness" } }),
    /a value is wanted/,
  ],
  [
    "a set of an unknown name",
    changed("machine/states/lit/exit", { type: "set", params: { name: "other", value: 1 } }),
    /the machine's context has no "other"/,
  ],
  ["an unknown event", changed("machine/states/dark/on", { "*": "lit" }), /a rule hears in.<input>/],
  [
    "an event of the engine",
    changed("machine/states/dark/on", { "rule.off": "lit" }),
    /a rule hears in.<input>/,
  ],
  [
    "a timer's event",
    changed("machine/states/dark/on", { "xstate.after.ms10000.rule.on.lit.dim": "lit" }),
    /a rule hears/,
  ],
  ["an unknown field", changed("machine/states/dark/onError", "lit"), /onError is not allowed here/],
  ["another type", changed("type", "FACTORY_RULE"), /^type: must be CUSTOM_RULE/],
  ["a factory's name", changed("configType", "MOTION_LIGHT"), /^configType: must be CUSTOM_/],
  ["two names", changed("configType", "CUSTOM_OTHER"), /^template.configType: must be CUSTOM_OTHER/],
  ["a category", changed("template/category", "FACTORY_RULE"), /must be CUSTOM_RULE/],
  ["a class", changed("template/class", "SAFETY"), /class is not allowed here/],
  [
    "an unknown capability",
    changed("template/inputs/motion/capabilities", ["MOTION", "ROOT"]),
    /there is no capability "ROOT"/,
  ],
  [
    "an input whose capability has no reading",
    changed("template/inputs/motion/capabilities", ["IDENTIFY"]),
    /IDENTIFY has no reading/,
  ],
  ["an inherited field", changed("template/inputs/valueOf", { capabilities: ["MOTION"] }), /valueOf/],
  [
    "a field twice",
    changed("template/extras/lights", { fieldType: "NUMBER" }),
    /another field is already called lights/,
  ],
  [
    "an unknown value type",
    changed("template/extras/timeout/fieldType", "CODE"),
    /fieldType: must be one of/,
  ],
  [
    "a default beyond its limits",
    changed("template/extras/timeout/defaultValue", 1),
    /value is at least 1000/,
  ],
  [
    "an extra for an unknown field",
    changed("template/extras/maxLux/extraFor", "other"),
    /there is no input or output other/,
  ],
  ["a state with a dot", changed("machine/states/a.b", {}), /the name of a state has only/],
  [
    "a state without an initial state",
    changed("machine/states/lit/initial", undefined),
    /the name of the first state is wanted/,
  ],
  ["an unknown initial state", changed("machine/states/lit/initial", "gone"), /there is no state gone/],
  ["no states", changed("machine/states", {}), /a machine has at least one state/],
  ["a nested context value", changed("machine/context/count", { a: 1 }), /a number, text, boolean or null/],
  [
    "a hole for an unknown value",
    changed("machine/states/lit/exit", { type: "log", params: { text: "{ctx.other}" } }),
    /the machine's context has no other/,
  ],
  [
    "a hole for a constructor",
    changed("machine/states/lit/exit", { type: "log", params: { text: "{ctx.constructor}" } }),
    /no path leads through constructor/,
  ],
  [
    "a test that fails",
    changed("tests/0/steps/1/pass", 60_000),
    /^tests.0.steps.1.commands: it is {"lamp":{"brightness":0.1}}, not {}/,
  ],
  [
    "a test of an unknown device",
    changed("tests/0/steps/0/report", { cellar: {} }),
    /the test has no device cellar/,
  ],
  ["a list", "[]", /an object is wanted/],
  ["invalid JSON", "{", /^: not valid JSON/],
  ["a byte order mark before the JSON", `\ufeff${stairsSource}`, /not valid JSON/],
  ["JavaScript", "export default createMachine({})", /not valid JSON/],
];

describe("checkCustomRule refuses", () => {
  for (const [what, source, message] of attacks) test(what, () => assert.match(refusal(source), message));
});

test("refuses keys that reach a prototype, wherever they are", () => {
  for (const key of ["__proto__", "constructor", "prototype", "toString"]) {
    const meta = `"meta": {"a": [{"${key}": {"polluted": true}}]}, "id": "stairs"`;
    assert.match(refusal(stairsSource.replace('"id": "stairs"', meta)), new RegExp(`a key cannot be ${key}`));
  }
  const escaped = stairsSource.replace('"id": "stairs"', String.raw`"\u005f_proto__": {}, "id": "stairs"`);
  assert.match(refusal(escaped), /a key cannot be __proto__/);
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
});

test("refuses a key that is given twice, as it is unclear which one counts", () => {
  assert.match(
    refusal(stairsSource.replace('"id": "stairs"', '"id": "a", "id": "stairs"')),
    /^machine.id: the key id is given twice/,
  );
  const escaped = stairsSource.replace('"id": "stairs"', String.raw`"\u0069d": "a", "id": "stairs"`);
  assert.match(refusal(escaped), /the key id is given twice/);
});

describe("parseCustomRule enforces each limit exactly", () => {
  const accepted = (source: string): void => {
    const found = parseCustomRule(source);
    assert.ok(!isRejection(found), JSON.stringify(found));
  };
  const padded = (bytes: number): string =>
    stairsSource + " ".repeat(bytes - Buffer.byteLength(stairsSource));
  const cases: readonly (readonly [string, allowed: string, beyond: string, RegExp])[] = [
    ["bytes", padded(limits.customRuleBytes), padded(limits.customRuleBytes + 1), /at most 65536 bytes/],
    [
      "states",
      changed("machine/states/more", { initial: "s0", states: states(limits.ruleStates - 5) }),
      changed("machine/states/more", { initial: "s0", states: states(limits.ruleStates - 4) }),
      /at most 64 states/,
    ],
    [
      "depth",
      changed("machine/states/more", deep(limits.ruleStateDepth)),
      changed("machine/states/more", deep(limits.ruleStateDepth + 1)),
      /at most 6 deep/,
    ],
    [
      "expressions",
      changed("machine/states/dark/always", { guard: { ...guard, params: { expr: expr(24) } } }),
      changed("machine/states/dark/always", { guard: { ...guard, params: { expr: expr(25) } } }),
      /at most 24 levels/,
    ],
    [
      "after",
      changed("machine/states/dark/after", { "100": "lit" }),
      changed("machine/states/dark/after", { "99": "lit" }),
      /at least 100 ms/,
    ],
    [
      "long after",
      changed("machine/states/dark/after", { "31622400000": "lit" }),
      changed("machine/states/dark/after", { "31622400001": "lit" }),
      /at most/,
    ],
    [
      "text",
      changed("machine/states/lit/exit", { type: "log", params: { text: "a".repeat(300) } }),
      changed("machine/states/lit/exit", { type: "log", params: { text: "a".repeat(301) } }),
      /at most 300/,
    ],
    [
      "context",
      changed("machine/context", context(limits.ruleContextBytes)),
      changed("machine/context", context(limits.ruleContextBytes + 1)),
      /at most 8192 bytes/,
    ],
    [
      "tests",
      changed(
        "tests",
        Array.from({ length: limits.ruleTests }, () => ({})),
      ),
      changed(
        "tests",
        Array.from({ length: limits.ruleTests + 1 }, () => ({})),
      ),
      /at most 50 tests/,
    ],
    [
      "nesting",
      changed("machine/meta", nested(limits.customRuleNesting - 2)),
      changed("machine/meta", nested(limits.customRuleNesting - 1)),
      /nested more than 128 deep/,
    ],
  ];
  for (const [what, allowed, beyond, message] of cases)
    test(what, () => {
      accepted(allowed);
      const found = parseCustomRule(beyond);
      assert.ok(isRejection(found));
      assert.match(found.message, message);
    });

  test("on the steps of a test", () => {
    const steps = Array.from({ length: limits.ruleTestSteps }, () => ({}));
    assert.ok(!isRejection(checkCustomRule(changed("tests", [{ steps }]))));
    assert.match(refusal(changed("tests", [{ steps: [...steps, {}] }])), /at most 200 steps/);
  });
});

function states(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`s${index}`, {}]));
}

function nested(levels: number): unknown {
  return levels === 0 ? 1 : [nested(levels - 1)];
}

/** Returns a context of exactly this size that has all that the machine needs. */
function context(bytes: number): object {
  const of = { count: 0 } as Record<string, unknown>;
  for (let at = 0; JSON.stringify(of).length < bytes - 320; at++) of[`t${at}`] = "a".repeat(290);
  of["rest"] = "";
  of["rest"] = "a".repeat(bytes - JSON.stringify(of).length);
  return of;
}

test("ends a trial run that takes too long", () => {
  const steps = Array.from({ length: limits.ruleTestSteps }, () => ({ pass: 31_622_400_000 }));
  const ticking = { initial: "a", states: { a: { after: { "100": "b" } }, b: { after: { "100": "a" } } } };
  assert.match(
    refusal(
      changed("machine", { ...ticking }).replace(
        /"tests": [^]*/,
        `"tests": [{"steps": ${JSON.stringify(steps)}}]}`,
      ),
    ),
    /trying it out takes too long/,
  );
});

test("ends a trial run sooner the more states the machine has", () => {
  const region = { initial: "a", states: { a: { after: { "1000": "b" } }, b: { after: { "1000": "a" } } } };
  const tried = (regions: number): string => {
    const within = Object.fromEntries(Array.from({ length: regions }, (_, index) => [`r${index}`, region]));
    const source = JSON.parse(changed("machine", { type: "parallel", states: within })) as object;
    return JSON.stringify({ ...source, tests: [{ steps: [{ pass: 50_000 }] }] });
  };
  assert.ok(!isRejection(checkCustomRule(tried(1))));
  assert.match(refusal(tried(21)), /trying it out takes too long/);
});

test("reports a step that does too much as a fault", () => {
  const looks = Array.from({ length: limits.expressionOperands }, () => ({ all: "motion" }));
  const devices = Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [`m${index}`, { field: "motion", state: { motion: true } }]),
  );
  const watching = { guard: { type: "expr", params: { expr: { and: looks } } }, target: "lit" };
  const source = JSON.parse(changed("machine/states/dark/always", watching)) as object;
  const tests = [{ devices, steps: [] }];
  assert.match(refusal(JSON.stringify({ ...source, tests })), /the step does too much/);
});
