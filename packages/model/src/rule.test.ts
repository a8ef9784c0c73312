import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { given } from "@ledge/testkit";
import { limits } from "./limits.ts";

const sceneCreated = (id: string) => ({
  type: "SceneCreated",
  id,
  category: "USER",
  icon: null,
  name: id,
  presets: {},
  requiredIds: [],
  sceneTimes: [],
});
const sceneOn = (id: string) => ({ type: "SceneTurnedOn", id });
const sceneOff = (id: string) => ({ type: "SceneTurnedOff", id });
const fields = { inputs: { sensors: ["d1"] }, outputs: { lights: [] }, extras: {} };
const config = (id: string, name = "Light") => ({
  type: "CONFIG",
  id,
  name,
  configType: "MOTION_LIGHT",
  ...fields,
});
const created = (id: string, scenes: string[] = [], timers: object[] = []) => ({
  type: "RuleCreated",
  id,
  config: config(id),
  scenes,
  timers,
});
const on = (id: string, scene: string | null) => ({ type: "RuleTurnedOn", id, scene });
const off = (id: string) => ({ type: "RuleTurnedOff", id });
const onConfigured = (id: string, scenes: string[], timers: object[] = []) => ({
  type: "RuleOnConfigured",
  id,
  scenes,
  timers,
});
const cron = { start: "0 7 * * *", stop: "0 22 * * *" };
const timer = { type: "RULETIME", enabled: true, cronDef: { type: "CRONDEF", ...cron } };
const range = {
  type: "TIME_RANGE",
  weekdays: [],
  start: { type: "TIME_OF_DAY", value: 0 },
  end: null,
  enabled: true,
};

describe("SET_RULE", () => {
  const wanted = { ...config("x"), id: null };

  test("creates a rule that is off, and sets what turns it on", () => {
    given()
      .when({ type: "SET_RULE", config: wanted })
      .then([created("new-1")]);
    given()
      .when({ type: "SET_RULE", config: wanted, on: { scenes: [], timers: [cron] } })
      .then([created("new-1"), onConfigured("new-1", [], [timer])]);
    given()
      .when({ type: "SET_RULE", config: wanted, on: { timers: [range, cron] } })
      .then([created("new-1"), onConfigured("new-1", [], [range, timer])]);
    given([sceneCreated("s1"), sceneOn("s1")])
      .when({ type: "SET_RULE", config: wanted, on: { scenes: ["s1", "s1"] } })
      .then([created("new-1"), onConfigured("new-1", ["s1"]), on("new-1", "s1")]);
  });

  test("changes a rule", () => {
    const before = given([created("r1")]);
    before.when({ type: "SET_RULE", config: config("r1") }).then([]);
    before
      .when({ type: "SET_RULE", config: config("r1", "Hall") })
      .then([{ type: "RuleConfigured", id: "r1", config: config("r1", "Hall") }]);
    before.when({ type: "SET_RULE", config: config("r9") }).then({ rejected: "not-found", field: "id" });
  });

  for (const [what, ways, field] of [
    ["scenes and timers", { scenes: ["s1"], timers: [cron] }, "timers"],
    ["an unknown scene", { scenes: ["s9"] }, "scenes"],
    ["a time that never comes", { timers: [{ ...cron, start: "0 0 30 2 *" }] }, "timers.0.cronDef.start"],
    ["a date that never comes", { timers: [{ ...range, validFrom: "2026-02-30" }] }, "timers.0.validFrom"],
  ] as const) {
    test(`refuses ${what}`, () => {
      given([sceneCreated("s1")])
        .when({ type: "SET_RULE", config: wanted, on: ways })
        .then({ rejected: "invalid", field });
    });
  }

  test("enforces its limits", () => {
    const inputs = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, []]));
    const whole = { ...wanted, outputs: {}, inputs: inputs(limits.ruleFields) };
    given()
      .when({ type: "SET_RULE", config: whole })
      .then([{ ...created("new-1"), config: { ...whole, id: "new-1" } }]);
    given()
      .when({ type: "SET_RULE", config: { ...whole, inputs: inputs(limits.ruleFields + 1) } })
      .then({ rejected: "invalid", field: "inputs" });
    const padded = (chars: number) => {
      const extras = { later: [{ type: "FUTURE", value: "" }] };
      const more = chars - JSON.stringify({ ...wanted, id: "new-1", extras }).length;
      return { ...wanted, extras: { later: [{ type: "FUTURE", value: "x".repeat(more) }] } };
    };
    const longest = padded(limits.ruleConfigChars);
    given()
      .when({ type: "SET_RULE", config: longest })
      .then([{ ...created("new-1"), config: { ...longest, id: "new-1" } }]);
    given()
      .when({ type: "SET_RULE", config: padded(limits.ruleConfigChars + 1) })
      .then({ rejected: "invalid" });
    const rules = Array.from({ length: limits.rules }, (_, index) => created(`r${index}`));
    given(rules.slice(1))
      .when({ type: "SET_RULE", config: wanted })
      .then([created("new-1")]);
    given(rules).when({ type: "SET_RULE", config: wanted }).then({ rejected: "invalid" });
  });
});

describe("a rule that lists scenes", () => {
  const listed = [sceneCreated("s1"), sceneCreated("s2"), created("r1", ["s1", "s2"])];
  const turn = (id: string, isOn: boolean) => ({ type: isOn ? "CMD_SCENE_ON" : "CMD_SCENE_OFF", id });

  test("is on exactly while one of its scenes is", () => {
    given(listed)
      .when(turn("s2", true))
      .then([sceneOn("s2"), on("r1", "s2")]);
    const lit = [...listed, sceneOn("s2"), on("r1", "s2")];
    given(lit)
      .when(turn("s1", true))
      .then([sceneOn("s1")]);
    given(lit)
      .when(turn("s2", false))
      .then([sceneOff("s2"), off("r1")]);
    given([...lit, sceneOn("s1")])
      .when(turn("s2", false))
      .then([sceneOff("s2")]);
  });

  test("follows a change of its list", () => {
    const lit = given([...listed, sceneOn("s2"), on("r1", "s2")]);
    const set = (scenes: string[]) => ({ type: "SET_RULE_ON", id: "r1", on: { scenes } });
    lit.when(set(["s1"])).then([onConfigured("r1", ["s1"]), off("r1")]);
    lit.when(set(["s2"])).then([onConfigured("r1", ["s2"])]);
    lit.when(set([])).then([onConfigured("r1", []), off("r1")]);
    lit
      .when({ type: "SET_RULE_ON", id: "r1", on: { scenes: [], timers: [cron] } })
      .then([onConfigured("r1", [], [timer]), off("r1")]);
  });

  test("cannot be turned on by hand", () => {
    given(listed).when({ type: "RULE_ON_COMMAND", id: "r1" }).then({ rejected: "wrong-state", field: "id" });
    given(listed).when({ type: "RULE_OFF_COMMAND", id: "r1" }).then([]);
  });

  test("drops a scene that is removed", () => {
    given([...listed, sceneOn("s2"), on("r1", "s2")])
      .when({ type: "REMOVE_SCENE", id: "s2" })
      .then([onConfigured("r1", ["s1"]), off("r1"), { type: "SceneRemoved", id: "s2" }]);
  });
});

test("a rule without scenes can be turned on and off by hand, and removed", () => {
  const rule = given([created("r1")]);
  rule.when({ type: "RULE_OFF_COMMAND", id: "r1" }).then([]);
  const after = rule.when({ type: "RULE_ON_COMMAND", id: "r1" }).then([on("r1", null)]);
  assert.equal(after.state("rule", "r1")?.is_on, true);
  given([created("r1"), on("r1", null)])
    .when({ type: "RULE_OFF_COMMAND", id: "r1" })
    .then([off("r1")]);
  rule.when({ type: "SET_RULE_ON", id: "r1", on: {} }).then([]);
  rule.when({ type: "REMOVE_RULE", id: "r1" }).then([{ type: "RuleRemoved", id: "r1" }]);
  rule.when({ type: "REMOVE_RULE", id: "r9" }).then({ rejected: "not-found", field: "id" });
});

test("DROP_FROM_RULE removes a device or scene from the fields that name it", () => {
  const named = {
    inputs: { motion: ["m1", "m2"] },
    outputs: { lights: ["l1"], more: [] },
    extras: { scene: [{ type: "SCENE", value: "s1" }], timeout: [{ type: "TIME_DELTA_MS", value: 1 }] },
  };
  const before = { ...created("r1"), config: { ...config("r1"), ...named } };
  const without = (change: object) => ({
    type: "RuleConfigured",
    id: "r1",
    config: { ...before.config, ...change },
  });
  const drop = (gone: string) => ({ type: "DROP_FROM_RULE", id: "r1", gone });
  const rule = given([before]);
  rule.when(drop("m1")).then([without({ inputs: { motion: ["m2"] } })]);
  rule.when(drop("l1")).then([without({ outputs: { lights: [], more: [] } })]);
  rule.when(drop("s1")).then([without({ extras: { ...named.extras, scene: [] } })]);
  rule.when(drop("nothing")).then([]);
});
