import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Device } from "@ledge/model";
import { devices, type Ieee, serveStick, SimulatedAir, Stick, type ServedStick } from "@ledge/testkit/zigbee";
import { eventually, temporaryFolder, TestHome } from "../testdata/hub-process.ts";
import { finds, networkUp, zigbeeProfile } from "../testdata/zigbee-hub.ts";

const air = new SimulatedAir();
const sockets = Array.from({ length: 12 }, (_, index) =>
  devices.unknownSocket(`0x000b57fffe0000${index.toString(16).padStart(2, "0")}`),
);
const folder = temporaryFolder();
let served: ServedStick<Stick>;
before(async () => {
  served = await serveStick(new Stick({ air }));
  for (const each of sockets) air.add(each);
  zigbeeProfile(folder.path, served);
});
const home = new TestHome("--profile", `${folder.path}/bare.json`);
after(async () => {
  await served.close();
  folder.remove();
});

/** Returns the sockets that the home has, by what it shows of them. */
async function kept(is: (device: Device) => boolean): Promise<readonly Device[]> {
  return (await home.all<Device>("/devices")).filter(({ type }) => type === "POWER_SOCKET").filter(is);
}

/** Mgmt_Permit_Joining_req. */
const permitJoining = 0x0036;
const isReachable = ({ state }: Device): boolean => state["reachable"] === true;

/** Waits until a scan lets devices join: its permit is a broadcast. */
async function scanning(): Promise<void> {
  await networkUp(home);
  air.log.clear();
  await eventually("an open network", async () => {
    await finds(home);
    return air.log.frames.some(({ cluster }) => cluster === permitJoining) ? true : undefined;
  });
}

test("a hub that is killed while twelve devices join keeps all of them, and none joins again", async () => {
  await scanning();
  for (const { ieee } of sockets) assert.ok(air.join(ieee));
  await eventually("the first of them", async () => ((await finds(home)).length > 0 ? true : undefined));
  await home.hub.kill();
  const joined = new Map(sockets.map(({ ieee }): [Ieee, number | undefined] => [ieee, air.nwkOf(ieee)]));
  await home.start();
  await scanning();
  // The library stores a device some time after it has joined; one that it does not know is found when it speaks.
  for (const { ieee } of sockets) air.announce(ieee);
  const chosen = new Set<string>();
  await eventually("all of them, kept", async () => {
    for (const { id, pairingStatus } of await finds(home)) {
      if (pairingStatus !== "COMPLETE" || chosen.has(id)) continue;
      chosen.add(id);
      await home.call("PUT", "/hub/scan", { type: "SET_SCAN_RESULT", id, ignored: false });
    }
    return chosen.size === sockets.length ? true : undefined;
  });
  await home.call("GET", "/hub/stopscan");
  await eventually("all of them, reachable", async () =>
    (await kept(isReachable)).length === sockets.length ? true : undefined,
  );
  for (const [ieee, nwk] of joined) assert.equal(air.nwkOf(ieee), nwk, `${ieee} did not join again`);
});

test("carries out a command when the stick is back that was given while it was pulled out", async () => {
  const [device] = await kept(isReachable);
  assert.ok(device);
  await served.unplug();
  const { status } = await home.call("PUT", "/devices/command", [{ type: "CMD_DEVICE_ON", id: device.id }]);
  assert.equal(status, 200);
  assert.ok(sockets.every(({ isOn }) => !isOn));
  await served.plug();
  await eventually("the command", async () => (sockets.some(({ isOn }) => isOn) ? true : undefined));
  await eventually("its report", async () =>
    (await kept(({ id, state }) => id === device.id && state["isOn"] === true)).length > 0 ? true : undefined,
  );
});
