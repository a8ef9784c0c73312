import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Device, Group } from "@ledge/model";
import type { Ieee } from "@ledge/testkit/zigbee";
import { devices, pairAll, serveStick, SimulatedAir, Stick } from "@ledge/testkit/zigbee";
import { eventually, HubProcess, ledge, temporaryFolder } from "../testdata/hub-process.ts";
import { zigbeeProfile } from "../testdata/zigbee-hub.ts";

const onOff = 0x0006;
const groups = 0x0004;
const lamps = Array.from({ length: 10 }, (_, index) =>
  devices.unknownLamp(`0x000b57fffe0000${(0x10 + index).toString(16)}`),
);
const [one] = lamps;
assert.ok(one);

const air = new SimulatedAir();
const folder = temporaryFolder();
let served: Awaited<ReturnType<typeof serveStick>>;
let hub: HubProcess;
let key = "";
let group: Group;

const call = <T>(method: string, path: string, body?: unknown): Promise<T> =>
  hub.done<T>(method, path, key, body);

before(async () => {
  served = await serveStick(new Stick({ air }));
  hub = await HubProcess.start(folder.path, "--profile", zigbeeProfile(folder.path, served));
  key = await hub.key();
});

after(async () => {
  await hub.stop();
  await served.close();
  folder.remove();
});

/** Frames from the coordinator that switch lamps: to a group, or to one lamp. */
function switching(to: "group" | Ieee): number {
  const frames = air.log.of({ from: null, cluster: onOff, ...(to === "group" ? { kind: to } : { to }) });
  // Only commands of the cluster itself (ZCL 2.4.1.1); other frames read attributes.
  return frames.filter(({ payload }) => ((payload[0] ?? 0) & 0b11) === 1).length;
}

/** The number of commands to the group that have ended. */
async function ends(): Promise<{ succeeded: number; failed: number }> {
  const { stdout } = await ledge("events", "tail", "--once", "--after", "0", "--data", folder.path);
  const count = (type: string): number => stdout.split(` ${type} `).length - 1;
  return { succeeded: count("CommandSucceeded"), failed: count("CommandFailed") };
}

async function turn(isOn: boolean): Promise<void> {
  air.log.clear();
  const earlier = await ends();
  await call("PUT", "/groups/command", [{ type: isOn ? "CMD_GROUP_ON" : "CMD_GROUP_OFF", id: group.id }]);
  await eventually("every outcome", async () => {
    const { succeeded, failed } = await ends();
    assert.equal(failed, 0);
    return succeeded === earlier.succeeded + lamps.length || undefined;
  });
  assert.ok(lamps.every((lamp) => lamp.isOn === isOn));
}

test("ten paired lamps form one group on the air", async () => {
  await pairAll(call, air, lamps);
  const members = Object.keys(await call<Record<string, Device>>("GET", "/devices"));
  assert.equal(members.length, lamps.length);
  await call("PUT", "/groups", [{ type: "CMD_GROUP", name: "Lamps", members }]);
  const address = await eventually("its address", async () => {
    const [made] = Object.values(await call<Record<string, Group>>("GET", "/groups"));
    assert.ok(made);
    group = made;
    return made.group_address;
  });
  const isIn = (lamp: (typeof lamps)[number]): boolean => lamp.groupsOf(1).has(address);
  await eventually("all lamps in it", async () => lamps.every(isIn) || undefined);
});

test("a command to the group is one frame on the air, and no lamp needs its own", async () => {
  // The adapter learns of the last answer a moment after the lamp has sent it.
  await turn(true);
  await turn(false);
  assert.equal(switching("group"), 1);
  for (const { ieee } of lamps) assert.equal(switching(ieee), 0, ieee);
});

test("a lamp that misses the frame gets its own command and joins the group again", async () => {
  one.endpoints[0]?.cluster(groups, "server")?.forget();
  await turn(true);
  assert.deepEqual([switching("group"), switching(one.ieee)], [1, 1]);
  assert.deepEqual(
    lamps.filter(({ ieee }) => switching(ieee) > 0),
    [one],
  );
  await eventually("it in the group", async () => one.groupsOf(1).size > 0 || undefined);
});
