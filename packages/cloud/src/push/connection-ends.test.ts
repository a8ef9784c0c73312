// What ends a connection, its streams or its pushes, over each transport.
import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { after, before, describe, test } from "node:test";
import { Connections } from "@ledge/host/connections";
import { closeServer, createServer, listen, onUpgrade } from "@ledge/host/server";
import { limits, roles } from "@ledge/model";
import { HttpTransportType } from "@microsoft/signalr";
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

/** Negotiates by hand. Returns the address of the connection, without the credential. */
async function negotiated(token: string): Promise<string> {
  const path = "/hub/v1/negotiate?negotiateVersion=1";
  const { json, status } = await served.call("POST", path, { token });
  assert.equal(status, 200);
  return `/hub/v1?id=${(json as { connectionToken: string }).connectionToken}`;
}

/** Asks for a WebSocket. Returns the status of the refusal, or 101. */
async function upgraded(path: string, token: string): Promise<number | undefined> {
  const headers = {
    authorization: token,
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": Buffer.alloc(16).toString("base64"),
  };
  const asked = request(served.base + path, { headers });
  asked.end();
  const [answer] = (await Promise.race([once(asked, "response"), once(asked, "upgrade")])) as [
    IncomingMessage,
  ];
  answer.destroy();
  return answer.statusCode;
}

for (const [name, transport] of transports) {
  describe(`a connection on ${name}`, () => {
    test("of a revoked user gets nothing more within a second, and is told so", async () => {
      const [email, lamp] = [`${HttpTransportType[transport]}@example.org`, `lamp of ${name}`];
      const json = { hubId: hub.id, email, role: roles.IDENTIFIED_USER };
      assert.equal((await served.ui("POST", "/user/invite", { token: owner, json })).status, 200);
      const client = await PushClient.start(served, await served.join(email, hub.id), { transport });
      client.open();
      const subscribe = { type: "SubscribeDeviceRegisterCommand", deviceRegisterId: hub.id };
      await client.command(subscribe);
      await client.command({ type: "SubscribeHubCommand", hubId: hub.id });
      await served.registers.set(hub.id, lamp, true);
      await client.gets(isLamp(lamp, true));
      const revoked = { token: owner, json: { hubId: hub.id, email } };
      assert.equal((await served.ui("DELETE", "/user/authorization", revoked)).status, 200);
      for (const type of ["ReleasedDeviceRegisterPush", "ReleasedHubPush"])
        await client.gets((push) => push.type === type, 1000);
      await served.registers.set(hub.id, lamp, false);
      await served.test.clock.pass(1000);
      assert.equal((await client.command(subscribe)).error?.code, "E_NOT_FOUND");
      assert.equal(client.pushes.some(isLamp(lamp, false)), false);
      await client.connection.stop();
    });

    test("ends within 5 seconds of its session, and gives back what it held", async () => {
      const token = await served.logIn("owner@example.org");
      const client = await PushClient.start(served, token, { transport });
      client.open();
      await client.command({ type: "SubscribeHubCommand", hubId: hub.id });
      await client.gets(({ type }) => type === "PresenceHubPush");
      const { watching } = served.platform;
      const held = watching.size.things;
      assert.equal((await served.ui("PUT", "/user/logout", { token })).status, 200);
      // The client is told to come back, and its token is refused.
      await client.waits(() => client.noticed.includes("closed"), 5000);
      await client.waits(() => watching.size.things === held - 1);
    });

    test("may have a number of streams", async () => {
      const token = await served.logIn(`many-${HttpTransportType[transport]}@example.org`);
      const client = await PushClient.start(served, token, { transport });
      for (let count = 0; count < limits.readersPerUser; count++) client.open();
      await client.waits(() => client.pushes.length >= limits.readersPerUser);
      client.open();
      await client.waits(() => client.failure !== undefined);
      assert.match(String(client.failure), /too many open streams/);
      await client.connection.stop();
    });
  });
}

describe("the token of a connection", () => {
  test("opens nothing when the session has ended since it was negotiated", async () => {
    const token = await served.logIn("owner@example.org");
    const address = await negotiated(token);
    assert.equal(await upgraded(await negotiated(token), token), 101, "before");
    assert.equal((await served.ui("PUT", "/user/logout", { token })).status, 200);
    for (const headers of [{}, { accept: "text/event-stream" }])
      assert.equal((await served.call("GET", address, { token, headers })).status, 401);
    assert.equal(await upgraded(address, token), 401);
    for (const method of ["POST", "DELETE"])
      assert.equal((await served.call(method, address, { token, body: "x" })).status, 401);
  });

  test("is of no use to another user, nor without a credential", async () => {
    const address = await negotiated(owner);
    assert.equal((await served.call("GET", address, { token: owner })).status, 200, "the first poll");
    const stranger = await served.logIn("stranger@example.org");
    for (const method of ["GET", "POST", "DELETE"]) {
      assert.equal((await served.call(method, address, { token: stranger })).status, 404, method);
      assert.equal((await served.call(method, address)).status, 401, method);
    }
    assert.equal((await served.call("DELETE", address, { token: owner })).status, 202);
  });
});

test("counts sockets as those of their user: a user may have a number, whoever else is at the address", async () => {
  const { platform } = served;
  const bounds = {
    connections: 20,
    connectionsPerAddress: 20,
    strangersPerAddress: 1,
    connectionsPerUser: 2,
  };
  const server = createServer(() => new Response(null, { status: 404 }), {
    before: (...asked) => platform.connections.handle(...asked),
    connections: new Connections(bounds),
  });
  onUpgrade(server, (...asked) => void platform.connections.upgrade(...asked));
  const base = await listen(server, "127.0.0.1", 0);
  try {
    const start = (token: string): Promise<PushClient> => PushClient.start(served, token, { base });
    const other = await served.logIn("other@example.org");
    const clients = [await start(owner), await start(owner), await start(other)];
    await assert.rejects(start(owner));
    for (const client of clients) {
      assert.equal(
        (await client.command({ type: "SubscribeHubCommand", hubId: "x" })).error?.code,
        "E_NOT_FOUND",
      );
      await client.connection.stop();
    }
  } finally {
    await closeServer(server, 0);
  }
});

test("a cloud that drains sends all clients away to reconnect, and takes none", async () => {
  const clients = await Promise.all(
    transports.map(([, transport]) => PushClient.start(served, owner, { transport })),
  );
  for (const client of clients) client.open();
  for (const client of clients) await client.gets(({ type }) => type === "HeartbeatPush");
  let isDrained = false;
  void served.platform.connections.drain().then(() => (isDrained = true));
  for (const client of clients) await client.waits(() => client.noticed.includes("reconnecting"));
  await clients[0]?.waits(() => isDrained);
  for (const [, transport] of transports)
    await assert.rejects(PushClient.start(served, owner, { transport }), /503|Service Unavailable/);
});
