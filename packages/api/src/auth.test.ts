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
    test(`${JSON.stringify(header)} holds ${token}`, () => assert.equal(tokenIn(header), token));
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

  test("the header is read raw, with Bearer, and not at all when it says null", async () => {
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

  test("over the relay the key comes in X-Hub-Key, beside the cloud's token", async () => {
    const key = await hub.sign();
    const remote = hub.api("remote");
    const send = async (headers: Record<string, string>): Promise<number> =>
      (await remote.raw("GET", "/hub/tz", undefined, { headers })).status;
    assert.equal(await send({ "x-hub-key": key, authorization: "cloud-token" }), 200);
    assert.equal(await send({ authorization: key }), 401);
    assert.equal(await send({ "x-hub-key": "null", authorization: key }), 401);
    assert.equal((await api.raw("GET", "/hub/tz", undefined, { headers: { "x-hub-key": key } })).status, 401);
  });

  test("a bad credential does not matter to a row that asks for none", async () => {
    assert.equal((await api.send("GET", "//hub", "garbage")).status, 200);
    assert.equal((await api.send("GET", "//healthz", await hub.sign({}, 0))).status, 200);
  });

  test("the hub's own table decides about a user that it knows, whatever the key says", async () => {
    const { id, key } = await hub.user(roles.GUEST);
    assert.equal(await role(key), roles.GUEST);
    assert.equal(
      await role(await hub.sign({ user_id: id, role: roles.USER_ADMIN, auth_seq: 99 })),
      roles.GUEST,
    );
  });

  for (const listener of ["local", "remote"] as const) {
    test(`a changed role and a revocation act on the next request, cached token or not (${listener})`, async () => {
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
    test(`nothing is done for a user who is ${what} while the body is on its way`, async () => {
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

  test("an unknown user's key counts while it is newer than what the hub has taken over", async () => {
    const key = await hub.sign({ user_id: "stranger", role: roles.IDENTIFIED_USER, auth_seq: 5 });
    assert.equal(await role(key), roles.IDENTIFIED_USER);
    hub.synced = 4;
    assert.equal(await role(key), roles.IDENTIFIED_USER);
    hub.synced = 5;
    assert.equal(await role(key), 401);
    assert.equal(await role(await hub.sign({ user_id: "s2", role: roles.GUEST, auth_seq: 0 })), 401);
  });

  test("nobody becomes owner by a key", async () => {
    assert.equal(await role(await hub.sign({ user_id: "stranger", auth_seq: 9 })), 401);
  });

  test("a key expires while it is cached", async () => {
    const key = await hub.sign({}, 60_000);
    assert.equal(await status(key), 200);
    clock.advance(59_999);
    assert.equal(await status(key), 200);
    clock.advance(1);
    assert.equal(await status(key), 401);
    assert.equal(hub.auth.size, 0);
  });

  test("while time is not trusted, expiry is compared with the log's last timestamp", async () => {
    hub = await openTestHub(memoryLog(), clock, { timeTrusted: () => false });
    api = hub.api("local");
    const key = await hub.sign({}, 60_000);
    clock.stepWall(10 * 60_000);
    assert.equal(await status(key), 200);
  });

  test("what was verified with other keys is verified again", async () => {
    const key = await hub.sign();
    assert.equal(await status(key), 200);
    hub.trustedKeys = [await generateIssuerKey()];
    assert.equal(await status(key), 200);
    hub.generation++;
    assert.equal(await status(key), 401);
  });

  test("the cache is bounded; what fell out is verified again", async () => {
    hub = await openTestHub(memoryLog(), clock, { tokenCacheEntries: 3 });
    api = hub.api("local");
    const keys: string[] = [];
    for (let i = 0; i < 5; i++) keys.push(await hub.sign({ nickname: `n${i}` }));
    for (const key of keys) assert.equal(await status(key), 200);
    assert.equal(hub.auth.size, 3);
    for (const key of keys) assert.equal(await status(key), 200);
    assert.equal(hub.auth.size, 3);
  });

  test("no token stands in what is kept", async () => {
    const key = await hub.sign();
    assert.equal(await status(key), 200);
    const credential = hub.auth.known(key);
    assert.equal(credential?.key.user_id, "owner");
    const held = inspect(credential, { depth: null, showHidden: true });
    assert.ok(!held.includes(key.split(".")[2] ?? key), held);
  });

  test("the cache holds as many tokens as its limit says", async () => {
    const { ports } = hub;
    const authority = {
      issuers: () => [{ name: "test", keys: keySetOf([hub.issuerKey]), lifetimeMs: limits.hubKeyMs }],
      ownName: "ledge-hub",
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

    test("all tokens of a user count together", async () => {
      const [one, two] = [await hub.sign(), await hub.sign({ nickname: "other" })];
      // The first request of a token is counted by its address.
      assert.deepEqual(await statuses(one, two, one, two, one, two), [200, 200, 200, 200, 200, 429]);
      assert.equal(await status((await hub.user(roles.GUEST)).key), 200);
      clock.advance(20_000);
      assert.equal(await status(two), 200);
    });

    test("a token that fell out of the cache finds its count again", async () => {
      const key = await hub.sign();
      assert.deepEqual(await statuses(key, key, key, key, key), [200, 200, 200, 200, 429]);
      const { key: other } = await hub.user(roles.GUEST);
      await statuses(await hub.sign({ nickname: "a" }), await hub.sign({ nickname: "b" }), other);
      assert.equal(hub.auth.known(key), undefined);
      assert.deepEqual(await statuses(key, key), [200, 429]);
    });
  });

  describe("with the allowance of commands that the product has", () => {
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

    test("a body costs as many commands as it has items", async () => {
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

    test("a body costs at least what its size says", async () => {
      const padded = JSON.stringify({ type: "CMD_ROOM", name: "Attic" }).padEnd(limits.bodyBytes);
      const each = limits.bodyBytes / limits.bytesPerCommand;
      for (let spent = each; spent <= commandsPerMinutePerToken; spent += each)
        assert.equal((await api.raw("PUT", "/rooms", key, { body: padded })).status, 200);
      assert.equal((await api.raw("PUT", "/rooms", key, { body: padded })).status, 429);
    });

    test("what its bodies cost leaves a user its reads, and others theirs", async () => {
      await sent(limits.listItems, "");
      assert.equal((await sent(1, "Attic")).status, 429);
      assert.equal((await api.send("GET", "/rooms", key)).status, 200);
      assert.equal((await api.send("PUT", "/rooms", await hub.sign(), { name: "Attic" })).status, 200);
    });
  });

  test("a token that ends like a known one is another token", async () => {
    const key = await hub.sign();
    assert.equal(await status(key), 200);
    assert.equal(await status(`x${key}`), 401);
    assert.equal(await status(key.slice(-32)), 401);
    assert.equal(await status(key.slice(1)), 401);
    assert.equal(await status(key), 200);
  });

  test("a known token asks nothing of the kernel but whether the clock is believed", async () => {
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
      generation: () => 0,
      authorizationsSynced: () => 0,
    };
    const credential = hub.auth.known(key);
    assert.ok(credential && new Authentication({ ...hub.ports, kernel }, authority).isCurrent(credential));
  });

  test("a bad token is not kept", async () => {
    for (let i = 0; i < 5; i++) assert.equal(await status(`garbage${i}`), 401);
    assert.equal(hub.auth.size, 0);
  });

  test("the scrape token opens the metrics and nothing else", async () => {
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
