import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { memoryLog } from "@ledge/log";
import { roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { type Client, openTestHub, type TestHub } from "../test-hub.ts";

let hub: TestHub;
let api: Client;
let owner: string;

beforeEach(async () => {
  hub = await openTestHub(memoryLog(), new SimulatedClock());
  api = hub.api("local");
  owner = await hub.sign();
});

interface Named {
  readonly id: string;
  readonly name: string;
}

const create = async (name: string): Promise<string> => {
  const { body } = await api.send("PUT", "/zones", owner, [{ type: "CMD_ZONE", id: null, name }]);
  return (body as Named[])[0]?.id ?? "";
};

test("creates, renames, shows and removes zones", async () => {
  const [up, down] = [await create("Up"), await create("Down")];
  const all = (await api.send("GET", "/zones", owner)).body as Record<string, Named>;
  assert.deepEqual(Object.keys(all), [up, down]);
  assert.deepEqual(Object.keys(all[up] ?? {}), ["type", "id", "name", "timestamp"]);
  const one = (await api.send("GET", `/zones?zoneId=${down}`, owner)).body as Record<string, Named>;
  assert.deepEqual(Object.keys(one), [down]);
  assert.equal((await api.send("GET", "/zones?zoneId=nowhere", owner)).status, 404);
  const renamed = (await api.send("PUT", "/zones", owner, { id: up, name: "Attic" })).body as Named[];
  assert.deepEqual(
    renamed.map(({ name }) => name),
    ["Attic"],
  );
  assert.equal((await api.send("PUT", "/zones", owner, [{ name: "New" }, { id: "nowhere" }])).status, 404);
  assert.equal((await api.send("DELETE", `/zones?zoneId=${up}`, owner)).body, true);
  assert.equal((await api.send("DELETE", `/zones?zoneId=${up}`, owner)).status, 404);
  assert.equal(hub.kernel.size("zone"), 1);
});

test("shows a device's zones, which must exist and number 16 at most", async () => {
  const [up, lamp] = [await create("Up"), await hub.addDevice()];
  const set = (zones: string[]): object => ({ type: "CMD_DEVICE_META", id: lamp, zones });
  assert.equal((await api.send("PUT", "/devices", owner, set([up]))).body, true);
  const devices = (await api.send("GET", "/devices", owner)).body as Record<string, { zones: string[] }>;
  assert.deepEqual(devices[lamp]?.zones, [up]);
  assert.equal((await api.send("PUT", "/devices", owner, set(["nowhere"]))).status, 422);
  const many = Array.from({ length: 17 }, () => up);
  assert.equal((await api.send("PUT", "/devices", owner, set(many))).status, 422);
  assert.equal((await api.send("PUT", "/devices", owner, set(many.slice(1)))).status, 200);
});

test("lets a guest read zones but not change them", async () => {
  const { key } = await hub.user(roles.GUEST);
  assert.equal((await api.send("GET", "/zones", key)).status, 200);
  assert.equal((await api.send("PUT", "/zones", key, [{ name: "X" }])).status, 403);
  assert.equal((await api.send("DELETE", "/zones?zoneId=x", key)).status, 403);
});
