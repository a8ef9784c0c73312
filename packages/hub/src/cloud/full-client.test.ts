// A complete client, as people use it, with hub and cloud in processes of their own.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { systemClock } from "@ledge/kernel";
import type { FullClient } from "@ledge/testkit/client";
import { createLogger } from "@ledge/host/logger";
import { IdentityKey } from "../secrets/identity-key.ts";
import { CloudHome } from "../testdata/cloud-home.ts";
import { Door } from "../testdata/door.ts";
import { eventually, temporaryFolder } from "../testdata/hub-process.ts";
import { CloudClient } from "./cloud-client.ts";
import { CloudSession } from "./cloud-session.ts";
import { Dialler } from "./dialler.ts";

const email = "ada@example.org";
afterEach(() => CloudHome.end());

test("a client switches to the relay outside the hub's network and back, and misses nothing", async () => {
  const { home, cloud, hub } = await claimedHome();
  const door = await Door.open(Number(new URL(hub.address).port));
  CloudHome.atEnd(() => door.close());
  const client = await home.client(cloud, email, door.port);
  await client.bootstrap();
  assert.deepEqual(
    [client.claims.hub_id, client.claims.hub_name, client.claims.role, client.claims.owner],
    [client.meta?.hubId, client.meta?.name, 64, true],
  );
  await client.poll();
  await addRoom(client, "Attic");
  await client.poll();
  await door.close();
  await eventually("the tunnel", () => client.poll().catch(() => undefined));
  await addRoom(client, "Cellar");
  const { timestamp } = await client.poll();
  const waiting = client.call("GET", `/hub/poll?ts=${timestamp}&wait=25000`);
  await addRoom(client, "Shed");
  assert.match(JSON.stringify((await waiting).json), /"Shed"/, "a poll waits through the relay");
  const headers = { authorization: client.token, "x-hub-key": client.key, "accept-encoding": "gzip" };
  const packed = await fetch(`${cloud.url}/relay/cc/1.14/hub/timezones`, { headers });
  assert.equal(packed.headers.get("content-encoding"), "gzip", "the relay passes packed answers on");
  assert.ok(((await packed.json()) as string[]).includes("Europe/Helsinki"));
  await door.open();
  await client.poll();
  await addRoom(client, "Hall");
  await client.poll();
  assert.deepEqual(client.ways, ["lan", "lan", "relay", "relay", "lan", "lan"]);
  assert.equal(client.fulls, 1);
  const rooms = Object.values(client.known["rooms"] ?? {}) as { name: string }[];
  assert.deepEqual(rooms.map(({ name }) => name).toSorted(), ["Attic", "Cellar", "Hall", "Shed"]);
});

test("a client finds a hub at a new address, and one with another API version", async () => {
  const { home, cloud, hub } = await claimedHome();
  const { port } = new URL(hub.address);
  const client = await home.client(cloud, email, Number(port));
  await client.poll();
  client.remember("1.13.2.1");
  assert.deepEqual(await client.call("GET", "/hub/keycheck"), { status: 200, json: { role: 64 } });
  assert.equal(client.meta?.version, "1.14.15.1");
  await hub.stop();
  await home.hub(cloud.url, "--host", "127.0.0.2", "--port", port);
  await eventually("the hub at its new address", async () => {
    await client.poll().catch(() => {});
    return client.ways.at(-1) === "lan" && client.ways.length > 1 ? true : undefined;
  });
  client.remember("1.13.2.1");
  assert.equal((await client.poll()).full, false);
});

test("a refreshed token works, and the former one is refused", async () => {
  const { home, cloud, hub } = await claimedHome();
  const client = await home.client(cloud, email);
  const { token: former, tokenExpires } = client;
  await client.refresh();
  assert.ok(client.tokenExpires >= tokenExpires);
  await eventually("the hub by the relay", () => client.poll().catch(() => undefined));
  const relayed = await fetch(`${cloud.url}/relay/hub`, {
    headers: { authorization: former, "x-hub-key": client.key },
  });
  assert.equal(relayed.status, 401);
  assert.equal((await hub.call("GET", "/hub/keycheck", client.key)).status, 200);
});

test("a hub of version 1.14.9 uses the legacy address only, and clients reach it all the same", async () => {
  const home = new CloudHome();
  const cloud = await home.cloud();
  await oldHub(cloud.url);
  const client = await home.client(cloud, email);
  await eventually("the old hub", () =>
    client.bootstrap().then(
      () => true,
      () => undefined,
    ),
  );
  const answer = await client.call("GET", "/rooms");
  assert.deepEqual(answer, { status: 200, json: { path: "/cc/1.14/rooms", token: null, key: client.key } });
  for (const [site, hubs] of [
    ["/ui/0.2", []],
    ["/legacy/ui/0.2", ["old-hub"]],
  ] as const) {
    const listed = await fetch(`${cloud.url}${site}/user/hubkeys`, {
      headers: { authorization: client.token },
    });
    assert.deepEqual(Object.keys((await listed.json()) as object), hubs);
  }
});

/** A hub and its cloud; Ada owns the hub. */
async function claimedHome() {
  const home = new CloudHome();
  const cloud = await home.cloud();
  const hub = await home.hub(cloud.url);
  await home.claim(hub, email);
  return { home, cloud, hub };
}

async function addRoom(client: FullClient, name: string): Promise<void> {
  const { status } = await client.call("PUT", "/rooms", [{ type: "CMD_ROOM", id: null, name }]);
  assert.equal(status, 200);
}

/** Speaks to the cloud like a hub of a former release, and echoes each request. */
async function oldHub(url: string): Promise<void> {
  const folder = temporaryFolder();
  const logger = createLogger("silent");
  const identity = await IdentityKey.open(folder.path, logger);
  const meta = { type: "HUB_META_DATA", hubId: "old-hub", name: "Cabin", version: "1.14.9.124" };
  const features = [5, 9];
  const session = new CloudSession({
    client: new CloudClient(url),
    identity,
    clock: systemClock,
    facts: () => ({ ...meta, features, generation: 0, instance: "", lanAddresses: [] }),
    issuer: () => undefined,
    trust: () => Promise.resolve(),
  });
  const dialler = new Dialler({
    url,
    token: (refused, signal) => session.token(refused, signal),
    fetch: (request) => {
      const path = new URL(request.url).pathname;
      if (path === "/hub") return Response.json({ ...meta, state: "claimed", connected: true, features });
      const [token, key] = ["authorization", "x-hub-key"].map((name) => request.headers.get(name));
      return Response.json({ path, token, key });
    },
    announced: () => {},
    clock: systemClock,
    random: Math.random,
    logger,
  });
  CloudHome.atEnd(() => folder.remove());
  CloudHome.atEnd(() => dialler.stop(0));
  const { signal } = new AbortController();
  await session.call({ method: "POST", path: "/hub/claim", body: { email }, signal });
  dialler.start();
}

test("a hub that moves to another cloud keeps its owner, and refuses keys of the former cloud", async () => {
  const { home, cloud, hub } = await claimedHome();
  const before = await home.client(cloud, email);
  await before.bootstrap();
  await addRoom(before, "Attic");
  await hub.stop();
  const elsewhere = new CloudHome();
  const next = await elsewhere.cloud();
  const moved = await home.hub(next.url);
  const client = await home.client(next, email);
  await eventually("the hub at its new cloud", () => client.poll().catch(() => undefined));
  assert.equal(client.claims.owner, true);
  const rooms = Object.values(client.known["rooms"] ?? {}) as { name: string }[];
  assert.deepEqual(
    rooms.map(({ name }) => name),
    ["Attic"],
  );
  assert.equal((await moved.call("GET", "/rooms", before.key)).status, 401);
  assert.equal((await moved.call("GET", "/rooms", client.key)).status, 200);
  await assert.rejects(before.bootstrap(), /cannot be reached/);
});
