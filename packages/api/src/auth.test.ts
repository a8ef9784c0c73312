import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { inspect } from "node:util";
import { generateIssuerKey, keySetOf } from "@ledge/link";
import { memoryLog } from "@ledge/log";
import { limits, roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { Authentication, tokenIn } from "./auth.ts";
import { type Answer, type Client, openTestHub, type TestHub } from "./test-hub.ts";

describe("tokenIn", () => {
  for (const [header, token] of [
    [undefined, undefined],
    ["", undefined],
    ["  ", undefined],
    ["null", undefined],
    ["Bearer null", undefined],
    ["Bearer ", undefined],
    ["abc", "abc"],
    ["Bearer abc", "abc"],
    ["bearer  abc ", "abc"],
    ["Basic abc", "Basic abc"],
  ] as const) {
    test(`reads ${token} from ${JSON.stringify(header)}`, () => assert.equal(tokenIn(header), token));
  }
});

describe("authentication", () => {
  let clock: SimulatedClock;
  let hub: TestHub;
  let api: Client;

  beforeEach(async () => {
    clock = new SimulatedClock();
    hub = await openTestHub(memoryLog(), clock);
    api = hub.api("local");
  });

  const status = async (key?: string): Promise<number> => (await api.send("GET", "/hub/tz", key)).status;
  const role = async (key: string): Promise<unknown> => {
    const { status: code, body } = await api.send("GET", "/hub/keycheck", key);
    return code === 200 ? (body as { role: number }).role : code;
  };

  test("reads the token raw or after Bearer, and takes null or nothing for no credential", async () => {
    const key = await hub.sign();
    for (const [authorization, wanted] of [
      [key, 200],
      [`Bearer ${key}`, 200],
      ["null", 401],
      ["", 401],
    ] as const) {
      const answer = await api.raw("GET", "/hub/tz", undefined, { headers: { authorization } });
      assert.equal(answer.status, wanted);
      assert.equal((await api.raw("GET", "//hub", undefined, { headers: { authorization } })).status, 200);
    }
  });

  test("reads the HubKey from X-Hub-Key through the relay, and only there", async () => {
    const key = await hub.sign();
    const remote = hub.api("remote");
    const send = async (headers: Record<string, string>): Promise<number> =>
      (await remote.raw("GET", "/hub/tz", undefined, { headers })).status;
    assert.equal(await send({ "x-hub-key": key, authorization: "cloud-token" }), 200);
    assert.equal(await send({ authorization: key }), 401);
    assert.equal(await send({ "x-hub-key": "null", authorization: key }), 401);
    assert.equal((await api.raw("GET", "/hub/tz", undefined, { headers: { "x-hub-key": key } })).status, 401);
  });

  test("ignores a bad credential on a row that needs none", async () => {
    assert.equal((await api.send("GET", "//hub", "garbage")).status, 200);
    assert.equal((await api.send("GET", "//healthz", await hub.sign({}, 0))).status, 200);
  });

  test("takes a known user's role from the hub's table, not from the key", async () => {
    const { id, key } = await hub.user(roles.GUEST);
    assert.equal(await role(key), roles.GUEST);
    assert.equal(
      await role(await hub.sign({ user_id: id, role: roles.USER_ADMIN, auth_seq: 99 })),
      roles.GUEST,
    );
  });

  for (const listener of ["local", "remote"] as const) {
    test(`applies a role change and a revocation to the next request of a cached token (${listener})`, async () => {
      const { id, key } = await hub.user(roles.IDENTIFIED_USER);
      const client = hub.api(listener);
      const roleNow = async (): Promise<unknown> => {
        const { status: code, body } = await client.send("GET", "/hub/keycheck", key);
        return code === 200 ? (body as { role: number }).role : code;
      };
      assert.equal(await roleNow(), roles.IDENTIFIED_USER);
      assert.equal((await client.send("PUT", "/hub/name?name=Hut", key)).status, 403);
      await hub.run({ type: "SET_USER_ROLE", id, role: roles.USER_ADMIN });
      assert.equal(await roleNow(), roles.USER_ADMIN);
      assert.equal((await client.send("PUT", "/hub/name?name=Hut", key)).status, 200);
      await hub.run({ type: "REVOKE_USER", id });
      assert.equal((await client.send("GET", "/hub/tz", key)).status, 401);
      assert.equal(await roleNow(), 401);
      const again = { type: "ADD_USER", id, email: "x@example.org", nickname: "x", phone: null };
      await hub.run({ ...again, role: roles.REMOTE_GUEST });
      assert.equal(await roleNow(), roles.REMOTE_GUEST);
      assert.equal((await client.send("PUT", "/hub/name?name=Hut", key)).status, 403);
    });
  }

  for (const [what, command, refused] of [
    ["revoked", { type: "REVOKE_USER" }, 401],
    ["given another role", { type: "SET_USER_ROLE", role: roles.REMOTE_GUEST }, 403],
  ] as const) {
    test(`refuses a request whose user is ${what} while the body arrives`, async () => {
      const { id, key } = await hub.user(roles.IDENTIFIED_USER);
      await status(key);
      const pull = async (stream: ReadableStreamDefaultController): Promise<void> => {
        await hub.run({ ...command, id });
        stream.enqueue(Buffer.from('[{"name":"Den"}]'));
        stream.close();
      };
      // Nothing is asked of it before the request has been let in.
      const body = new ReadableStream({ pull }, { highWaterMark: 0 });
      const answer = await api.raw("PUT", "/rooms", key, { body, duplex: "half" });
      assert.deepEqual([answer.status, hub.kernel.size("room")], [refused, 0]);
    });
  }

  test("accepts an unknown user's key only if newer than the applied authorization list", async () => {
    const key = await hub.sign({ user_id: "stranger", role: roles.IDENTIFIED_USER, auth_seq: 5 });
    assert.equal(await role(key), roles.IDENTIFIED_USER);
    hub.synced = 4;
    assert.equal(await role(key), roles.IDENTIFIED_USER);
    hub.synced = 5;
    assert.equal(await role(key), 401);
    assert.equal(await role(await hub.sign({ user_id: "s2", role: roles.GUEST, auth_seq: 0 })), 401);
  });

  test("refuses an unknown user whose key says owner", async () => {
    assert.equal(await role(await hub.sign({ user_id: "stranger", auth_seq: 9 })), 401);
  });

  test("refuses a cached key once it expires", async () => {
    const key = await hub.sign({}, 60_000);
    assert.equal(await status(key), 200);
    clock.advance(59_999);
    assert.equal(await status(key), 200);
    clock.advance(1);
    assert.equal(await status(key), 401);
    assert.equal(hub.auth.size, 0);
  });

  test("checks expiry against the log's last timestamp while the clock is not trusted", async () => {
    hub = await openTestHub(memoryLog(), clock, { timeTrusted: () => false });
    api = hub.api("local");
    const key = await hub.sign({}, 60_000);
    clock.stepWall(10 * 60_000);
    assert.equal(await status(key), 200);
  });

  test("verifies a cached token again when the issuer's keys change", async () => {
    const key = await hub.sign();
    assert.equal(await status(key), 200);
    hub.trustedKeys = [await generateIssuerKey()];
    assert.equal(await status(key), 200);
    hub.generation++;
    assert.equal(await status(key), 401);
  });

  test("bounds the token cache and verifies evicted tokens again", async () => {
    hub = await openTestHub(memoryLog(), clock, { tokenCacheEntries: 3 });
    api = hub.api("local");
    const keys: string[] = [];
    for (let i = 0; i < 5; i++) keys.push(await hub.sign({ nickname: `n${i}` }));
    for (const key of keys) assert.equal(await status(key), 200);
    assert.equal(hub.auth.size, 3);
    for (const key of keys) assert.equal(await status(key), 200);
    assert.equal(hub.auth.size, 3);
  });

  test("keeps no token's text in the cache", async () => {
    const key = await hub.sign();
    assert.equal(await status(key), 200);
    const credential = hub.auth.known(key);
    assert.equal(credential?.key.user_id, "owner");
    const held = inspect(credential, { depth: null, showHidden: true });
    assert.ok(!held.includes(key.split(".")[2] ?? key), held);
  });

  test("caches as many tokens as the product's limit allows", async () => {
    const { ports } = hub;
    const authority = {
      issuers: () => [{ name: "test", keys: keySetOf([hub.issuerKey]), lifetimeMs: limits.hubKeyMs }],
      ownName: "ledge-hub",
      localName: "ledge-hub-key",
      generation: () => 0,
      authorizationsSynced: () => 0,
    };
    const auth = new Authentication(ports, authority);
    for (let n = 0; n < limits.tokenCacheEntries; n++)
      await auth.verify(await hub.sign({ nickname: `n${n}` }));
    assert.equal(auth.size, limits.tokenCacheEntries);
    await auth.verify(await hub.sign({ nickname: "one more" }));
    assert.equal(auth.size, limits.tokenCacheEntries);
  });

  describe("with three requests a minute", () => {
    beforeEach(async () => {
      hub = await openTestHub(memoryLog(), clock, { requestsPerMinutePerToken: 3, tokenCacheEntries: 2 });
      api = hub.api("local");
    });
    const statuses = async (...keys: string[]): Promise<number[]> => {
      const seen: number[] = [];
      for (const key of keys) seen.push(await status(key));
      return seen;
    };

    test("counts all tokens of a user together", async () => {
      const [one, two] = [await hub.sign(), await hub.sign({ nickname: "other" })];
      // The first request of a token is counted by its address.
      assert.deepEqual(await statuses(one, two, one, two, one, two), [200, 200, 200, 200, 200, 429]);
      assert.equal(await status((await hub.user(roles.GUEST)).key), 200);
      clock.advance(20_000);
      assert.equal(await status(two), 200);
    });

    test("keeps the count of a token that was evicted from the cache", async () => {
      const key = await hub.sign();
      assert.deepEqual(await statuses(key, key, key, key, key), [200, 200, 200, 200, 429]);
      const { key: other } = await hub.user(roles.GUEST);
      await statuses(await hub.sign({ nickname: "a" }), await hub.sign({ nickname: "b" }), other);
      assert.equal(hub.auth.known(key), undefined);
      assert.deepEqual(await statuses(key, key), [200, 429]);
    });
  });

  describe("with the product's rate limit for commands", () => {
    const { commandsPerMinutePerToken } = limits;
    let key: string;

    beforeEach(async () => {
      hub = await openTestHub(memoryLog(), clock, { commandsPerMinutePerToken });
      api = hub.api("local");
      ({ key } = await hub.user(roles.USER_ADMIN));
    });
    const sent = async (count: number, name: string, path = "/rooms"): Promise<Answer> =>
      api.send(
        "PUT",
        path,
        key,
        Array.from({ length: count }, () => ({ type: "CMD_ROOM", name })),
      );

    test("charges a body one command for each item", async () => {
      // None is carried out: there are no such rooms.
      const orders = Array.from({ length: commandsPerMinutePerToken - 1 }, (_, order) => {
        return { type: "CMD_SET_ROOM_ORDER", id: "none", order };
      });
      assert.equal((await api.send("PUT", "/rooms/order", key, orders)).status, 404);
      assert.equal((await sent(1, "Attic")).status, 200);
      const { status: refused, headers, body } = await sent(2, "Attic");
      assert.equal(refused, 429);
      assert.match(JSON.stringify(body), /too many commands/);
      const wait = Number(headers.get("retry-after"));
      clock.advance((wait - 1) * 1000 - 1);
      assert.equal((await sent(2, "Attic")).status, 429);
      clock.advance(1001);
      assert.equal((await sent(2, "Attic")).status, 200);
    });

    test("charges a large body by its size", async () => {
      const padded = JSON.stringify({ type: "CMD_ROOM", name: "Attic" }).padEnd(limits.bodyBytes);
      const each = limits.bodyBytes / limits.bytesPerCommand;
      for (let spent = each; spent <= commandsPerMinutePerToken; spent += each)
        assert.equal((await api.raw("PUT", "/rooms", key, { body: padded })).status, 200);
      assert.equal((await api.raw("PUT", "/rooms", key, { body: padded })).status, 429);
    });

    test("still serves a user's reads, and other users, once the user's commands are spent", async () => {
      await sent(limits.listItems, "");
      assert.equal((await sent(1, "Attic")).status, 429);
      assert.equal((await api.send("GET", "/rooms", key)).status, 200);
      assert.equal((await api.send("PUT", "/rooms", await hub.sign(), { name: "Attic" })).status, 200);
    });
  });

  test("takes a token that only shares a cached token's ending for a different one", async () => {
    const key = await hub.sign();
    assert.equal(await status(key), 200);
    assert.equal(await status(`x${key}`), 401);
    assert.equal(await status(key.slice(-32)), 401);
    assert.equal(await status(key.slice(1)), 401);
    assert.equal(await status(key), 200);
  });

  test("asks the kernel only whether the clock is trusted to check a cached token", async () => {
    const key = await hub.sign();
    assert.equal(await status(key), 200);
    const kernel = {
      get clockTrusted() {
        return true;
      },
    } as never;
    const authority = {
      issuers: () => [],
      ownName: "ledge-hub",
      localName: "ledge-hub-key",
      generation: () => 0,
      authorizationsSynced: () => 0,
    };
    const credential = hub.auth.known(key);
    assert.ok(credential && new Authentication({ ...hub.ports, kernel }, authority).isCurrent(credential));
  });

  test("does not cache a bad token", async () => {
    for (let i = 0; i < 5; i++) assert.equal(await status(`garbage${i}`), 401);
    assert.equal(hub.auth.size, 0);
  });

  test("admits the scrape token to the metrics only", async () => {
    assert.equal((await api.send("GET", "//metrics", "scrape-me")).status, 200);
    assert.equal((await api.send("GET", "//metrics", "Bearer scrape-me")).status, 200);
    assert.equal((await api.send("GET", "//metrics", "scrape-mf")).status, 401);
    assert.equal((await api.send("GET", "//metrics")).status, 401);
    assert.equal(await status("scrape-me"), 401);
    assert.equal((await hub.api("remote").send("GET", "//metrics", "scrape-me")).status, 401);
    assert.equal(
      (await api.send("GET", "//metrics", (await hub.user(roles.IDENTIFIED_USER)).key)).status,
      403,
    );
    hub = await openTestHub(memoryLog(), clock, { ports: { scrapeToken: null } });
    assert.equal((await hub.api("local").send("GET", "//metrics", "null")).status, 401);
  });
});
