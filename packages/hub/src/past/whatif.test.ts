import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { rows } from "@ledge/api";
import { problemsOf } from "@ledge/link";
import { limits } from "@ledge/model";
import { Compile } from "typebox/compile";
import { type Answer, ledge, TestHome } from "../testdata/hub-process.ts";

const home = new TestHome();

const now = async (): Promise<number> =>
  ((await home.call("GET", "/hub/poll?ts=0")).json as { timestamp: number }).timestamp;
const tryOut = (body: object): Promise<Answer> => home.call("POST", "/rules/whatif", body);
const row = rows.find(({ method, path }) => method === "POST" && path === "/rules/whatif");
const problem = ({ status, json }: Answer): readonly unknown[] => [
  status,
  (json as { errors?: [{ field: string }] }).errors?.[0]?.field,
];

/** The time from which on nobody sets a lamp by hand. */
let since = "";

interface Tried {
  readonly firings: number;
  readonly commands: readonly { device: string; attributes: object; because: { device?: string } }[];
  readonly diff: { readonly onlyNewCount: number; readonly onlyOldCount: number };
}

function bind(source: string, target: string, id: string | null = null, invert = false): object {
  const extras = { invert: [{ type: "BOOLEAN", value: invert }] };
  const fields = { inputs: { source: [source] }, outputs: { targets: [target] }, extras };
  return { type: "CONFIG", id, name: "Bind", configType: "BIND_ON_OFF", ...fields };
}

test("tries a rule on recorded events: a new one, an unchanged one and a changed one", async () => {
  await home.hub.homeAnnounced(home.key);
  const [source, target] = [
    (await home.device("Floor lamp")).id,
    (await home.device("Living room ceiling")).id,
  ];
  const turn = async (isOn: boolean): Promise<void> => {
    await home.call("PUT", "/devices/command", [
      { type: isOn ? "CMD_DEVICE_ON" : "CMD_DEVICE_OFF", id: source },
    ]);
    await home.device("Floor lamp", ({ state }) => state["isOn"] === isOn);
  };
  for (const id of [source, target])
    await home.call("PUT", "/devices/command", [{ type: "CMD_DEVICE_OFF", id }]);
  await home.device("Floor lamp", ({ state }) => state["isOn"] === false);
  await home.device("Living room ceiling", ({ state }) => state["isOn"] === false);
  const from = await now();
  since = String(from);
  await turn(true);
  const found = await tryOut({ rules: [bind(source, target)], from, to: await now() });
  assert.equal(found.status, 200, JSON.stringify(found.json));
  assert.deepEqual(row && problemsOf(Compile(row.result), found.json), []);
  const tried = found.json as Tried;
  const [last] = tried.commands.slice(-1);
  assert.deepEqual([last?.device, last?.attributes, last?.because.device], [target, { isOn: true }, source]);
  assert.deepEqual([tried.firings, tried.diff.onlyOldCount], [tried.diff.onlyNewCount, 0]);

  await turn(false);
  const put = await home.call("PUT", "/rules", { rules: [bind(source, target)] });
  const [{ id }] = put.json as [{ id: string }];
  await home.call("PUT", "/rules/command", [{ type: "RULE_ON_COMMAND", id }]);
  await home.device("Living room ceiling", ({ state }) => state["isOn"] === false);
  const then = await now();
  await turn(true);
  await home.device("Living room ceiling", ({ state }) => state["isOn"] === true);
  const span = { from: then, to: await now() };
  const same = await tryOut({ ...span, rules: [bind(source, target, id)], on: "recorded" });
  const { commands, diff } = same.json as Tried;
  const [on] = commands;
  assert.deepEqual(
    [commands.length, on?.attributes, diff.onlyNewCount, diff.onlyOldCount],
    [1, { isOn: true }, 0, 0],
  );
  const other = (await tryOut({ ...span, rules: [bind(source, target, id, true)] })).json as Tried;
  const said = other.commands.map(({ attributes, because }) => [attributes, because.device]);
  assert.deepEqual(said, [
    [{ isOn: true }, undefined],
    [{ isOn: false }, source],
  ]);
});

test("tries a rule over groups with the members that they had", async () => {
  const [source, target] = [(await home.device("Floor lamp")).id, (await home.device("Kitchen ceiling")).id];
  const groups = [
    { type: "CMD_GROUP", name: "Source", members: [source] },
    { type: "CMD_GROUP", name: "Target", members: [target] },
  ];
  const [sources, targets] = (await home.call("PUT", "/groups", groups)).json as [
    { id: string },
    { id: string },
  ];
  const from = await now();
  for (const isOn of [false, true]) {
    await home.call("PUT", "/devices/command", [
      { type: isOn ? "CMD_DEVICE_ON" : "CMD_DEVICE_OFF", id: source },
    ]);
    await home.device("Floor lamp", ({ state }) => state["isOn"] === isOn);
  }
  const found = await tryOut({ rules: [bind(sources.id, targets.id)], from, to: await now() });
  assert.equal(found.status, 200, JSON.stringify(found.json));
  const [last] = (found.json as Tried).commands.slice(-1);
  assert.deepEqual([last?.device, last?.attributes, last?.because.device], [target, { isOn: true }, source]);
});

test("ledge replay tries an installed rule or a file and prints the result", async () => {
  const devices = [
    (await home.device("Floor lamp")).id,
    (await home.device("Living room ceiling")).id,
  ] as const;
  const told = await ledge("replay", "--rules", "Bind", "--data", home.folder);
  assert.equal(told.code, 0, told.stderr);
  assert.match(told.stdout, /: [1-9]\d* firings, \d+ commands\n/);
  assert.match(told.stdout, /Living room ceiling +isOn=true +Floor lamp isOn=true\n/);
  assert.doesNotMatch(told.stdout, /only/);
  const file = join(home.folder, "rules.json");
  writeFileSync(file, JSON.stringify({ rules: [bind(...devices, null, true)] }));
  const args = ["--rules", file, "--replaces", "Bind", "--from", since, "--json", "--data", home.folder];
  const other = await ledge("replay", ...args);
  assert.equal(other.code, 0, other.stderr);
  assert.ok((JSON.parse(other.stdout) as Tried).diff.onlyNewCount > 0);
  assert.equal((await ledge("replay", "--rules", "nowhere", "--data", home.folder)).code, 2);
  assert.equal((await ledge("replay", "--data", home.folder)).code, 2);
});

test("refuses an impossible trial and names the field", async () => {
  const [source, target] = [
    (await home.device("Floor lamp")).id,
    (await home.device("Living room ceiling")).id,
  ];
  const to = await now();
  const span = { from: to - 1, to };
  const rules = [bind(source, target)];
  assert.deepEqual(problem(await tryOut({ rules, from: to, to })), [422, "to"]);
  assert.deepEqual(problem(await tryOut({ rules, from: to, to: to + 3_600_000 })), [422, "to"]);
  assert.deepEqual(problem(await tryOut({ ...span, rules: [] })), [422, "rules"]);
  const many = (count: number): object[] => Array.from({ length: count }, () => bind(source, target));
  assert.equal((await tryOut({ ...span, rules: many(limits.whatIfRules) })).status, 200);
  assert.deepEqual(problem(await tryOut({ ...span, rules: many(limits.whatIfRules + 1) })), [422, "rules"]);
  const wrong = [...rules, bind("nobody", target)];
  assert.deepEqual(problem(await tryOut({ ...span, rules: wrong })), [422, "rules.1.inputs.source.0"]);
  assert.deepEqual(problem(await tryOut({ ...span, rules, replaces: ["nobody"] })), [404, "replaces.0"]);
  const pruned = await tryOut({ rules, from: 1, to });
  const { code, oldest } = pruned.json as { code: string; oldest: number };
  assert.deepEqual([pruned.status, code, oldest > 1], [404, "HISTORY_PRUNED", true]);
  const twice = { ...span, rules: [bind(source, target, "a"), bind(source, target, "a")] };
  assert.deepEqual(problem(await tryOut(twice)), [422, "rules"]);
});
