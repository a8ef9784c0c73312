import assert from "node:assert/strict";
import { test } from "node:test";
import type { Device } from "@ledge/model";
import { eventually, TestHome } from "../testdata/hub-process.ts";

interface DeviceScan {
  readonly id: string;
  readonly type: string;
  readonly ignored: boolean;
  readonly info: string | null;
  readonly actionRequired: boolean;
  readonly pairingStatus: string;
  readonly status: Device | null;
}
interface ScanDelta {
  readonly type: string;
  readonly timestamp: number;
  readonly full: boolean;
  readonly devices: readonly DeviceScan[];
}

const home = new TestHome();

async function scan(ts = 0, language = "en"): Promise<ScanDelta> {
  const headers = { authorization: home.key, "accept-language": language };
  const response = await fetch(`${home.hub.address}/cc/1.14/hub/scan?ts=${ts}`, { headers });
  assert.equal(response.status, 200);
  return (await response.json()) as ScanDelta;
}

const named = async (name: string): Promise<Device | undefined> =>
  (await home.all<Device>("/devices")).find((device) => device.name === name);

/** Scans until a device of that name is found. */
function found(name: string): Promise<DeviceScan> {
  return eventually(name, async () => (await scan()).devices.find(({ status }) => status?.name === name));
}

/** Scans until there is a find without a known device that shows this text. */
function unknown(info: string, language = "en"): Promise<DeviceScan> {
  return eventually(info, async () => (await scan(0, language)).devices.find((each) => each.info === info));
}

const keep = (id: string): Promise<unknown> =>
  home.call("PUT", "/hub/scan", { type: "SET_SCAN_RESULT", id, ignored: false });

test("a device that a scan found and a client chose can be switched", async () => {
  await home.device("Living room ceiling");
  const first = await scan();
  assert.deepEqual([first.type, first.full, Array.isArray(first.devices)], ["SCAN_DELTA", true, true]);
  const porch = await found("Porch lamp");
  assert.deepEqual([porch.type, porch.ignored, porch.status?.id], ["DEVICE_SCAN", true, porch.id]);
  const { timestamp } = await scan();
  assert.deepEqual(await keep(porch.id), { status: 200, json: true });
  const delta = await scan(timestamp);
  assert.equal(delta.full, false);
  assert.equal(delta.devices.find(({ id }) => id === porch.id)?.ignored, false);
  assert.equal((await home.call("PUT", "/hub/scan", { id: "nobody", ignored: false })).status, 404);
  assert.deepEqual(await home.call("GET", "/hub/stopscan"), { status: 200, json: true });
  const { id } = (await named("Porch lamp")) as Device;
  assert.equal(id, porch.id);
  await home.device("Porch lamp", ({ state }) => state["lastSeen"] !== null);
  await home.call("PUT", "/devices/command", [{ type: "CMD_DEVICE_ON", id }]);
  await home.device("Porch lamp", ({ state }) => state["isOn"] === true);
  assert.equal(await named("Plug of a neighbour"), undefined);
});

test("a device that needs its button pressed says so in the client's language, then is found", async () => {
  const remote = await unknown("Paina laitteen painiketta.", "fi");
  assert.deepEqual([remote.actionRequired, remote.status], [true, null]);
  assert.equal(remote.pairingStatus, "CONNECTING");
  const command = [{ type: "SIM_PRESS_BUTTON", native: "stray/remote" }];
  assert.deepEqual(await home.call("POST", "/hub/protocolconfig", command), { status: 200, json: true });
  assert.equal((await found("Garden remote")).id, remote.id);
  await keep(remote.id);
  const weather = await unknown("The device could not be paired. Reset it and try again.");
  await keep(weather.id);
  await home.call("GET", "/hub/stopscan");
  assert.notEqual(await named("Garden remote"), undefined);
  assert.equal(await named("Weather station"), undefined);
});

test("a find that went away disappears, and the next answer is a full one", async () => {
  const plug = await found("Plug of a neighbour");
  const { timestamp } = await scan();
  const later = await eventually("an answer without it", async () => {
    const delta = await scan(timestamp);
    return delta.full && delta.devices.every(({ id }) => id !== plug.id) ? delta : undefined;
  });
  assert.ok(later.devices.length > 0);
  await home.call("GET", "/hub/stopscan");
});

test("a removed device comes back by a scan under its id; an ignored one comes back after a reset", async () => {
  const { id } = (await named("Floor lamp")) as Device;
  assert.equal((await home.call("DELETE", "/devices", [id])).json, true);
  assert.equal((await found("Floor lamp")).id, id);
  await keep(id);
  await home.call("GET", "/hub/stopscan");
  assert.equal((await named("Floor lamp"))?.id, id);
  const ignore = [{ type: "CMD_IGNORE_DEVICE", id }];
  assert.deepEqual(await home.call("PUT", "/devices/command", ignore), { status: 200, json: true });
  assert.deepEqual(await home.call("PUT", "/devices/command", ignore), { status: 200, json: false });
  await found("Plug of a neighbour");
  assert.ok((await scan()).devices.every((find) => find.id !== id));
  await home.call("GET", "/hub/stopscan");
  const reset = await home.call("PUT", "/devices/command", [{ type: "CMD_RESET_IGNORED" }]);
  assert.deepEqual(reset, { status: 200, json: true });
  assert.equal((await found("Floor lamp")).id, id);
  await home.call("GET", "/hub/stopscan");
});

test("a scan without polls ends and pairs the chosen devices", async () => {
  const lamp = await found("Floor lamp");
  await keep(lamp.id);
  await home.device("Floor lamp");
});

test("a scan that a kill cuts short ends at the next start, and the chosen device works", async () => {
  const ceiling = await named("Bedroom ceiling");
  await home.call("DELETE", "/devices", [ceiling?.id]);
  const { id } = await found("Bedroom ceiling");
  await keep(id);
  await home.hub.kill();
  await home.start();
  await home.device("Bedroom ceiling");
  // Its adapter may not run yet: then the command fails and is sent again.
  await eventually("the lamp, on", async () => {
    await home.call("PUT", "/devices/command", [{ type: "CMD_DEVICE_ON", id }]);
    return (await named("Bedroom ceiling"))?.state["isOn"] === true ? true : undefined;
  });
  assert.notEqual(await named("Porch lamp"), undefined);
  assert.equal((await scan()).full, true);
  await home.call("GET", "/hub/stopscan");
});

test("an adapter that dies during a scan looks for devices again after its restart", async () => {
  await found("Plug of a neighbour");
  const { id } = (await named("Porch lamp")) as Device;
  await home.call("DELETE", "/devices", [id]);
  await home.hub.killAdapter();
  await found("Porch lamp");
  await home.call("GET", "/hub/stopscan");
});
