import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { memoryLog } from "@ledge/log";
import { limits, roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { type Answer, type Client, openTestHub, type TestHub } from "../test-hub.ts";

interface Begun {
  readonly secret: string;
  readonly code: string;
  readonly expires: number;
}

interface Got {
  readonly key: string;
  readonly keyId: string;
  readonly role: number;
}

describe("getting in at the hub itself", () => {
  let clock: SimulatedClock;
  let hub: TestHub;
  let api: Client;
  let owner: string;

  const openHub = async (options: Parameters<typeof openTestHub>[2] = {}): Promise<void> => {
    clock = new SimulatedClock();
    hub = await openTestHub(memoryLog(), clock, options);
    api = hub.api("local");
    owner = await hub.sign();
  };
  beforeEach(() => openHub());

  const ok = ({ status, body }: Answer): unknown => {
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const begin = async (name = "Phone"): Promise<Begun> =>
    ok(await api.send("POST", "/hub/logins", undefined, { name })) as Begun;
  const approve = (key: string | undefined, body: object, at = api): Promise<Answer> =>
    at.send("POST", "/hub/logins/approve", key, body);
  const ask = (secret: string, at = api): Promise<Answer> =>
    at.send("POST", "/hub/logins/poll", undefined, { secret });
  const letIn = async (key: string, more: object = {}): Promise<Got> => {
    const { code, secret } = await begin();
    ok(await approve(key, { code, ...more }));
    return ok(await ask(secret)) as Got;
  };
  const roleOf = async (key: string, at = api): Promise<number | Answer> => {
    const answer = await at.send("GET", "/hub/keycheck", key);
    return answer.status === 200 ? (answer.body as { role: number }).role : answer;
  };
  const statusOf = async (key: string, at = api): Promise<number> =>
    (await at.send("GET", "/devices", key)).status;

  describe("a login", () => {
    for (const [what, body] of [
      ["no body", undefined],
      ["a list", []],
      ["no name", {}],
      ["an empty name", { name: "" }],
      ["a number as its name", { name: 7 }],
      ["a name of a thousand letters", { name: "x".repeat(1000) }],
    ] as const) {
      test(`is refused with ${what}`, async () => {
        assert.equal((await api.send("POST", "/hub/logins", undefined, body)).status, 422);
        assert.equal(hub.ports.logins.size, 0);
      });
    }

    test("has a secret of 128 bits and a code of 7 letters", async () => {
      const { secret, code, expires } = await begin();
      assert.equal(Buffer.from(secret, "base64url").length, 16);
      assert.match(code, /^[BCDFGHJKLMNPQRSTVWXZ]{7}$/);
      assert.equal(expires, clock.wall() + limits.localLoginMs);
    });

    test("waits until somebody who is in lets it in, and gets one key for its secret", async () => {
      const { secret, code } = await begin();
      assert.equal((ok(await ask(secret)) as { type: string }).type, "LOGIN_WAITS");
      const shown = ok(await api.send("GET", `/hub/logins?code=${code}`, owner)) as {
        name: string;
        address: string;
      };
      assert.deepEqual([shown.name, shown.address], ["Phone", "unknown"]);
      ok(await approve(owner, { code: `${code.slice(0, 3).toLowerCase()}-${code.slice(3)}` }));
      const { key, keyId, role } = ok(await ask(secret)) as Got;
      assert.equal(role, roles.OWNER_ADMIN);
      assert.equal(await roleOf(key), roles.OWNER_ADMIN);
      const claims = JSON.parse(Buffer.from(key.split(".")[1] ?? "", "base64url").toString());
      assert.deepEqual([claims.jti, claims.exp - claims.iat], [keyId, limits.localKeyMs / 1000]);
      assert.equal((await ask(secret)).status, 404, "the secret is used up");
      assert.equal((await approve(owner, { code })).status, 404, "and so is the code");
    });

    test("gives one key to two questions at a time", async () => {
      const { secret, code } = await begin();
      ok(await approve(owner, { code }));
      const statuses = (await Promise.all([ask(secret), ask(secret)])).map(({ status }) => status);
      assert.deepEqual(
        statuses.toSorted((a, b) => a - b),
        [200, 404],
      );
    });

    test("is let in once", async () => {
      const { code } = await begin();
      const statuses = (await Promise.all([approve(owner, { code }), approve(owner, { code })])).map(
        ({ status }) => status,
      );
      assert.deepEqual(
        statuses.toSorted((a, b) => a - b),
        [200, 404],
      );
      assert.equal(hub.kernel.size("localKey"), 1);
    });

    test("is over after 10 minutes", async () => {
      const { secret, code } = await begin();
      clock.advance(limits.localLoginMs - 1);
      assert.equal((await ask(secret)).status, 200);
      clock.advance(1);
      assert.equal((await ask(secret)).status, 404);
      assert.equal((await approve(owner, { code })).status, 404);
    });

    test("is forgotten at a restart; the key that it was given by then stays listed", async () => {
      const { secret, code } = await begin();
      ok(await approve(owner, { code }));
      const log = memoryLog();
      for (const commit of hub.kernel.log.read()) await log.append(commit);
      const again = await openTestHub(log, clock);
      assert.equal((await ask(secret, again.api("local"))).status, 404);
      assert.equal(again.kernel.size("localKey"), 1);
    });

    test("of one address begins 5 times a minute, and of all addresses 64 wait", async () => {
      let address = "10.0.0.1";
      const from = hub.api("local", { addressOf: () => address });
      const status = async (): Promise<number> =>
        (await from.send("POST", "/hub/logins", undefined, { name: "x" })).status;
      for (let n = 0; n < limits.localLoginsPerMinutePerAddress; n++) assert.equal(await status(), 200);
      assert.equal(await status(), 429);
      clock.advance(60_000);
      assert.equal(await status(), 429, "as many wait as one address may have");
      for (let n = limits.localLoginsPerAddress; n < limits.localLogins; n++) {
        address = `10.0.1.${n}`;
        assert.equal(await status(), 200);
      }
      address = "10.0.2.1";
      assert.equal(await status(), 429);
      assert.equal(hub.ports.logins.size, limits.localLogins);
      clock.advance(limits.localLoginMs);
      assert.equal(await status(), 200);
    });

    test("is not begun by a page of another origin", async () => {
      const body = JSON.stringify({ name: "Phone" });
      const from = async (origin: string): Promise<number> =>
        (await api.raw("POST", "/hub/logins", undefined, { body, headers: { origin } })).status;
      assert.equal(await from("http://cabin.local:8893"), 200);
      assert.equal(await from("https://evil.example.org"), 403);
    });

    test("is not begun at a hub without an owner, nor by one that cannot sign", async () => {
      await openHub({ claimed: false });
      assert.equal((await api.send("POST", "/hub/logins", undefined, { name: "Phone" })).status, 403);
      await openHub({ ports: { localKeys: { problem: () => "gone", sign: async () => "" } } });
      assert.equal((await api.send("POST", "/hub/logins", undefined, { name: "Phone" })).status, 503);
    });

    test("survives wrong secrets of any form", async () => {
      const { secret } = await begin();
      for (const wrong of ["", "x", secret.slice(1), `${secret}A`, "__proto__", "0".repeat(64)])
        assert.notEqual((await ask(wrong)).status, 200, wrong);
      for (const body of [undefined, {}, { secret: 1 }, { secret: [secret] }, { secret: "x".repeat(10_000) }])
        assert.equal((await api.send("POST", "/hub/logins/poll", undefined, body)).status, 422);
    });
  });

  describe("whoever lets in", () => {
    test("has 5 wrong codes in 10 minutes, and spends nobody else's", async () => {
      const { code } = await begin();
      const user = await hub.user(roles.IDENTIFIED_USER);
      for (let n = 0; n < limits.localLoginTries; n++)
        assert.equal((await api.send("GET", "/hub/logins?code=BBBBBBB", user.key)).status, 404);
      assert.equal((await approve(user.key, { code })).status, 429);
      assert.equal((await api.send("GET", `/hub/logins?code=${code}`, user.key)).status, 429);
      ok(await approve(owner, { code }));
    });

    test("does not spend tries on good codes", async () => {
      for (let n = 0; n < limits.localLoginTries * 2; n++) {
        clock.advance(60_000);
        await letIn(owner);
      }
    });

    test("lets in themselves with their own role", async () => {
      const user = await hub.user(roles.IDENTIFIED_USER);
      const { key, role } = await letIn(user.key);
      assert.deepEqual([role, await roleOf(key)], [roles.IDENTIFIED_USER, roles.IDENTIFIED_USER]);
    });

    test("lets in a panel as a guest, if they are an admin", async () => {
      const admin = await hub.user(roles.USER_ADMIN);
      const { key } = await letIn(admin.key, { panel: true });
      assert.equal(await roleOf(key), roles.GUEST);
      const user = await hub.user(roles.IDENTIFIED_USER);
      const { code } = await begin();
      assert.equal((await approve(user.key, { code, panel: true })).status, 403);
    });

    test("lets in others with a lower role only", async () => {
      const [admin, user] = [await hub.user(roles.USER_ADMIN), await hub.user(roles.IDENTIFIED_USER)];
      const guest = await hub.user(roles.GUEST);
      const { code } = await begin();
      for (const [by, of] of [
        [user.key, guest.id],
        [admin.key, "owner"],
        [guest.key, guest.id],
      ] as const)
        assert.equal((await approve(by, { code, userId: of })).status, 403, of);
      assert.equal((await approve(admin.key, { code, userId: "nobody" })).status, 404);
      assert.equal((await approve(undefined, { code })).status, 401);
      assert.equal((await letIn(admin.key, { userId: user.id })).role, roles.IDENTIFIED_USER);
      assert.equal((await letIn(owner, { userId: admin.id })).role, roles.USER_ADMIN);
    });

    test("at the console is the owner, unless a user is named", async () => {
      const console = hub.api("console");
      const { code, secret } = await begin();
      ok(await approve(undefined, { code }, console));
      assert.equal((ok(await ask(secret)) as Got).role, roles.OWNER_ADMIN);
    });

    test("who loses access before the key is fetched leaves none", async () => {
      const user = await hub.user(roles.IDENTIFIED_USER);
      const { code, secret } = await begin();
      ok(await approve(user.key, { code }));
      await hub.run({ type: "REVOKE_USER", id: user.id });
      assert.equal((await ask(secret)).status, 404);
    });
  });

  describe("through the relay", () => {
    test("nobody begins, lets in or fetches, and no key of the hub itself is good", async () => {
      const remote = hub.api("remote");
      const { code, secret } = await begin();
      const calls: readonly [string, string, object?][] = [
        ["GET", "/hub/login"],
        ["POST", "/hub/setup", { code: "BCDFGHJ", nickname: "Eve", name: "x" }],
        ["POST", "/hub/logins", { name: "x" }],
        ["GET", `/hub/logins?code=${code}`],
        ["POST", "/hub/logins/approve", { code }],
        ["POST", "/hub/logins/poll", { secret }],
        ["POST", "/hub/keys/renew"],
      ];
      for (const [method, path, body] of calls)
        assert.equal((await remote.send(method, path, owner, body)).status, 403, path);
      const { key } = await letIn(owner);
      assert.equal(await statusOf(key), 200);
      assert.equal(await statusOf(key, remote), 401);
    });
  });

  describe("keys", () => {
    const list = async (key: string): Promise<Record<string, { userId: string; current: boolean }>> =>
      ok(await api.send("GET", "/hub/keys", key)) as Record<string, { userId: string; current: boolean }>;
    const revoke = async (key: string, id: string): Promise<number> =>
      (await api.send("DELETE", `/hub/keys?keyId=${id}`, key)).status;

    test("are listed to their user and to admins, without the keys themselves", async () => {
      const user = await hub.user(roles.IDENTIFIED_USER);
      const [own, other] = [await letIn(user.key), await letIn(owner)];
      assert.deepEqual(Object.keys(await list(own.key)), [own.keyId]);
      assert.equal((await list(own.key))[own.keyId]?.current, true);
      const all = await list(owner);
      assert.deepEqual(Object.keys(all).toSorted(), [own.keyId, other.keyId].toSorted());
      const text = JSON.stringify([all, [...hub.kernel.log.read()]]);
      for (const { key } of [own, other]) assert.ok(!text.includes(key.split(".")[2] ?? "?"));
    });

    test("are revoked singly and at once", async () => {
      const [first, second] = [await letIn(owner), await letIn(owner)];
      assert.deepEqual([await statusOf(first.key), await statusOf(second.key)], [200, 200]);
      assert.equal(await revoke(second.key, first.keyId), 200);
      assert.deepEqual([await statusOf(first.key), await statusOf(second.key)], [401, 200]);
      assert.equal(await revoke(second.key, first.keyId), 404);
    });

    test("are revoked by their user, and by admins of users with a lower role", async () => {
      const [user, admin] = [await hub.user(roles.IDENTIFIED_USER), await hub.user(roles.USER_ADMIN)];
      const guest = await hub.user(roles.GUEST);
      const [ofUser, ofOwner, ofAdmin] = [await letIn(user.key), await letIn(owner), await letIn(admin.key)];
      for (const [by, id] of [
        [guest.key, ofUser.keyId],
        [user.key, ofAdmin.keyId],
        [admin.key, ofOwner.keyId],
      ] as const)
        assert.equal(await revoke(by, id), 404);
      assert.equal(await revoke(admin.key, ofUser.keyId), 200);
      assert.equal(await revoke(owner, ofAdmin.keyId), 200);
    });

    test("are renewed in their last 30 days, and expire", async () => {
      const { key, keyId } = await letIn(owner);
      const renew = (of: string): Promise<Answer> => api.send("POST", "/hub/keys/renew", of);
      assert.equal((await renew(key)).status, 422);
      assert.equal((await renew(owner)).status, 422);
      clock.advance(limits.localKeyMs - 1000);
      const renewed = ok(await renew(key)) as Got;
      assert.equal(renewed.keyId, keyId);
      clock.advance(2000);
      assert.deepEqual([await statusOf(key), await statusOf(renewed.key)], [401, 200]);
      clock.advance(limits.localKeyMs);
      assert.equal(await statusOf(renewed.key), 401);
    });

    test("end with their user's access, and do not come back with it", async () => {
      const user = await hub.user(roles.IDENTIFIED_USER);
      const { key } = await letIn(user.key);
      clock.advance(5000);
      await hub.run({ type: "REVOKE_USER", id: user.id });
      assert.equal(await statusOf(key), 401);
      await hub.run({ type: "CMD_USER", id: user.id, revoked: false });
      assert.equal(await statusOf(key), 401);
    });

    test("of the hub are not the cloud's to make", async () => {
      const { keyId } = await letIn(owner);
      assert.equal(await statusOf(await hub.sign({ jti: keyId, user_id: "eve" })), 401);
    });
  });

  describe("the first owner", () => {
    beforeEach(() => openHub({ claimed: false }));
    const setUp = (body: object): Promise<Answer> => api.send("POST", "/hub/setup", undefined, body);
    const ann = { code: "BCDFGHJ", nickname: "Ann", name: "Laptop" };

    test("needs the code that the hub shows, and nothing else", async () => {
      const login = ok(await api.send("GET", "/hub/login")) as { claimableUntil: number; cloud: string };
      assert.ok(login.claimableUntil > clock.wall());
      for (const wrong of [{}, { ...ann, code: 7 }, { ...ann, nickname: "" }, { ...ann, email: "ann" }])
        assert.equal((await setUp(wrong)).status, 422);
      assert.equal((await setUp({ ...ann, code: "BBBBBBB" })).status, 403);
      const { key, role } = ok(await setUp(ann)) as Got;
      assert.deepEqual([role, await roleOf(key)], [roles.OWNER_ADMIN, roles.OWNER_ADMIN]);
      const [owned] = [...hub.kernel.all("user")].map(([, { user_info }]) => user_info.user);
      assert.deepEqual([owned?.nickname, owned?.email], ["Ann", ""]);
      assert.equal((await setUp(ann)).status, 422);
      assert.equal(
        (ok(await api.send("GET", "/hub/login")) as { claimableUntil: null }).claimableUntil,
        null,
      );
    });

    test("tries 5 codes a minute from one address", async () => {
      for (let n = 0; n < limits.localLoginsPerMinutePerAddress; n++)
        assert.equal((await setUp({ ...ann, code: "BBBBBBB" })).status, 403);
      assert.equal((await setUp(ann)).status, 429);
    });

    test("does not come from a page of another origin", async () => {
      const init = { body: JSON.stringify(ann), headers: { origin: "https://evil.example.org" } };
      assert.equal((await api.raw("POST", "/hub/setup", undefined, init)).status, 403);
    });

    test("is one: two who know the code do not both own the hub", async () => {
      const statuses = (await Promise.all([setUp(ann), setUp({ ...ann, nickname: "Bob" })])).map(
        ({ status }) => status,
      );
      assert.deepEqual(
        statuses.toSorted((a, b) => a - b),
        [200, 422],
      );
      assert.equal(hub.kernel.size("user"), 1);
    });
  });
});
