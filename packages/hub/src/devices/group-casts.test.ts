import assert from "node:assert/strict";
import { test } from "node:test";
import type { Group } from "@ledge/model";
import { eventually, ledge, TestHome } from "../testdata/hub-process.ts";

const home = new TestHome();
const living = "Living room ceiling";
/** The last lamp is unreachable. */
const lamps = [living, "Kitchen ceiling", "Bedroom ceiling", "Hallway ceiling", "Bedside lamp"];
const idsOfLamps = (): Promise<string[]> =>
  Promise.all(lamps.map(async (name) => (await home.device(name)).id));

/** Frames that the Zigbee radio has sent since its start and that devices took or that were cast, once it runs. */
async function framesSent(): Promise<number> {
  return await eventually("the radio", async () => {
    const { json } = await home.call("GET", "/hub/zigbeestatus");
    const { connected, stats } = json as { connected: boolean; stats: { tx_successful: number } };
    return connected ? stats.tx_successful : undefined;
  });
}

/** The outcomes of commands to devices, oldest first: `CommandSucceeded <device>`. */
async function ends(): Promise<string[]> {
  const { stdout } = await ledge("events", "tail", "--once", "--after", "0", "--data", home.folder);
  return [...stdout.matchAll(/(Command(?:Succeeded|Failed)) \S+ device="([^"]+)"/g)].map(
    ([, type, device]) => `${type} ${device}`,
  );
}

async function switched(isOn: boolean, id: string): Promise<void> {
  const type = isOn ? "CMD_GROUP_ON" : "CMD_GROUP_OFF";
  const { status, json } = await home.call("PUT", "/groups/command", [{ type, id }]);
  assert.deepEqual([status, json], [200, [true]]);
  for (const name of lamps.slice(0, -1)) await home.device(name, ({ state }) => state["isOn"] === isOn);
}

let group = "";

test("a group gets an address on the air", async () => {
  const members = await idsOfLamps();
  const { json } = await home.call("PUT", "/groups", [{ type: "CMD_GROUP", name: "Lamps", members }]);
  group = (json as Group[])[0]?.id ?? "";
  const address = await eventually("its address", async () => {
    return (await home.all<Group>("/groups")).find(({ id }) => id === group)?.group_address;
  });
  assert.equal(address, 1);
});

test("a command to a group is one frame on the air, and each member has its own outcome", async () => {
  const before = await framesSent();
  const members = await idsOfLamps();
  for (const isOn of [true, false]) await switched(isOn, group);
  assert.equal(await framesSent(), before + 2);
  const dead = members.at(-1) ?? "";
  const outcomes = await eventually("the end of all commands", async () => {
    const all = await ends();
    return all.length >= 2 * members.length ? all : undefined;
  });
  const taken = members.slice(0, -1).flatMap((id) => [`CommandSucceeded ${id}`, `CommandSucceeded ${id}`]);
  const lost = outcomes.filter((end) => end.endsWith(dead));
  assert.deepEqual(
    outcomes.filter((end) => !end.endsWith(dead)).toSorted((a, b) => a.localeCompare(b)),
    taken.toSorted((a, b) => a.localeCompare(b)),
  );
  assert.equal(lost.at(-1), `CommandFailed ${dead}`);
  assert.equal(await framesSent(), before + 2);
});

test("a group is cast to directly after a restart", async () => {
  await home.hub.stop();
  await home.start();
  const before = await framesSent();
  await switched(true, group);
  assert.equal(await framesSent(), before + 1);
});

test("a rule's command to a group is one frame on the air", async () => {
  const source = await home.device("Floor lamp");
  const turn = (isOn: boolean): Promise<unknown> =>
    home.call("PUT", "/devices/command", [
      { type: isOn ? "CMD_DEVICE_ON" : "CMD_DEVICE_OFF", id: source.id },
    ]);
  const shows = async (isOn: boolean, names: readonly string[]): Promise<void> => {
    for (const name of names) await home.device(name, ({ state }) => state["isOn"] === isOn);
  };
  await turn(true);
  await shows(true, [source.name]);
  const fields = { inputs: { source: [source.id] }, outputs: { targets: [group] }, extras: {} };
  const config = { type: "CONFIG", id: null, name: "All with one", configType: "BIND_ON_OFF", ...fields };
  const put = await home.call("PUT", "/rules", { rules: [config] });
  const [{ id }] = put.json as [{ id: string }];
  await home.call("PUT", "/rules/command", [{ type: "RULE_ON_COMMAND", id }]);
  await shows(true, lamps.slice(0, -1));
  const before = await framesSent();
  await turn(false);
  await shows(false, [source.name, ...lamps.slice(0, -1)]);
  // One to the source, and one to its targets.
  assert.ok((await framesSent()) <= before + 2, `${(await framesSent()) - before} frames`);
});
