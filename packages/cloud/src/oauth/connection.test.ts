// What an access token brings over /hub/v1 and fetches, and when that ends.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { limits } from "@ledge/model";
import type { Served } from "../http/test-served.ts";
import { isLamp, PushClient } from "../push/test-client.ts";
import type { TestHub } from "../testdata/open-cloud.ts";
import type { MadeClient } from "./clients.ts";
import { ask, makeClient, redirectUri, startServed, tokensFor } from "./test-flow.ts";

const person = "owner@a.example";
let served: Served;
let hub: TestHub;
let owner: string;
let client: MadeClient;
before(async () => {
  served = await startServed();
  ({ hub, owner } = await served.claimed(person));
  const scopes = ["openid", "offline_access", "platform.read", "devices.read", "devices.control"] as const;
  client = await makeClient(served, person, scopes, { redirectUris: [redirectUri] });
});
after(() => served.stop());

const tokenWith = async (scope: string): Promise<string> =>
  (await tokensFor(served, client, person, scope)).access_token;
const subscribe = (): object => ({ type: "SubscribeDeviceRegisterCommand", deviceRegisterId: hub.id });

test("a reader gets only what the scopes of its token reach, whatever its user watches", async () => {
  const watching = await PushClient.start(served, await tokenWith("devices.read"));
  const narrow = await PushClient.start(served, await tokenWith("platform.read"));
  for (const each of [watching, narrow]) each.open();
  assert.equal((await narrow.command(subscribe())).error?.code, "E_FORBIDDEN");
  assert.equal((await watching.command(subscribe())).error, undefined);
  await served.registers.set(hub.id, "lamp", true);
  await watching.gets(isLamp("lamp", true));
  await narrow.waits(() => narrow.pushes.filter(({ type }) => type === "HeartbeatPush").length > 1);
  assert.deepEqual(new Set(narrow.pushes.map(({ type }) => type)), new Set(["HeartbeatPush"]));
  for (const each of [watching, narrow]) await each.connection.stop();
});

test("a fetch with another token of the same session name gets nothing that this token does not reach", async () => {
  const token = await tokenWith("devices.read");
  const message = { ...subscribe(), sessionId: "shared", type: "SubscribeDeviceRegisterCommand" };
  assert.equal((await served.graph(token, message)).error, undefined);
  await served.registers.set(hub.id, "lamp", false);
  const typesOf = async (bearer: string): Promise<Set<string>> =>
    new Set((await served.fetched(bearer, "shared", 1)).map(({ type }) => type));
  assert.deepEqual(await typesOf(await tokenWith("platform.read")), new Set(["HeartbeatPush"]));
  assert.ok((await typesOf(token)).has("DeviceStateDeviceRegisterPush"));
});

test("a connection ends within 5 seconds of its client", async () => {
  const gone = await makeClient(served, person, ["devices.read"]);
  const { access_token } = await tokensFor(served, gone, person, "devices.read");
  const connected = await PushClient.start(served, access_token);
  connected.open();
  await connected.gets(({ type }) => type === "HeartbeatPush");
  const deleted = await served.graph(owner, { type: "DeleteClientCommand", clientId: gone.clientId });
  assert.equal(deleted.error, undefined);
  await connected.waits(() => connected.noticed.includes("closed"), 5000);
});

test("a connection ends within 5 seconds of its token, and the next token opens it again", async () => {
  const { access_token, refresh_token = "" } = await tokensFor(
    served,
    client,
    person,
    "openid offline_access devices.read",
  );
  const connected = await PushClient.start(served, access_token);
  connected.open();
  await connected.command({ type: "SubscribeHubCommand", hubId: hub.id });
  await connected.gets(({ type }) => type === "PresenceHubPush");
  // The library issues by the machine's clock, from which the cloud's is not far.
  const { access_token: next } = await ask(served.base, client, {
    grant_type: "refresh_token",
    refresh_token,
  });
  const again = await PushClient.start(served, next);
  await again.connection.stop();
  const ahead = Math.max(0, Date.now() - served.test.clock.wall());
  served.test.clock.stepWall(limits.accessTokenMs + ahead);
  await connected.waits(() => connected.noticed.includes("closed"), 5000 + limits.clockCheckMs);
});
