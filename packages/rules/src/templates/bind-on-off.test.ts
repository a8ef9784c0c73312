import assert from "node:assert/strict";
import { test } from "node:test";
import type { RuleConfig, World } from "@ledge/model";
import { TestHouse } from "../testdata/house.ts";
import { scenario } from "../testdata/scenario.ts";
import { bindOnOff } from "./bind-on-off.ts";

const home = {
  devices: {
    socket: ["POWER_SOCKET", "ON_OFF"],
    lamp: ["LIGHT", "ON_OFF", "BRIGHTNESS"],
    spot: ["LIGHT", "ON_OFF"],
  },
  inputs: { source: ["socket"] },
  outputs: { targets: ["lamp", "spot"] },
} as const;
const on = { isOn: true };
const off = { isOn: false };

scenario("switches the targets with their source", "BIND_ON_OFF", home, [
  { shows: "whoever switches the source", report: { socket: on }, commands: { lamp: on, spot: on } },
  { shows: "an unreachable source changes nothing", report: { socket: { reachable: false, ...off } } },
  {
    shows: "reachable again: the targets follow it",
    report: { socket: { reachable: true } },
    commands: { lamp: off, spot: off },
  },
  { user: { socket: on }, commands: { lamp: on, spot: on } },
  { shows: "a person's change to a target holds", user: { lamp: off } },
  { report: { socket: off }, commands: { spot: off }, suppressed: ["lamp"] },
  { shows: "until the source goes off", report: { socket: on }, commands: { lamp: on, spot: on } },
  { shows: "rule off: targets stay as they are", rule: "off" },
  { report: { socket: off } },
  {
    shows: "the source's state counts when the rule goes on",
    rule: "on",
    commands: { lamp: off, spot: off },
  },
  { shows: "a restored state counts too", resync: { socket: on }, commands: { lamp: on, spot: on } },
  { shows: "a change while the hub was down counts", down: 3_600_000 },
  { resync: { socket: off }, commands: { lamp: off, spot: off } },
]);

const silent = { ...home.devices, socket: ["MULTI_SENSOR", "ON_OFF"] } as const;

scenario(
  "switches the targets the opposite way when inverted",
  "BIND_ON_OFF",
  { ...home, devices: silent, extras: { invert: true }, off: true },
  [
    { shows: "a source that has shown nothing switches nothing", rule: "on" },
    {
      shows: "an inverted source that is on turns them off",
      report: { socket: on },
      commands: { lamp: off, spot: off },
    },
    { report: { socket: off }, commands: { lamp: on, spot: on } },
  ],
);

function config(id: string, source: readonly string[], targets: readonly string[]): RuleConfig {
  const of = { type: "CONFIG", id, name: id, configType: "BIND_ON_OFF", extras: {} } as const;
  return { ...of, inputs: { source: [...source] }, outputs: { targets: [...targets] } };
}

function problem(wanted: RuleConfig, known: readonly RuleConfig[]): string | undefined {
  const rules = known.map((of) => [of.id, { id: of.id, is_on: false, config: of }] as const);
  const get = (kind: string, id: string): object | undefined =>
    kind === "group" && id === "pair" ? { members: ["p", "q"] } : undefined;
  const world = { get, all: () => rules.values() } as unknown as World;
  return bindOnOff.check?.(wanted, world)?.field;
}

test("BIND_ON_OFF refuses a loop through any rules", () => {
  const motion: RuleConfig = {
    ...config("motion", [], []),
    configType: "MOTION_LIGHT",
    inputs: { motion: ["eye"], lux: ["c"] },
    outputs: { lights: ["d"] },
  };
  const known = [config("ab", ["a"], ["b", "x"]), config("bc", ["b"], ["c"]), motion];
  assert.equal(problem(config("new", ["a"], ["a"]), []), "outputs.targets");
  assert.equal(problem(config("new", ["b"], ["a"]), known), "outputs.targets");
  assert.equal(problem(config("new", ["c"], ["y", "a"]), known), "outputs.targets");
  assert.equal(
    problem(config("new", ["d"], ["a"]), known),
    "outputs.targets",
    "rules of other templates pass it on",
  );
  assert.equal(problem(config("new", ["d"], ["e"]), known), undefined);
  assert.equal(problem(config("new", ["a"], ["d"]), known), undefined, "two ways to one target are no loop");
  assert.equal(
    problem(config("new", ["eye"], ["a"]), known),
    undefined,
    "a device that is only an input ends a path",
  );
  assert.equal(problem(config("bc", ["b"], ["x"]), known), undefined);
  assert.equal(problem(config("bc", ["x"], ["a"]), known), "outputs.targets");
  assert.equal(problem(config("ab", ["c"], ["b"]), known), "outputs.targets");
  assert.equal(
    problem(config("ab", ["b"], ["a"]), known),
    undefined,
    "the version that is being replaced does not count",
  );
  const ring = [config("1", ["p"], ["q"]), config("2", ["q"], ["p"])];
  assert.equal(
    problem(config("new", ["o"], ["p"]), ring),
    undefined,
    "a loop of other rules ends the search",
  );
  const group = [config("group", ["pair"], ["r"])];
  assert.equal(
    problem(config("new", ["r"], ["q"]), group),
    "outputs.targets",
    "members of a group pass it on",
  );
});

test("BIND_ON_OFF refuses a PUT that closes a loop, for a new rule and a changed one", async () => {
  const house = await TestHouse.open();
  const [a, b, c] = [await house.lamp("a"), await house.lamp("b"), await house.lamp("c")];
  const bind = (source: string, target: string) => ({
    inputs: { source: [source] },
    outputs: { targets: [target] },
  });
  await house.addRule("a to b", "BIND_ON_OFF", bind(a, b));
  const changing = await house.addRule("b to c", "BIND_ON_OFF", bind(b, c));
  const put = async (of: ReturnType<typeof bind>, id?: string) => {
    const known = id === undefined ? {} : { id };
    const wanted = { ...house.configOf("wanted", "BIND_ON_OFF", of), ...known };
    const commands = [{ type: "SET_RULE", config: wanted }];
    const outcome = await house.kernel.submit({ commands, origin: "user:person" });
    return outcome.accepted ? undefined : outcome.rejection.field;
  };
  assert.equal(await put(bind(c, a)), "outputs.targets");
  assert.equal(await put(bind(b, a), changing), "outputs.targets");
  assert.equal(await put(bind(a, c)), undefined);
  await house.close();
});
