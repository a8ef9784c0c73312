import assert from "node:assert/strict";
import { test } from "node:test";
import { createLogger } from "@ledge/host/logger";
import { features, roles } from "@ledge/model";
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
async function open(protocol = "bacnet") {
  const { kernel, clock, accept } = openTestKernel();
  const hub = await accept({ type: "CREATE_HUB", name: "Home", timezone: "UTC" });
  await accept({
    type: "SET_FEATURES",
    id: hub,
    features: [features.BACNET, features.BACNET_SERVER, features.MQTT],
  });
  const first = await accept({ ...add, name: "First", native: "1" });
  const second = await accept({ ...add, name: "Second", native: "2" });
  const asked: AdapterRequest[] = [];
  const bench = {
    kernel,
    clock,
    accept,
    hub,
    first,
    second,
    timers: 0,
    fault: undefined as Error | undefined,
  };
  let give: (commands: readonly object[]) => void = () => {};
  let heard: (outcome: object) => void = () => {};
  /** Hands a command of a client over, and returns its outcome. */
  const command = (given: object): Promise<object> =>
    new Promise((resolve) => {
      heard = resolve;
      give([given]);
    });
  const adapter = {
    offers: { pairing: false, groupcast: [], protocolCommands: [], requests: ["SERVE_HOME"] },
    request: async (request: AdapterRequest): Promise<unknown> => {
      asked.push(request);
      if (request.type === "TAKE_CLIENT_COMMANDS") {
        for (const outcome of request["outcomes"] as object[]) heard(outcome);
        return await new Promise((resolve) => (give = resolve));
      }
      if (bench.fault !== undefined) throw bench.fault;
      return true;
    },
  };
  const counted = {
    after: (ms: number, callback: () => void) => ((bench.timers += 1), clock.after(ms, callback)),
  };
  const host = { kernel, clock: counted, logger: createLogger("silent") };
  const serving = servingOf(protocol, host, () => adapter);
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
  return Object.assign(bench, { rename, enable, command, told, asked, settled: () => serving.settled() });
}

test("a request finds the adapter with the settings that were set before it, and no other waits", async () => {
  const bench = await open();
  await bench.settled();
  assert.deepEqual(bench.asked, []);
  await bench.enable(true);
  await bench.settled();
  assert.deepEqual(
    bench.asked.map(({ type, full }) => [type, full]),
    [
      ["SERVE_HOME", true],
      ["TAKE_CLIENT_COMMANDS", undefined],
    ],
  );
  await bench.rename(bench.first, "Other");
  await bench.settled();
  assert.equal(bench.asked.length, 2);
  assert.deepEqual(devicesIn((await bench.told())[2]).map(shown), [[bench.first, "Other"]]);
});

test("a request goes on when the adapter does not take the settings", async () => {
  const bench = await open();
  bench.fault = new AdapterError("refused", "the port is taken");
  await bench.enable(true);
  await bench.settled();
  assert.deepEqual(
    bench.asked.map(({ type }) => type),
    ["SERVE_HOME"],
  );
});

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

test("a broker's adapter is told of groups, scenes, rules, rooms and every press of a key", async () => {
  const bench = await open("mqtt");
  const room = await bench.accept({ type: "CMD_ROOM", name: "Hall" });
  await bench.accept({ type: "CMD_DEVICE_META", id: bench.first, room: [room] });
  const group = await bench.accept({ type: "CMD_GROUP", name: "All", members: [bench.first], room: [room] });
  const remote = await bench.accept({
    ...add,
    class: "REMOTE_CONTROL",
    capabilities: ["DEVICE"],
    name: "Keys",
    native: "3",
  });
  await bench.told();
  const others = async (): Promise<unknown> => (await bench.told()).flatMap((each) => each["others"]);
  await bench.accept({ type: "CMD_GROUP", id: group, name: "Both" });
  const both = { id: group, kind: "group", name: "Both", members: [bench.first], room: "Hall" };
  assert.deepEqual(await others(), [[group, both]]);
  const scene = await bench.accept({ type: "CMD_SCENE", name: "Movie" });
  assert.deepEqual(await others(), [[scene, { id: scene, kind: "scene", name: "Movie", isOn: false }]]);
  await bench.accept({ type: "CMD_ROOM", id: room, name: "Porch" });
  const [renamed] = await bench.told();
  assert.deepEqual(
    [devicesIn(renamed), renamed?.["others"]].map((list) =>
      (list as [string, { room: string }][]).map(([, { room: name }]) => name),
    ),
    [["Porch"], ["Porch"]],
  );
  for (const button of [1, 1, 2])
    await bench.accept({
      type: "REPORT_DEVICE",
      id: remote,
      attributes: { button, modifiers: [] },
      at: 1,
    });
  const presses = (await bench.told()).flatMap((each) => each["presses"]);
  assert.deepEqual(
    presses,
    [1, 1, 2].map((button) => [remote, button, []]),
  );
  await bench.accept({ type: "REMOVE_GROUP", id: group });
  assert.deepEqual(await others(), [[group, null]]);
  await bench.accept({ type: "SET_FEATURES", id: bench.hub, features: [] });
  const [off] = await bench.told();
  assert.deepEqual([off?.["mqtt"], off?.["full"]], [null, true]);
});

test("clients of a broker see the home as its user does, and nothing once that user has lost access", async () => {
  const bench = await open("mqtt");
  const user = { id: "gus", email: "gus@example.org", nickname: "Gus", phone: null };
  await bench.accept({ type: "ADD_USER", ...user, role: roles.GUEST });
  await bench.told();
  const told = async (): Promise<AdapterRequest | undefined> => (await bench.told()).at(-1);
  await bench.accept({ type: "SET_MQTT_BROKER", url: "mqtt://10.0.0.5", user: "gus" });
  const asGuest = await told();
  assert.equal(asGuest?.["full"], true);
  assert.equal((asGuest?.["mqtt"] as { role: number } | undefined)?.role, roles.GUEST);
  assert.deepEqual(devicesIn(asGuest).map(shown), [
    [bench.first, "First"],
    [bench.second, "Second"],
  ]);
  const refused = (device: string): Promise<object> =>
    bench.command({ id: 1, client: "broker", device, attributes: { isOn: true } });
  assert.deepEqual(await refused(bench.first), { id: 1 });
  await bench.accept({ type: "SET_USER_ROLE", id: "gus", role: roles.REMOTE_GUEST });
  const error = "the user of the broker may not do that";
  assert.deepEqual(await refused(bench.first), { id: 1, error });
  await bench.told();
  await bench.accept({ type: "REVOKE_USER", id: "gus" });
  const asNobody = await told();
  assert.equal(asNobody?.["full"], true);
  assert.deepEqual(devicesIn(asNobody), [
    [bench.first, "hidden"],
    [bench.second, "hidden"],
  ]);
  assert.deepEqual(await refused(bench.first), { id: 1, error });
});
