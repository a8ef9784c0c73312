import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { limits } from "@ledge/model";
import type { GraphResponse } from "../graph/graph.ts";
import type { Push } from "../push/pushes.ts";
import type { TestHub } from "../testdata/open-cloud.ts";
import { type Message, Served } from "./test-served.ts";

let served: Served;
let hub: TestHub;
let owner: string;
before(async () => {
  ({ served, hub, owner } = await Served.withHub());
});
after(() => served.stop());

const command = (message: Message, token = owner): Promise<GraphResponse["result"]> =>
  served.graph(token, message);
const register = (): object => ({ deviceRegisterId: hub.id, sessionId: "page" });
const fetched = (sessionId: string, wait: number): Promise<readonly Push[]> =>
  served.fetched(owner, sessionId, wait);

test("a fetch brings the pushes of what its session has subscribed to, a heartbeat first", async () => {
  await served.registers.set(hub.id, "lamp", true);
  const result = await command({ type: "SubscribeDeviceRegisterCommand", ...register() });
  assert.deepEqual(result, { type: "SubscribeDeviceRegisterCommandResult" });
  const pushes = await fetched("page", 1);
  const types = ["HeartbeatPush", "DeviceStateDeviceRegisterPush", "SnapshotDeviceRegisterPush"];
  assert.deepEqual(
    pushes.map(({ type }) => type),
    types,
  );
  await served.registers.set(hub.id, "lamp", false);
  const [, next] = await fetched("page", 1);
  assert.ok(next?.type === "DeviceStateDeviceRegisterPush");
  assert.equal(next.state?.["isOn"], false);
  assert.deepEqual(await command({ type: "UnsubscribeDeviceRegisterCommand", ...register() }), {
    type: "UnsubscribeDeviceRegisterCommandResult",
  });
});

test("a subscription over HTTP names the session that fetches", async () => {
  const { error } = await command({ type: "SubscribeHubCommand", hubId: hub.id });
  assert.deepEqual([error?.code, error?.details?.["field"]], ["E_INVALID", "sessionId"]);
  for (const sessionId of ["", "x".repeat(limits.sessionIdChars + 1), 7, null]) {
    const wrong = await command({ type: "SubscribeHubCommand", hubId: hub.id, sessionId });
    assert.equal(wrong.error?.code, "E_INVALID", String(sessionId));
  }
  const longest = "x".repeat(limits.sessionIdChars);
  const { error: none } = await command({ type: "SubscribeHubCommand", hubId: hub.id, sessionId: longest });
  assert.equal(none, undefined);
});

test("nobody subscribes to what they may not read", async () => {
  const stranger = await served.logIn("stranger@example.org");
  for (const message of [
    { type: "SubscribeHubCommand", hubId: hub.id, sessionId: "s" },
    { type: "SubscribeDeviceRegisterCommand", deviceRegisterId: hub.id, sessionId: "s" },
    { type: "SubscribeHubCommand", hubId: "no-such-hub", sessionId: "s" },
  ]) {
    const { error } = await command(message, stranger);
    assert.equal(error?.code, "E_NOT_FOUND");
  }
});

test("more subscriptions than a minute may hold are refused with E_LIMIT", async () => {
  const own = await served.logIn("owner@example.org");
  const message = { type: "SubscribeHubCommand", hubId: hub.id, sessionId: "many" };
  await served.test.clock.pass(60_000);
  for (let count = 0; count < limits.snapshotsPerMinute; count++)
    assert.equal((await command(message, own)).error, undefined);
  assert.equal((await command(message, own)).error?.code, "E_LIMIT");
});

test("a hub's subscribers see when it is connected", async () => {
  await served.test.clock.pass(60_000);
  await command({ type: "SubscribeHubCommand", hubId: hub.id, sessionId: "presence" });
  const [, presence] = await fetched("presence", 1);
  assert.deepEqual(presence, {
    type: "PresenceHubPush",
    hubId: hub.id,
    connected: false,
    version: "1.14.15.1",
    since: null,
  });
});

test("a wait is between 1 and 55 seconds, and a session id is needed", async () => {
  for (const json of [
    {},
    { sessionId: "" },
    { sessionId: "x".repeat(limits.sessionIdChars + 1) },
    { sessionId: "s", wait: 0 },
    { sessionId: "s", wait: 56 },
    { sessionId: "s", wait: 1.5 },
    { sessionId: "s", wait: "1" },
  ]) {
    const { status, headers } = await served.call("POST", "/graph/push", { token: owner, json });
    assert.deepEqual([status, headers.get("content-type")], [422, "application/problem+json"]);
  }
  assert.equal((await served.call("POST", "/graph/push", { json: { sessionId: "s" } })).status, 401);
  assert.equal((await fetched("s", 55)).at(0)?.type, "HeartbeatPush");
});

test("the marker of the stream answers 400 to anyone, with problem details", async () => {
  for (const sending of [{}, { token: owner }, { json: { sessionId: "s" } }, { body: "{" }]) {
    const { status, json, headers } = await served.call("POST", "/graph/push/stream", sending);
    assert.equal(status, 400);
    assert.equal(headers.get("content-type"), "application/problem+json");
    const { title, detail, instance } = json as Record<string, unknown>;
    assert.deepEqual([title, instance], ["Bad Request", "/graph/push/stream"]);
    assert.equal(typeof detail, "string");
  }
});
