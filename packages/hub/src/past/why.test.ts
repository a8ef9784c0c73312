import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { logFolder } from "@ledge/host/folder";
import { PersonalKeys } from "@ledge/host/personal/keys";
import { personalFields } from "@ledge/host/personal/sealing";
import { sealingOf } from "@ledge/host/sealed-fields";
import { openKernel } from "@ledge/kernel";
import { problemsOf } from "@ledge/link";
import { openLmdbLog } from "@ledge/log";
import { declared, type HubUser, limits, type Room, roles, upcasters, Why, type WhyLink } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { Compile } from "typebox/compile";
import { kernelParts } from "../start/kernel-parts.ts";
import { eventually, ledge, temporaryFolder, TestHome } from "../testdata/hub-process.ts";

const profiles = temporaryFolder();
after(() => profiles.remove());
const profile = join(profiles.path, "sim.json");
const sim = new URL("../../../../firmware-profiles/sim.json", import.meta.url);

/** Events in the simulated home after the next start. */
function script(...entries: readonly object[]): void {
  const base = JSON.parse(readFileSync(sim, "utf8")) as object;
  writeFileSync(profile, JSON.stringify({ ...base, adapters: { sim: { seed: 1, script: entries } } }));
}

const still = { atMs: 0, native: "living/motion", attributes: { motion: false, lux: 5 } };
const moves = { ...still, atMs: 3000, attributes: { motion: true, lux: 5 } };
script(still);

const home = new TestHome("--profile", profile);

async function restart(...entries: readonly object[]): Promise<void> {
  script(...entries);
  await home.hub.stop();
  await home.start();
}

/** An explanation, asked again while the hub is too busy to read its log. */
async function why(query: Readonly<Record<string, string>>, language = "en"): Promise<Why> {
  const headers = { authorization: home.key, "accept-language": language };
  const url = `${home.hub.address}/cc/1.14/why?${new URLSearchParams(query).toString()}`;
  const json = await eventually<unknown>("an explanation", async () => {
    const response = await fetch(url, { headers });
    const answer: unknown = await response.json();
    if (response.status === 503) return undefined;
    assert.equal(response.status, 200, JSON.stringify(answer));
    return answer;
  });
  assert.deepEqual(problemsOf(whyResult, json), []);
  return json as Why;
}

const whyResult = Compile(Why);
const told = ({ links }: Why): unknown => links.map(({ type, text }: WhyLink) => [type, text]);

async function addRule(name: string, lamp: string, motion: string): Promise<string> {
  const config = {
    type: "CONFIG",
    id: null,
    name,
    configType: "MOTION_LIGHT",
    inputs: { motion: [motion], lux: [] },
    outputs: { lights: [lamp] },
    extras: {},
  };
  const { status, json } = await home.call("PUT", "/rules", { rules: [config], onConfiguration: {} });
  assert.equal(status, 200, JSON.stringify(json));
  const [{ id }] = json as [{ id: string }];
  await home.call("PUT", "/rules/command", [{ type: "RULE_ON_COMMAND", id }]);
  return id;
}

const chain = [
  ["DeviceReported", "Floor lamp went on"],
  ["CommandIssued", "The rule Evening light told Floor lamp: on"],
  ["RuleStepped", "The rule Evening light acted, as: Living room motion: motion"],
  ["DeviceReported", "Living room motion saw motion"],
];

test("explains a lamp that motion turned on, also after a restart, in the CLI and after pruning", async () => {
  const [lamp, motion] = [await home.device("Floor lamp"), await home.device("Living room motion")];
  await home.device("Living room motion", ({ state }) => state["motion"] === false);
  const rule = await addRule("Evening light", lamp.id, motion.id);
  await restart(still, moves);
  await home.device("Floor lamp", ({ state }) => state["isOn"] === true);
  const found = await why({ id: lamp.id, attribute: "isOn" });
  assert.deepEqual([found.value, found.end], [true, "root"]);
  assert.deepEqual(told(found), chain);
  const { step } = found.links[2] ?? {};
  assert.deepEqual([step?.rule, step?.before, step?.after], [rule, "dark", "moving"]);
  assert.equal(found.links[1]?.outcome?.outcome, "confirmed");
  const finnish = await why({ id: lamp.id }, "fi");
  assert.equal(finnish.links[0]?.text, "Floor lamp meni päälle");

  await restart(moves);
  assert.deepEqual(told(await why({ id: lamp.id })), chain);
  const { stdout, code } = await ledge("why", "floor LAMP", "isOn", "--data", home.folder);
  assert.equal(code, 0);
  assert.match(
    stdout,
    /^Floor lamp: isOn = true\n.*Floor lamp went on\n.*\(confirmed\)\n.*Evening light acted/,
  );

  await home.hub.stop();
  await pruneAll(home.folder);
  await home.start();
  const pruned = await why({ id: lamp.id });
  assert.deepEqual(
    told(pruned),
    chain.map(([type, text], index) => [type, index === 2 ? "The rule Evening light acted" : text]),
  );
  // The other inputs of the rule were pruned.
  assert.equal(pruned.links[2]?.step?.guards, null);
});

test("explains a command of a person from the local network", async () => {
  const { id } = await home.device("Television");
  await home.call("PUT", "/devices/command", [{ type: "CMD_DEVICE_OFF", id }]);
  await home.device("Television", ({ state }) => state["isOn"] === false);
  const { links } = await why({ id, attribute: "isOn" });
  assert.match(links[1]?.text ?? "", /^Owner, in the local network, told Television: off$/);
});

test("explains that a lamp stayed off because it was unreachable, as its rule recorded", async () => {
  const [lamp, motion] = [await home.device("Living room ceiling"), await home.device("Living room motion")];
  const rule = await addRule("Ceiling light", lamp.id, motion.id);
  await restart(still, { atMs: 0, native: "living/ceiling", action: "unplug" }, moves);
  const failed = await eventually("the failure", async () => {
    const { not } = await why({ id: lamp.id, not: "true" });
    return not[0]?.obstacles.some(({ kind }) => kind === "FAILED") ? not : undefined;
  });
  assert.deepEqual(
    failed.map((one) => [one.rule, one.isOn, one.state]),
    [[rule, true, "moving"]],
  );
  const { stdout } = await ledge("why", "Ceiling light", "--not", "--json", "--data", home.folder);
  const [asked] = (JSON.parse(stdout) as Why).not;
  assert.equal(asked?.rule, rule);
});

test("explains the name of a room, now and at an earlier time", async () => {
  await home.call("PUT", "/rooms", [{ type: "CMD_ROOM", name: "Attic" }]);
  const { id = "" } = (await home.all<Room>("/rooms")).find(({ name }) => name === "Attic") ?? {};
  const then = (await why({ id })).at;
  await home.call("PUT", "/rooms", [{ type: "CMD_ROOM", id, name: "Loft" }]);
  const now = await why({ id, attribute: "name" });
  assert.deepEqual([now.value, now.links[0]?.type], ["Loft", "RoomRenamed"]);
  const before = await why({ id, attribute: "name", at: String(then) });
  assert.deepEqual([before.value, before.links[0]?.type], ["Attic", "RoomCreated"]);
});

test("explains since when a user has their role", async () => {
  const { id = "" } = (await home.all<HubUser>("/hub/users"))[0] ?? {};
  const { attribute, value, links } = await why({ id });
  assert.deepEqual([attribute, value], ["user_info.role", roles.OWNER_ADMIN]);
  assert.equal(links.length, 1);
});

test("refuses invalid questions", async () => {
  const lamp = await home.device("Floor lamp");
  const cases: readonly (readonly [query: string, status: number])[] = [
    ["", 422],
    ["id=nobody", 404],
    [`id=${lamp.id}&attribute=colour`, 404],
    [`id=${lamp.id}&attribute=__proto__`, 404],
    [`id=${lamp.id}&attribute=${"a".repeat(limits.idChars + 1)}`, 422],
    [`id=${lamp.id}&at=x`, 422],
    [`id=${lamp.id}&at=${Date.now() + 3_600_000}`, 422],
    [`id=${lamp.id}&at=1`, 404],
    [`id=${lamp.id}&not=perhaps`, 422],
  ];
  for (const [query, status] of cases)
    assert.equal((await home.call("GET", `/why?${query}`)).status, status, query);
  const room = Object.keys((await home.call("GET", "/rooms")).json as object)[0] ?? "";
  assert.equal((await home.call("GET", `/why?id=${room}&not=true`)).status, 422);
});

/** Prunes everything from the log of a stopped hub that may be pruned. */
async function pruneAll(folder: string): Promise<void> {
  const sealing = sealingOf(personalFields(new PersonalKeys(folder), declared));
  const log = await openLmdbLog({ folder: logFolder(folder), upcasters, sealing });
  const clock = new SimulatedClock(Date.now());
  const notes: string[] = [];
  const kernel = openKernel({
    ...kernelParts,
    log,
    clock,
    timeTrusted: () => true,
    onFatal: (error) => notes.push(error.message),
    retention: {
      telemetryMs: 86_400_000,
      logBytes: 1,
      onNote: (_level, message) => notes.push(message),
      onDamaged: (problem) => notes.push(problem),
    },
  });
  const last = log.last;
  const { waiting } = clock;
  clock.advance(limits.retentionCheckMs);
  while (clock.waiting < waiting) await setImmediate();
  assert.ok(log.horizon > 0 && log.horizon <= last, notes.join());
  await kernel.close();
}
