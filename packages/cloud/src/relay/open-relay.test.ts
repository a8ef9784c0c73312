import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { after, before, test } from "node:test";
import { systemClock } from "@ledge/kernel";
import { hubIdOfKey } from "@ledge/link";
import { dialTunnel } from "@ledge/link/tunnel";
import { features, roles } from "@ledge/model";
import { until } from "@ledge/testkit";
import { accepted, TestCloud, TestHub } from "../testdata/open-cloud.ts";
import { openRelay } from "./open-relay.ts";
import { securityHeaders } from "../http/security-headers.ts";
import { targetOf } from "./target.ts";
import type { Relay } from "./relay.ts";
import { TestTunnel } from "./test-relay.ts";

let world: TestCloud;
let relay: Relay;
const server = createServer();

before(async () => {
  world = await TestCloud.open();
  relay = openRelay(world.cloud, systemClock, assert.fail);
  server.on("request", (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const target = targetOf(incoming.url ?? "") ?? assert.fail();
    void relay.answer({ incoming, outgoing, target, address: "192.0.2.7", headers: securityHeaders });
  });
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) =>
    relay.upgrade(request, socket, head),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});

after(async () => {
  await relay.close(0);
  server.closeAllConnections();
  server.close();
  await world.remove();
});

const ask = (token: string, hubKey: string): Promise<Response> => {
  const headers = { authorization: token, "x-hub-key": hubKey };
  const { port } = server.address() as AddressInfo;
  return fetch(`http://127.0.0.1:${port}/relay/hub`, { headers });
};

test("ends a stranger's tunnel when the hub that owns the id connects, and refuses another dial", async () => {
  const { cloud } = world;
  const maker = await TestHub.make();
  const hub = TestHub.of(hubIdOfKey(maker.key.publicJwk.x ?? ""), maker);
  const squatter = await TestHub.make(hub.id);
  const { token } = await squatter.connect(cloud);
  const { port } = server.address() as AddressInfo;
  const signal = AbortSignal.timeout(60_000);
  const dialled = { url: `http://127.0.0.1:${port}`, token, transport: "upgrade", signal } as const;
  let isPinged = false;
  const tunnel = new TestTunnel(await dialTunnel(dialled), () => void (isPinged = true));
  await tunnel.opened;
  await until("the tunnel", () => relay.tunnels.reach(hub.id) === "open");
  // Another process of the stranger waits for the link while the relay asks the first whether it is alive.
  const { nonce } = cloud.hubs.challenge(hub.id);
  const request = { ...(await squatter.request(cloud.issuer, nonce)), instance: "another" };
  const second = accepted(await cloud.hubs.openSession(request));
  const waiting = dialTunnel({ ...dialled, token: second.token });
  await until("the question", () => isPinged);
  await hub.connect(cloud);
  await assert.rejects(waiting);
  await until("the end of the tunnel", () => relay.tunnels.reach(hub.id) !== "open");
  await assert.rejects(dialTunnel(dialled));
});

test("accounts reach their hubs with keys from the cloud, and hubs hear of each change at once", async () => {
  const { cloud } = world;
  const hub = await TestHub.make();
  const { nonce } = cloud.hubs.challenge(hub.id);
  const request = { ...(await hub.request(cloud.issuer, nonce)), features: [features.REMOTE_USAGE] };
  const { token } = accepted(await cloud.hubs.openSession(request));
  accepted(await cloud.hubs.claim(hub.id, "owner@example.org"));
  const owner = await world.logIn("owner@example.org");
  const hubKey = (await cloud.hubs.hubKeys(owner.account.id)).get(hub.id) ?? assert.fail("no key");
  assert.equal((await ask(owner.token, hubKey)).status, 408);

  const { port } = server.address() as AddressInfo;
  const signal = AbortSignal.timeout(60_000);
  const dialled = { url: `http://127.0.0.1:${port}`, token, transport: "upgrade", signal } as const;
  const announced: string[] = [];
  const tunnel = new TestTunnel(await dialTunnel(dialled), (stream, headers) => {
    stream.respond({ ":status": 200 });
    if (headers[":path"] === "/hub") return void stream.end("{}");
    stream.on("data", (chunk: Buffer) => announced.push(String(chunk)));
    stream.once("end", () => stream.end("true"));
  });
  await tunnel.opened;
  assert.equal((await ask(owner.token, hubKey)).status, 200);

  const subject = { hubId: hub.id, email: "guest@example.org" };
  const guest = await world.logIn("guest@example.org");
  accepted(await cloud.sharing.invite(owner.account.id, { ...subject, role: roles.REMOTE_GUEST }));
  assert.equal(await cloud.sharing.acceptInvitationTo(hub.id, guest.account.id), undefined);
  const seq = cloud.kernel.get("authorizations", hub.id)?.seq;
  while (!announced.includes(JSON.stringify({ seq }))) await new Promise((resolve) => setTimeout(resolve, 2));
  const guestKey = (await cloud.hubs.hubKeys(guest.account.id)).get(hub.id) ?? assert.fail("no key");
  assert.equal((await ask(guest.token, guestKey)).status, 200);
  assert.equal((await ask(guest.token, hubKey)).status, 403);
  assert.equal(await cloud.sharing.revoke(owner.account.id, subject), undefined);
  assert.equal((await ask(guest.token, guestKey)).status, 401);
  assert.equal((await ask(owner.token, hubKey)).status, 200);
});
