import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "@ledge/testkit";
import type { HttpTransportType } from "@microsoft/signalr";
import type { GraphResponse } from "../graph/graph.ts";
import { Served } from "../http/test-served.ts";
import type { TestHub } from "../testdata/open-cloud.ts";
import { isLamp, PushClient, transports } from "./test-client.ts";

let served: Served;
let hub: TestHub;
let owner: string;
before(async () => {
  ({ served, hub, owner } = await Served.withHub());
});
after(() => served.stop());

for (const [name, transport] of transports)
  test(`a client on ${name} watches a register and sees a lamp go on`, () => seesLampGoOn(transport));

async function seesLampGoOn(transport: HttpTransportType): Promise<void> {
  await served.registers.set(hub.id, "lamp", false);
  const client = await PushClient.start(served, owner, { transport });
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
  const client = await PushClient.start(served, owner);
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
  for (const [, transport] of transports)
    for (const token of ["", "nonsense", hubKey])
      await assert.rejects(PushClient.start(served, token, { transport }), /401|Unauthorized/i);
});

for (const [name, transport] of transports)
  test(`a closed connection on ${name} gives back what it held, and a session id in its commands means nothing`, () =>
    givesBack(transport));

async function givesBack(transport: HttpTransportType): Promise<void> {
  const { watching } = served.platform;
  const before_ = watching.size.things;
  const client = await PushClient.start(served, owner, { transport });
  const subscribe = { type: "SubscribeHubCommand", hubId: hub.id, sessionId: "another" };
  await client.command(subscribe);
  await client.command({ type: "UnsubscribeHubCommand", hubId: hub.id, sessionId: "x" });
  assert.equal(watching.size.things, before_);
  await client.command(subscribe);
  assert.equal(watching.size.things, before_ + 1);
  await client.connection.stop();
  await until(() => watching.size.things === before_);
}
