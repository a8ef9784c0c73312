import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { memoryBus, memoryRegisterStore } from "@ledge/fleet";
import { limits, roles } from "@ledge/model";
import { TestTenant } from "../graph/test-tenant.ts";
import { Served } from "../http/test-served.ts";
import { type Asked, deviceLine, linesOf, send, TestHome } from "../replication/test-home.ts";
import { type DeviceEvent, DeviceEvents, EventStream } from "./device-events.ts";
import { PushClient } from "./test-client.ts";

let served: Served;
let home: TestHome;
let tenant: TestTenant;
before(async () => {
  served = await Served.start();
  tenant = await TestTenant.open(served, "owner@example.org");
  home = await TestHome.open(served, "owner@example.org");
  send(
    await home.next(1),
    linesOf(
      await home.next(1),
      [deviceLine("lamp"), deviceLine("plug"), deviceLine("safe", 1, { visible: false })],
      { next: "t.0", more: false },
      { full: true },
    ),
  );
  await home.stored("t.0");
});
after(() => served.stop());

let count = 0;
/** Lets the hub tell of changes of devices. */
async function tell(
  ...changes: readonly { readonly device: string; readonly type?: string; readonly object?: object }[]
): Promise<void> {
  const asked: Asked = await home.next(++count + 1);
  const lines = changes.flatMap(({ device, type = "StateChanged", object = {} }, index) => [
    { event: { ref: `${count}.${index}`, device, type, timestamp: 10 + count, changed: { isOn: true } } },
    type === "Removed"
      ? { removed: { kind: "device", id: device, timestamp: 10 + count } }
      : deviceLine(device, 10 + count, { state: { isOn: true }, ...object }),
  ]);
  send(asked, linesOf(asked, lines, { next: `t.${count}`, more: false }));
  await home.stored(`t.${count}`);
}

/** A client and the events that it has got. */
class EventClient {
  readonly events: DeviceEvent[] = [];
  failure: Error | undefined;
  readonly #client: PushClient;

  private constructor(client: PushClient) {
    this.#client = client;
  }

  static async start(token: string): Promise<EventClient> {
    return new EventClient(await PushClient.start(served, token));
  }

  open(): void {
    this.#client.connection.stream<DeviceEvent>("DeviceEventsStream").subscribe({
      next: (event) => void this.events.push(event),
      error: (error: Error) => (this.failure = error),
      complete: () => {},
    });
  }

  call(method: string, ...asked: unknown[]): Promise<unknown> {
    return this.#client.connection.invoke(method, ...asked);
  }

  /** Waits for a number of events. @returns their devices */
  async gets(many: number): Promise<string[]> {
    await this.#client.waits(() => this.events.length >= many);
    return this.events.map(({ deviceId }) => deviceId);
  }

  stop(): Promise<void> {
    return this.#client.connection.stop();
  }
}

const all = ["DeviceEventsSubscribeAll", "DeviceEventsUnsubscribeAll"];
const single = ["DeviceEventsSubscribe", "DeviceEventsUnsubscribe", "UnsubscribeDeviceEvents"];

test("a message that names no register or no devices is refused", async () => {
  const client = await EventClient.start(home.owner);
  const deviceRegisterId = home.hub.id;
  for (const method of all)
    for (const wrong of [null, "", "a", 7, {}, { deviceRegisterId: null }, [deviceRegisterId], "../etc"])
      await assert.rejects(
        client.call(method, wrong),
        /deviceRegisterId must be/,
        `${method} ${JSON.stringify(wrong)}`,
      );
  const many = Array.from({ length: limits.deviceEventsIds + 1 }, (_, at) => `d${at}`);
  for (const method of single)
    for (const wrong of [
      null,
      deviceRegisterId,
      { deviceRegisterId },
      { deviceIds: ["lamp"] },
      { deviceRegisterId, deviceIds: [] },
      { deviceRegisterId, deviceIds: "lamp" },
      { deviceRegisterId, deviceIds: [7] },
      { deviceRegisterId, deviceIds: many },
    ])
      await assert.rejects(client.call(method, wrong), /deviceIds must be given/, method);
  await client.call("DeviceEventsSubscribe", { deviceRegisterId, deviceIds: many.slice(1) });
  await client.stop();
});

test("a register that the user may not read is not there", async () => {
  const client = await EventClient.start(await served.logIn("stranger@example.org"));
  const deviceRegisterId = home.hub.id;
  await assert.rejects(
    client.call("DeviceEventsSubscribeAll", deviceRegisterId),
    /there is no device register/,
  );
  await assert.rejects(
    client.call("DeviceEventsSubscribe", { deviceRegisterId, deviceIds: ["lamp"] }),
    /there is no/,
  );
  await client.stop();
});

test("each change is one event with the state of the device, in order; without a stream there are none", async () => {
  const client = await EventClient.start(home.owner);
  await client.call("DeviceEventsSubscribeAll", home.hub.id);
  await tell({ device: "plug" });
  client.open();
  // The stream is open when a later call is answered.
  await client.call("DeviceEventsSubscribeAll", { deviceRegisterId: home.hub.id });
  await tell({ device: "lamp" }, { device: "lamp" }, { device: "plug" });
  assert.deepEqual(await client.gets(3), ["lamp", "lamp", "plug"]);
  assert.deepEqual(client.events[1], {
    deviceRegisterId: home.hub.id,
    deviceId: "lamp",
    eventType: "StateChanged",
    timestamp: 10 + count,
    changed: { isOn: true },
    state: { isOn: true },
    ref: `${count}.1`,
  });
  await client.stop();
});

test("who has subscribed to all devices stays so until all are unsubscribed", async () => {
  const deviceRegisterId = home.hub.id;
  const client = await EventClient.start(home.owner);
  client.open();
  await client.call("DeviceEventsSubscribe", { deviceRegisterId, deviceIds: ["lamp"] });
  await tell({ device: "plug" }, { device: "lamp" });
  assert.deepEqual(await client.gets(1), ["lamp"]);
  await client.call("DeviceEventsUnsubscribe", { deviceRegisterId, deviceIds: ["lamp", "plug"] });
  await tell({ device: "lamp" });
  await client.call("DeviceEventsSubscribeAll", deviceRegisterId);
  for (const method of ["DeviceEventsUnsubscribe", "UnsubscribeDeviceEvents"])
    await client.call(method, { deviceRegisterId, deviceIds: ["lamp"] });
  await tell({ device: "lamp" });
  assert.deepEqual(await client.gets(2), ["lamp", "lamp"]);
  await client.call("DeviceEventsUnsubscribeAll", { deviceRegisterId });
  await tell({ device: "lamp" });
  await client.call("DeviceEventsSubscribe", { deviceRegisterId, deviceIds: ["plug"] });
  await tell({ device: "plug", type: "Removed" });
  assert.deepEqual(await client.gets(3), ["lamp", "lamp", "plug"]);
  assert.deepEqual([client.events[2]?.eventType, client.events[2]?.state], ["Removed", null]);
  await client.stop();
});

test("a guest gets no event of a hidden device, and none at all once revoked", async () => {
  const token = await served.invited(home.owner, home.hub.id, "guest@example.org", roles.REMOTE_GUEST);
  const guest = await EventClient.start(token);
  guest.open();
  await guest.call("DeviceEventsSubscribeAll", home.hub.id);
  await tell({ device: "safe", object: { visible: false } }, { device: "lamp" });
  assert.deepEqual(await guest.gets(1), ["lamp"]);
  await tell({ device: "safe", type: "Removed" }, { device: "lamp", type: "Removed" });
  assert.deepEqual(await guest.gets(2), ["lamp", "lamp"]);
  const userId = served.accountId("guest@example.org");
  const { error } = await served.graph(home.owner, {
    type: "RevokeUserHubCommand",
    hubId: home.hub.id,
    userId,
  });
  assert.equal(error, undefined);
  const owner = await EventClient.start(home.owner);
  owner.open();
  await owner.call("DeviceEventsSubscribeAll", home.hub.id);
  await tell({ device: "lamp", type: "Added" });
  assert.deepEqual(await owner.gets(1), ["lamp"]);
  assert.equal(guest.events.length, 2);
  await Promise.all([guest.stop(), owner.stop()]);
});

test("devices that people add by hand have events, too", async () => {
  const deviceRegisterId = await tenant.createRegister("Meters");
  const client = await EventClient.start(tenant.token);
  client.open();
  await client.call("DeviceEventsSubscribeAll", deviceRegisterId);
  const device = { id: "meter", name: "Meter", type: "METER" };
  await tenant.send("AddDeviceDeviceRegisterCommand", { deviceRegisterId, device });
  await tenant.send("UpdateDeviceDeviceRegisterCommand", {
    deviceRegisterId,
    deviceId: "meter",
    device: { name: "M" },
  });
  await tenant.send("RemoveDeviceDeviceRegisterCommand", { deviceRegisterId, deviceId: "meter" });
  await client.gets(3);
  assert.deepEqual(
    client.events.map(({ eventType, changed }) => [eventType, changed]),
    [
      ["Added", null],
      ["Updated", null],
      ["Removed", null],
    ],
  );
  await client.stop();
});

test("calls about device events and messages to Graph share the allowance of their user", async () => {
  const busy = await EventClient.start(await served.logIn("busy@example.org"));
  const deviceRegisterId = home.hub.id;
  const asked = { deviceRegisterId, deviceIds: ["lamp"] };
  for (let sent = 1; sent < limits.graphRequestsPerMinute; sent++)
    await busy.call("DeviceEventsUnsubscribe", asked);
  await busy.call("Query", { query: { type: "ListHubsQuery" } });
  for (const method of [...all, ...single])
    await assert.rejects(busy.call(method, asked), /too many requests/);
  await assert.rejects(busy.call("Query", { query: { type: "ListHubsQuery" } }), /too many requests/);
  const other = await EventClient.start(home.owner);
  await other.call("DeviceEventsSubscribeAll", deviceRegisterId);
  await Promise.all([busy.stop(), other.stop()]);
});

describe("limits", () => {
  const event = {
    deviceRegisterId: "r",
    deviceId: "d",
    eventType: "Added",
    timestamp: 1,
    changed: null,
    state: null,
    ref: "1",
  } as const;

  test("a stream keeps as many events as its limit says, and ends with one more", async () => {
    const stream = new EventStream();
    for (let at = 0; at < limits.deviceEventsWaiting; at++) stream.add(event);
    assert.equal(stream.isOverrun, false);
    stream.add(event);
    assert.equal(stream.isOverrun, true);
    assert.deepEqual(await stream.next(new AbortController().signal), []);
  });

  test("a connection has a bounded number of subscriptions and streams", async () => {
    const bus = memoryBus({ after: () => () => {}, onError: (error) => assert.fail(String(error)) });
    const events = new DeviceEvents({ bus, registers: memoryRegisterStore(() => 1), reads: () => "all" });
    const ids = Array.from({ length: limits.deviceEventsDevices }, (_, at) => `d${at}`);
    assert.equal(events.subscribe("r0", ids), true);
    assert.equal(events.subscribe("r0", ids), true);
    assert.equal(events.subscribe("r0", ["one-more"]), false);
    for (let at = 1; at < limits.watchedPerUser; at++) assert.equal(events.subscribeAll(`r${at}`), true);
    assert.equal(events.subscribeAll("one-more"), false);
    for (let at = 0; at < limits.readersPerUser; at++) assert.notEqual(events.open(), undefined);
    assert.equal(events.open(), undefined);
    events.end();
    assert.equal(events.subscribeAll("one-more"), true);
    events.end();
    await bus.close();
  });
});
