// A hub must keep working on its own network while its cloud is gone, slow, or answers nonsense.
import assert from "node:assert/strict";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createPlainServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, test } from "node:test";
import { limits } from "@ledge/model";
import { CloudHome } from "../testdata/cloud-home.ts";
import { OpenHub } from "../testdata/open-hub.ts";
import { eventually, type HubProcess, ledge } from "../testdata/hub-process.ts";

afterEach(() => CloudHome.end());
const email = "ada@example.org";

/** Ada's key of a hub that she owns without a cloud. */
async function recoveredKey(hub: HubProcess): Promise<string> {
  const { stdout, stderr } = await ledge("key", "--recover", "--email", email, "--data", hub.folder);
  assert.match(stdout, /^\S+\n$/, stderr);
  return stdout.trim();
}

async function isConnected(hub: Pick<HubProcess, "address">): Promise<boolean> {
  const response = await fetch(`${hub.address}/hub`);
  return ((await response.json()) as { connected: boolean }).connected;
}

/** Makes one local call of each kind: anonymous, reading, writing, polling. */
async function callAll(hub: Pick<HubProcess, "address" | "call">, key: string, name: string): Promise<void> {
  const room = [{ type: "CMD_ROOM", id: null, name }];
  const calls = [
    hub.call("GET", "/hub/keycheck", key),
    hub.call("GET", "/devices", key),
    hub.call("GET", "/hub/users", key),
    hub.call("PUT", "/rooms", key, room),
    hub.call("GET", "/hub/poll?ts=0", key),
  ];
  for (const { status, json } of await Promise.all(calls)) assert.equal(status, 200, JSON.stringify(json));
  assert.equal(await isConnected(hub), false);
}

/** A server in the place of the cloud. */
class FalseCloud {
  readonly #server: Server;
  /** The number of requests so far, and of those that are neither answered nor aborted. */
  asked = 0;
  underWay = 0;

  private constructor(answer: (request: IncomingMessage, response: ServerResponse) => void) {
    this.#server = createServer((request, response) => {
      this.asked += 1;
      this.underWay += 1;
      response.once("close", () => (this.underWay -= 1));
      response.on("error", () => {});
      answer(request, response);
    });
  }

  static async open(
    answer: (request: IncomingMessage, response: ServerResponse) => void,
  ): Promise<FalseCloud> {
    const cloud = new FalseCloud(answer);
    cloud.#server.listen(0, "127.0.0.1");
    await once(cloud.#server, "listening");
    CloudHome.atEnd(() => {
      cloud.#server.close();
      cloud.#server.closeAllConnections();
    });
    return cloud;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
}

test("a cloud that never answers does not delay calls on the local network", async () => {
  const cloud = await FalseCloud.open(() => {});
  const hub = await new CloudHome().hub(cloud.url);
  const key = await recoveredKey(hub);
  await eventually("the hub asks its cloud", async () => (cloud.underWay > 0 ? true : undefined));
  const { asked, underWay } = cloud;
  for (let round = 0; round < 10; round += 1) await callAll(hub, key, `Room ${round}`);
  assert.deepEqual(
    [cloud.asked, cloud.underWay],
    [asked, underWay],
    "what the hub asked before is still waited for",
  );
});

test("a claim waits for the cloud without delaying others, and an aborted one leaves no owner", async () => {
  const cloud = await FalseCloud.open(() => {});
  const hub = await new CloudHome().hub(cloud.url);
  const giveUp = new AbortController();
  const claiming = fetch(`${hub.address}/cc/1.14/hub/claim?email=${email}`, {
    method: "POST",
    signal: giveUp.signal,
  }).catch(() => undefined);
  await eventually("the hub asks its cloud", async () => (cloud.underWay > 0 ? true : undefined));
  const { asked } = cloud;
  const second = await hub.call("POST", `/hub/claim?email=eve@example.org`, "");
  assert.equal(second.status, 422);
  assert.equal(await isConnected(hub), false);
  assert.equal(cloud.asked, asked, "the claim is still waiting");
  giveUp.abort();
  await claiming;
  const { state } = (await (await fetch(`${hub.address}/hub`)).json()) as { state: string };
  assert.equal(state, "factory_new");
});

const html = "<!doctype html><title>Welcome</title><p>Please accept the terms of this hotspot.";
const json = (value: unknown) => (_request: IncomingMessage, response: ServerResponse) => {
  response.setHeader("content-type", "application/json").end(JSON.stringify(value));
};
const session = { token: "t", issuer: "evil", jwks: { keys: [] as unknown[] }, lifetimeMs: 3_600_000 };
const signingKey = { kty: "OKP", crv: "Ed25519", kid: "k", x: "A".repeat(43) };
const nonsense: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>> = {
  "a page": (_request, response) => void response.setHeader("content-type", "text/html").end(html),
  "no JSON": (_request, response) => void response.end('{"nonce":'),
  null: json(null),
  "other JSON": json([{ nonce: 5, issuer: { toString: 1 } }]),
  "an error": (_request, response) => void response.writeHead(500).end(html),
  "a hang-up": (request) => void request.socket.destroy(),
  "half an answer": (request, response) => {
    response.writeHead(200, { "content-length": 1000 }).write("{");
    setImmediate(() => request.socket.destroy());
  },
  "a session without keys": json({ nonce: "n", ...session }),
  "a session with too many keys": json({
    nonce: "n",
    ...session,
    jwks: { keys: Array.from({ length: 1000 }, (_, index) => ({ ...signingKey, kid: String(index) })) },
  }),
  "a session that is nobody's": json({
    nonce: "n",
    ...session,
    jwks: { keys: [signingKey] },
    users: "all",
    seq: 1e9,
  }),
};

/** A hub in this process with short pauses between its attempts, and its owner's key. */
async function hastyHub(cloud: FalseCloud) {
  const { folder, profile } = new CloudHome();
  const hub = await OpenHub.open({ folder, profile, cloud: cloud.url, hurry: 100 });
  CloudHome.atEnd(() => hub.close());
  return { hub, key: await hub.recoveredKey(email) };
}

for (const [what, answer] of Object.entries(nonsense)) {
  test(`a cloud that answers ${what} changes nothing`, async () => {
    const cloud = await FalseCloud.open(answer);
    const { hub, key } = await hastyHub(cloud);
    const asked = cloud.asked;
    await eventually("the hub asks its cloud again", async () =>
      cloud.asked > asked + 4 ? true : undefined,
    );
    await callAll(hub, key, "Attic");
    assert.equal(Object.keys((await hub.call("GET", "/hub/users", key)).json as object).length, 1);
    assert.equal(hub.hub.kernel.get("hub", hub.hub.hubId)?.cloud?.seq ?? 0, 0);
  });
}

test("does not read an endless answer to its end", async () => {
  let sent = 0;
  const cloud = await FalseCloud.open((_request, response) => {
    const chunk = Buffer.alloc(65_536, "[");
    const send = (): void => {
      while (!response.destroyed) {
        sent += chunk.length;
        if (!response.write(chunk)) return;
      }
    };
    response.on("drain", send);
    send();
  });
  const { hub, key } = await hastyHub(cloud);
  await eventually("the hub gives up reading", async () =>
    cloud.asked - cloud.underWay > 2 ? true : undefined,
  );
  await callAll(hub, key, "Attic");
  const most = cloud.asked * (limits.authorizationListChars + 16 * 1_048_576);
  assert.ok(sent < most, `${sent} bytes were read of ${cloud.asked} answers`);
});

test("does not follow a redirect", async () => {
  const trap = await FalseCloud.open(json({}));
  const cloud = await FalseCloud.open(
    (request, response) => void response.writeHead(307, { location: trap.url + request.url }).end(),
  );
  const { hub, key } = await hastyHub(cloud);
  await eventually("the hub asks its cloud again", async () => (cloud.asked > 4 ? true : undefined));
  await callAll(hub, key, "Attic");
  assert.equal(trap.asked, 0);
});

test("a claim without the cloud is refused, and the message names the alternatives", async () => {
  const gone = createPlainServer().listen(0, "127.0.0.1");
  await once(gone, "listening");
  const { port } = gone.address() as AddressInfo;
  gone.close();
  const hub = await new CloudHome().hub(`http://127.0.0.1:${port}`);
  const { status, json: refused } = await hub.call("POST", `/hub/claim?email=${email}`, "");
  assert.equal(status, 503);
  const { message } = refused as { message: string };
  assert.match(message, /ledge key --recover --email EMAIL/);
  assert.match(message, /docs\/self-host\.md/);
  const key = await recoveredKey(hub);
  await callAll(hub, key, "Attic");
});

test("no local call fails while the cloud is killed under load, and the hub reconnects afterwards", async () => {
  const home = new CloudHome();
  const cloud = await home.cloud();
  const hub = await home.hub(cloud.url);
  await home.claim(hub, email);
  const client = await home.client(cloud, email);
  await eventually("the hub by the relay", () => client.poll().catch(() => undefined));
  const stop = new AbortController();
  let calls = 0;
  const load = Array.from({ length: 3 }, async (_, caller) => {
    while (!stop.signal.aborted) {
      const { status, json: answered } =
        calls % 10 === caller
          ? await hub.call("PUT", "/hub/name?name=Cabin", client.key)
          : await hub.call("GET", "/hub/poll?ts=0", client.key);
      assert.equal(status, 200, JSON.stringify(answered));
      calls += 1;
      // The calls together stay below the rate limit of one key, however long the cloud takes.
      await sleep(350);
    }
  });
  await cloud.kill();
  await eventually("the hub sees it", async () => ((await isConnected(hub)) ? undefined : true));
  const before = calls;
  await eventually("calls without a cloud", async () => (calls > before + 10 ? true : undefined));
  await home.cloud(cloud.port);
  await eventually("the hub by the relay", () => client.poll().catch(() => undefined));
  assert.equal(await isConnected(hub), true);
  stop.abort();
  await Promise.all(load);
  assert.equal(client.fulls, 1);
});

test("a hub restarted without its cloud accepts known keys, and new ones once the cloud is back", async () => {
  const home = new CloudHome();
  const cloud = await home.cloud();
  let hub = await home.hub(cloud.url);
  await home.claim(hub, email);
  const client = await home.client(cloud, email);
  await client.bootstrap();
  await cloud.kill();
  await hub.kill();
  hub = await home.hub(cloud.url);
  await callAll(hub, client.key, "Attic");
  await home.cloud(cloud.port);
  await eventually("the hub by the relay", () => client.poll().catch(() => undefined));
  const rooms = Object.values(client.known["rooms"] ?? {}) as { name: string }[];
  assert.deepEqual(
    rooms.map(({ name }) => name),
    ["Attic"],
  );
});

test("a cloud that lost its data learns from the hub who owns it", async () => {
  const home = new CloudHome();
  const cloud = await home.cloud();
  const hub = await home.hub(cloud.url);
  await home.claim(hub, email);
  const before = await home.client(cloud, email);
  await before.bootstrap();
  await cloud.kill();
  rmSync(cloud.folder, { recursive: true });
  const next = await home.cloud(cloud.port);
  const client = await home.client(next, email);
  await eventually("the hub by the relay", () => client.poll().catch(() => undefined));
  assert.equal((await hub.call("GET", "/devices", client.key)).status, 200);
  assert.equal((await hub.call("GET", "/devices", before.key)).status, 401);
});
