import assert from "node:assert/strict";
import { test } from "node:test";
import { createLogger } from "@ledge/host/logger";
import { features } from "@ledge/model";
import type { AdapterRequest } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import { openTestKernel } from "@ledge/testkit";
import { servingOf } from "./serving.ts";

const settings = { deviceId: 77, deviceName: "House", port: 47_808, broadcast: false };
const add = {
  type: "ADD_DEVICE",
  protocol: "sim",
  radio: "air",
  class: "LIGHT",
  capabilities: ["DEVICE", "ON_OFF"],
  manufacturer: null,
  model: null,
  extras: {},
};
const shown = ([id, device]: [string, { name: string }]): unknown => [id, device.name];

const devicesIn = (request: AdapterRequest | undefined): [string, { name: string }][] =>
  (request?.["devices"] ?? []) as [string, { name: string }][];

/** A hub with two lamps, and the requests that the adapter of its server gets. */
async function open() {
  const { kernel, clock, accept } = openTestKernel();
  const hub = await accept({ type: "CREATE_HUB", name: "Home", timezone: "UTC" });
  await accept({ type: "SET_FEATURES", id: hub, features: [features.BACNET, features.BACNET_SERVER] });
  const first = await accept({ ...add, name: "First", native: "1" });
  const second = await accept({ ...add, name: "Second", native: "2" });
  const asked: AdapterRequest[] = [];
  const bench = { kernel, clock, accept, first, second, timers: 0, fault: undefined as Error | undefined };
  const adapter = {
    offers: { pairing: false, groupcast: [], protocolCommands: [], requests: ["SERVE_HOME"] },
    request: async (request: AdapterRequest): Promise<unknown> => {
      asked.push(request);
      if (request.type === "TAKE_CLIENT_COMMANDS") return await new Promise(() => {});
      if (bench.fault !== undefined) throw bench.fault;
      return true;
    },
  };
  const counted = {
    after: (ms: number, callback: () => void) => ((bench.timers += 1), clock.after(ms, callback)),
  };
  const host = { kernel, clock: counted, logger: createLogger("silent") };
  const serving = servingOf("bacnet", host, () => adapter);
  assert.ok(serving);
  kernel.subscribe({
    published: ({ events }) => {
      for (const event of events) serving.follow(event);
    },
  });
  serving.running();
  const rename = (id: string, name: string): Promise<string> => accept({ type: "CMD_DEVICE_META", id, name });
  const enable = (bacnetEnabled: boolean): Promise<string> =>
    accept({ type: "BACNET_SETTINGS", bacnetEnabled, ...settings });
  const told = async (): Promise<readonly AdapterRequest[]> => (await clock.pass(100), asked.splice(0));
  return Object.assign(bench, { rename, enable, told });
}

test("an event costs neither a timer nor a request while the server is off", async () => {
  const bench = await open();
  await bench.rename(bench.first, "Other");
  assert.deepEqual([await bench.told(), bench.timers], [[], 0]);
});

test("the adapter is told of all devices when the server goes on, and then of what has changed", async () => {
  const bench = await open();
  await bench.enable(true);
  const [all, commands, ...more] = await bench.told();
  assert.deepEqual(devicesIn(all).map(shown), [
    [bench.first, "First"],
    [bench.second, "Second"],
  ]);
  assert.equal(all?.["full"], true);
  assert.equal((all?.["bacnet"] as typeof settings | undefined)?.deviceId, 77);
  assert.deepEqual([commands?.type, more], ["TAKE_CLIENT_COMMANDS", []]);
  for (const name of ["Third", "Fourth"]) await bench.rename(bench.second, name);
  const changes = await bench.told();
  assert.deepEqual(
    changes.map((change) => [change["full"], devicesIn(change).map(shown)]),
    [[false, [[bench.second, "Fourth"]]]],
  );
});

test("the adapter is told when the server goes off, and of nothing more", async () => {
  const bench = await open();
  await bench.enable(true);
  await bench.told();
  await bench.enable(false);
  const off = { type: "SERVE_HOME", full: true, devices: [], bacnet: null };
  assert.deepEqual(await bench.told(), [off]);
  await bench.rename(bench.first, "Other");
  assert.deepEqual(await bench.told(), []);
});

test("an adapter that was not told is told everything again", async () => {
  const bench = await open();
  bench.fault = new AdapterError("timeout", "no answer");
  await bench.enable(true);
  assert.equal((await bench.told()).length, 1);
  bench.fault = undefined;
  await bench.clock.pass(1000);
  const [again] = await bench.told();
  assert.deepEqual([again?.["full"], devicesIn(again).length], [true, 2]);
});
