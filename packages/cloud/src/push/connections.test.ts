import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { limits, roles } from "@ledge/model";
import { until } from "@ledge/testkit";
import { HttpTransportType, type HubConnection, HubConnectionBuilder, LogLevel } from "@microsoft/signalr";
import type { GraphResponse } from "../graph/graph.ts";
import { Served } from "../http/test-served.ts";
import type { TestHub } from "../testdata/open-cloud.ts";
import type { Push } from "./pushes.ts";

let served: Served;
let hub: TestHub;
let owner: string;
before(async () => {
  ({ served, hub, owner } = await Served.withHub());
});
after(() => served.stop());

/** An ordinary client, and what it was pushed. */
class Client {
  readonly connection: HubConnection;
  readonly pushes: Push[] = [];
  failure: Error | undefined;

  private constructor(token: string, transport: HttpTransportType) {
    this.connection = new HubConnectionBuilder()
      .withUrl(`${served.base}/hub/v1`, {
        accessTokenFactory: () => token,
        transport,
      })
      .configureLogging(LogLevel.None)
      .build();
  }

  static async start(token: string, transport = HttpTransportType.WebSockets): Promise<Client> {
    const client = new Client(token, transport);
    await client.connection.start();
    return client;
  }

  /** Opens the stream of pushes. */
  open(): void {
    this.connection.stream<{ push: Push }>("Push", {}).subscribe({
      next: ({ push }) => void this.pushes.push(push),
      error: (error: Error) => (this.failure = error),
      complete: () => {},
    });
  }

  async command(command: object): Promise<GraphResponse["result"]> {
    return (await this.connection.invoke<GraphResponse>("Command", { command })).result;
  }

  /** Waits until a push is there. */
  async gets(what: (push: Push) => boolean): Promise<Push> {
    await until(() => this.pushes.some(what) || void served.test.clock.pass(20));
    return this.pushes.find(what) ?? assert.fail();
  }
}

const isLamp = (id: string, isOn: boolean) => (push: Push) =>
  push.type === "DeviceStateDeviceRegisterPush" && push.deviceId === id && push.state?.["isOn"] === isOn;

const transports = [
  HttpTransportType.WebSockets,
  HttpTransportType.ServerSentEvents,
  HttpTransportType.LongPolling,
];
for (const transport of transports)
  test(`a client on ${HttpTransportType[transport]} watches a register and sees a lamp go on`, () =>
    seesLampGoOn(transport));

async function seesLampGoOn(transport: HttpTransportType): Promise<void> {
  await served.registers.set(hub.id, "lamp", false);
  const client = await Client.start(owner, transport);
  client.open();
  const subscribe = { type: "SubscribeDeviceRegisterCommand", deviceRegisterId: hub.id };
  assert.deepEqual(await client.command(subscribe), { type: "SubscribeDeviceRegisterCommandResult" });
  await client.gets(({ type }) => type === "SnapshotDeviceRegisterPush");
  await served.registers.set(hub.id, "lamp", true);
  assert.deepEqual(await client.gets(isLamp("lamp", true)), {
    type: "DeviceStateDeviceRegisterPush",
    deviceRegisterId: hub.id,
    deviceId: "lamp",
    name: "Lamp lamp",
    deviceType: "LIGHT",
    capabilities: ["ON_OFF"],
    room: ["hall"],
    state: { type: "DEVICE_STATE", reachable: true, lastSeen: null, isOn: true },
    reachable: true,
    removed: false,
    timestamp: served.registers.timestamp,
  });
  assert.equal(client.pushes[0]?.type, "HeartbeatPush");
  await served.registers.remove(hub.id, "lamp");
  const gone = await client.gets((push) => push.type === "DeviceStateDeviceRegisterPush" && push.removed);
  assert.equal("state" in gone && gone.state, null);
  await client.connection.stop();
}

test("answers queries as over HTTP, and refuses what HTTP refuses", async () => {
  const client = await Client.start(owner);
  const asked = { query: { type: "GetHubQuery", hubId: hub.id }, correlationId: "abc" };
  const { result, correlationId } = await client.connection.invoke<GraphResponse>("Query", asked);
  assert.equal((result["hub"] as { hubId: string }).hubId, hub.id);
  assert.equal(correlationId, "abc");
  for (const wrong of [null, {}, { query: {} }, "x", { query: { type: "GetHubQuery" }, correlationId: "" }])
    await assert.rejects(client.connection.invoke("Query", wrong), /request|query|correlationId|type/i);
  await assert.rejects(client.connection.invoke("Query"), Error);
  assert.equal((await client.command({ type: "GetHubQuery", hubId: hub.id })).error?.code, "E_UNKNOWN_TYPE");
  await client.connection.stop();
});

test("refuses a connection without a valid token", async () => {
  const { json } = await served.ui("GET", "/user/hubkeys", { token: owner });
  const hubKey = (json as Record<string, string>)[hub.id] ?? assert.fail();
  for (const transport of transports)
    for (const token of ["", "nonsense", hubKey])
      await assert.rejects(Client.start(token, transport), /401|Unauthorized/i);
});

for (const transport of transports)
  test(`a closed connection on ${HttpTransportType[transport]} gives back what it held, and a session id in its commands means nothing`, () =>
    givesBack(transport));

async function givesBack(transport: HttpTransportType): Promise<void> {
  const { watching } = served.platform;
  const before_ = watching.size.things;
  const client = await Client.start(owner, transport);
  const subscribe = { type: "SubscribeHubCommand", hubId: hub.id, sessionId: "another" };
  await client.command(subscribe);
  await client.command({ type: "UnsubscribeHubCommand", hubId: hub.id, sessionId: "x" });
  assert.equal(watching.size.things, before_);
  await client.command(subscribe);
  assert.equal(watching.size.things, before_ + 1);
  await client.connection.stop();
  await until(() => watching.size.things === before_);
}

test("a revoked user gets nothing more, and is told so", async () => {
  const json = { hubId: hub.id, email: "friend@example.org", role: roles.IDENTIFIED_USER };
  assert.equal((await served.ui("POST", "/user/invite", { token: owner, json })).status, 200);
  const token = await served.join("friend@example.org", hub.id);
  const client = await Client.start(token);
  client.open();
  await client.command({ type: "SubscribeDeviceRegisterCommand", deviceRegisterId: hub.id });
  await served.registers.set(hub.id, "door", true);
  await client.gets(isLamp("door", true));
  const revoke = { hubId: hub.id, email: "friend@example.org" };
  assert.equal(
    (await served.ui("DELETE", "/user/authorization", { token: owner, json: revoke })).status,
    200,
  );
  await client.gets(({ type }) => type === "ReleasedDeviceRegisterPush");
  await served.registers.set(hub.id, "door", false);
  await served.test.clock.pass(100);
  assert.equal(client.pushes.some(isLamp("door", false)), false);
  const again = await client.command({ type: "SubscribeDeviceRegisterCommand", deviceRegisterId: hub.id });
  assert.equal(again.error?.code, "E_NOT_FOUND");
  await client.connection.stop();
});

test("ends a connection soon after its session has ended", async () => {
  const token = await served.logIn("owner@example.org");
  const client = await Client.start(token);
  const closed = new Promise((resolve) => {
    client.connection.onclose(resolve);
  });
  assert.equal((await served.ui("PUT", "/user/logout", { token })).status, 200);
  await served.test.clock.pass(limits.pushSessionCheckMs + 100);
  await closed;
});

test("a user may open a number of streams", async () => {
  const client = await Client.start(await served.logIn("many@example.org"));
  for (let count = 0; count < limits.readersPerUser; count++) client.open();
  const { clock } = served.test;
  await until(() => client.pushes.length === limits.readersPerUser || void clock.pass(20));
  client.open();
  await until(() => client.failure !== undefined || void clock.pass(20));
  assert.match(String(client.failure), /too many open streams/);
  await client.connection.stop();
});
