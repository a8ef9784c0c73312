import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { createLogger } from "@ledge/host/logger";
import { replay } from "@ledge/kernel";
import { readActivationCode, verifyAuthorizationList, verifyCloudToken, verifyHubKey } from "@ledge/link";
import type { EventLog } from "@ledge/log";
import { limits, roles } from "@ledge/model";
import { cloudAggregates } from "./model/index.ts";
import { embeddedStorage, type Storage } from "./storage/storage.ts";
import { accepted, caller, TestCloud, TestHub } from "./testdata/open-cloud.ts";

let test_: TestCloud;
before(async () => {
  test_ = await TestCloud.open();
});
after(() => test_.remove());

const everythingOnDisk = (folder: string): string =>
  readdirSync(join(folder, "log"))
    .map((name) => readFileSync(join(folder, "log", name), "latin1"))
    .join("");

test("the log contains no readable address, name, hash or secret key", async () => {
  const own = await TestCloud.open();
  const { account } = await own.logIn("canary@example.org");
  await own.cloud.logins.saveProfile(account.id, { nickname: "Serinus", phone: "+44 2071234567" });
  await own.cloud.logins.setPassword(account.id, "yellow feathers");
  const hub = await TestHub.make();
  await hub.connect(own.cloud);
  const from = "2001:db8:5e71::9";
  accepted(await own.cloud.hubs.claim(hub.id, "feeder@example.org", from));
  const { kernel } = own.cloud;
  const { d, x } = own.cloud.signingKeys.current.privateJwk as { d: string; x: string };
  const hash = kernel.get("account", account.id)?.secrets.passwordHash ?? assert.fail();
  const digestKey = kernel.get("installation", "cloud")?.secrets.digestKey ?? assert.fail();
  const hidden = ["canary", "Serinus", "2071234567", "Cabin", "5e71::9", hash, d, digestKey];
  await kernel.sync();
  await own.stop();
  const disk = everythingOnDisk(own.folder);
  assert.ok(disk.includes(x) && disk.includes(account.id), "public values are readable");
  for (const text of hidden) assert.ok(!disk.includes(text), text.slice(0, 8));
  await own.start();
  assert.equal(own.cloud.kernel.get("account", account.id)?.nickname, "Serinus");
  assert.equal(own.cloud.kernel.get("authorizations", hub.id)?.claim?.from, from);
  assert.ok(await own.cloud.logins.logInWithPassword("canary@example.org", "yellow feathers"));
  assert.equal(await own.cloud.sharing.forget(account.id), undefined);
  assert.ok(!readFileSync(join(own.folder, "personal-keys.json"), "utf8").includes(account.id));
  await own.stop();
  rmSync(join(own.folder, "secret-key"));
  await assert.rejects(own.start(), /cannot be read/);
  await own.remove();
});

test("a cloud whose log fails to close still closes its registers, and says why", async () => {
  const own = await TestCloud.open();
  await own.stop();
  const embedded = embeddedStorage({ folder: own.folder, clock: own.clock, logger: createLogger("silent") });
  let log: EventLog | undefined;
  let hasClosed = false;
  const storage: Storage = {
    ...embedded,
    openLog: async (sealing) => {
      const opened = await embedded.openLog(sealing);
      log = opened;
      return new Proxy(opened, {
        get: (target, name) => {
          if (name === "close") return () => Promise.reject(new Error("the disk is gone"));
          const value: unknown = Reflect.get(target, name);
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
    },
    close: async () => {
      await embedded.close();
      hasClosed = true;
    },
  };
  await own.start({ storage });
  await assert.rejects(own.stop(), /the disk is gone/);
  assert.ok(hasClosed);
  await log?.close();
  await own.remove();
});

describe("logging in", () => {
  test("logs in with a one-time password, refreshes, and ends exactly one session", async () => {
    const { logins } = test_.cloud;
    const first = await test_.logIn("Ada@example.org");
    const session = await logins.sessionOf(first.token);
    assert.ok(typeof session === "object");
    assert.deepEqual([session.account.email, session.account.proven], ["Ada@example.org", true]);
    const second = (await logins.refresh(session)) ?? assert.fail();
    assert.notEqual(second.token, first.token);
    await logins.logOut(session);
    assert.equal(await logins.sessionOf(first.token), "ended");
    assert.equal(typeof (await logins.sessionOf(second.token)), "object");
    assert.equal(await logins.refresh(session), undefined);
    const again = await test_.logIn("ADA@EXAMPLE.ORG");
    assert.equal(again.account.id, first.account.id);
  });

  test("accepts a password as people type it, once, and only for its address", async () => {
    const { logins } = test_.cloud;
    const { password } = accepted(await logins.requestLogin("eve@example.org", caller));
    assert.match(password, /^[A-HJ-NP-Z2-9]{6}$/);
    assert.equal(await logins.logIn("other@example.org", password, caller), undefined);
    const typed = ` ${password.slice(0, 3).toLowerCase()}-${password.slice(3)} `;
    assert.ok(await logins.logIn("eve@example.org", typed, caller));
    assert.equal(await logins.logIn("eve@example.org", password, caller), undefined);
    assert.equal(await logins.logIn("nobody@example.org", password, caller), undefined);
    assert.equal(await logins.logIn("no address", password, caller), undefined);
  });

  test("parallel guesses count against the limit, so that even the right password is refused after them", async () => {
    const { logins } = test_.cloud;
    const { password } = accepted(await logins.requestLogin("mallory@example.org", caller));
    const wrong = Array.from({ length: 100 }, () => logins.logIn("mallory@example.org", "AAAAAA", caller));
    const right = logins.logIn("mallory@example.org", password, caller);
    assert.ok((await Promise.all([...wrong, right])).every((outcome) => outcome === undefined));
  });

  test("a one-time password given twice in parallel logs in once", async () => {
    const { logins } = test_.cloud;
    const { password } = accepted(await logins.requestLogin("twin@example.org", caller));
    const both = await Promise.all([1, 2].map(() => logins.logIn("twin@example.org", password, caller)));
    assert.equal(both.filter((outcome) => outcome !== undefined).length, 1);
  });

  test("requesting a password stores neither the address nor an account", async () => {
    const accounts = test_.cloud.kernel.size("account");
    const { password } = accepted(
      await test_.cloud.logins.requestLogin("curious-canary@example.org", caller),
    );
    assert.equal(test_.cloud.kernel.size("account"), accounts);
    const disk = everythingOnDisk(test_.folder);
    assert.ok(disk.includes("LoginPending"));
    assert.ok(!disk.includes("curious-canary") && !disk.includes(password));
    assert.ok("rejected" in (await test_.cloud.logins.requestLogin("no address", caller)));
  });

  test("a session expires", async () => {
    const { token } = await test_.logIn("brief@example.org");
    await test_.goForward(limits.cloudTokenMs - 3 * limits.clockCheckMs);
    assert.equal(typeof (await test_.cloud.logins.sessionOf(token)), "object");
    await test_.clock.pass(2 * limits.clockCheckMs);
    assert.equal(await test_.cloud.logins.sessionOf(token), "expired");
  });

  test("a fixed password works until it is removed", async () => {
    const { logins } = test_.cloud;
    const { account } = await test_.logIn("fixed@example.org");
    const logIn = (password: string) => logins.logInWithPassword("Fixed@example.org", password);
    assert.equal(await logIn("correct horse"), undefined);
    assert.equal(await logins.setPassword(account.id, "correct horse"), undefined);
    assert.equal((await logIn("correct horse"))?.account.id, account.id);
    assert.equal(await logIn("correct horse "), undefined);
    assert.equal(
      (await logins.setPassword(account.id, "x".repeat(limits.passwordMinChars - 1)))?.field,
      "password",
    );
    assert.equal(await logins.setPassword(account.id, null), undefined);
    assert.equal(await logIn("correct horse"), undefined);
  });
});

describe("hubs", () => {
  let hub: TestHub;
  beforeEach(async () => {
    hub = await TestHub.make();
  });

  test("a hub that proves its key gets a session for a limited time", async () => {
    const { hubs } = test_.cloud;
    const { token, issuer, lifetimeMs } = await hub.connect(test_.cloud);
    assert.equal(hubs.hubOf(token), hub.id);
    assert.equal(issuer, test_.issuer);
    await test_.clock.pass(lifetimeMs - 1);
    assert.equal(hubs.hubOf(token), hub.id);
    await test_.clock.pass(1);
    assert.equal(hubs.hubOf(token), undefined);
    assert.equal(hubs.hubOf("x"), undefined);
  });

  test("a nonce is valid once, in time and for its hub; an id belongs to its first key", async () => {
    const { cloud } = test_;
    const open = async (by: TestHub, nonce: string) =>
      cloud.hubs.openSession(await by.request(cloud.issuer, nonce)).then((answer) => "rejected" in answer);
    const { nonce } = cloud.hubs.challenge(hub.id);
    assert.equal(await open(hub, nonce), false);
    assert.equal(await open(hub, nonce), true);
    const other = await TestHub.make();
    assert.equal(await open(other, cloud.hubs.challenge(hub.id).nonce), true);
    const thief = await TestHub.make(hub.id);
    assert.equal(await open(thief, cloud.hubs.challenge(hub.id).nonce), true);
    const late = cloud.hubs.challenge(hub.id).nonce;
    await test_.clock.pass(limits.challengeMs);
    assert.equal(await open(hub, late), true);
    assert.equal(await open(hub, "made up"), true);
    const stolen = { ...(await hub.request(cloud.issuer, cloud.hubs.challenge(hub.id).nonce)) };
    const forged = { ...stolen, publicJwk: (await thief.request(cloud.issuer, "x")).publicJwk };
    assert.equal("rejected" in (await cloud.hubs.openSession(forged)), true);
  });

  test("the owner of a claimed hub gets a HubKey that the hub accepts", async () => {
    const { cloud } = test_;
    const { jwks } = await hub.connect(cloud);
    const { userId, seq, changed } = accepted(await cloud.hubs.claim(hub.id, "owner@example.org"));
    assert.deepEqual([seq, changed], [1, true]);
    assert.equal(accepted(await cloud.hubs.claim(hub.id, "Owner@example.org")).changed, false);
    const { account } = await test_.logIn("owner@example.org");
    assert.equal(account.id, userId);
    const key = (await cloud.hubs.hubKeys(userId)).get(hub.id) ?? assert.fail("no key");
    const keys = new Map(jwks.keys.map((jwk) => [jwk.kid ?? "", jwk]));
    const trusted = { issuers: [{ name: test_.issuer, keys, lifetimeMs: limits.hubKeyMs }], hubId: hub.id };
    const verified = await verifyHubKey(key, trusted, cloud.kernel.now());
    const { hub_name, email, role, owner, auth_seq } = verified.key ?? assert.fail(verified.problem);
    assert.deepEqual([hub_name, email, role, owner, auth_seq], ["Cabin", "owner@example.org", 64, true, 1]);
    const list = await verifyAuthorizationList(await cloud.hubs.authorizationList(hub.id), {
      keys,
      issuers: [test_.issuer],
      hubId: hub.id,
      seq: 1,
    });
    assert.deepEqual(
      list.list?.users.map(({ user_id }) => user_id),
      [userId],
    );
    assert.deepEqual([...(await cloud.hubs.hubKeys(userId, (version) => version.startsWith("1.14.9.")))], []);
    assert.ok("rejected" in (await cloud.hubs.claim("no hub", "owner@example.org")));
    assert.ok("rejected" in (await cloud.hubs.claim(hub.id, "no address")));
  });
});

describe("sharing", () => {
  let hub: TestHub;
  let owner: string;
  const told: [string, number][] = [];
  let end: () => void;

  before(async () => {
    hub = await TestHub.make();
    await hub.connect(test_.cloud);
    owner = accepted(await test_.cloud.hubs.claim(hub.id, "boss@example.org")).userId;
    end = test_.cloud.onAuthorizations((hubId, seq) => told.push([hubId, seq]));
  });
  after(() => end());

  test("an invitation takes effect when it is accepted, by link or by hub id", async () => {
    const { sharing, hubs } = test_.cloud;
    const subject = { hubId: hub.id, email: "guest@example.org" };
    const sent = accepted(await sharing.invite(owner, { ...subject, role: roles.GUEST }));
    assert.deepEqual([sent.email, sent.hubName, sent.by], ["guest@example.org", "Cabin", "boss@example.org"]);
    assert.deepEqual(told, []);
    const listed = accepted(sharing.authorizations(owner, hub.id));
    assert.deepEqual(
      listed.map(({ email, invitedUntil }) => [email, invitedUntil]),
      [
        ["boss@example.org", null],
        ["guest@example.org", sent.expires],
      ],
    );
    assert.ok(!(await hubs.authorizationList(hub.id)).includes("guest"));
    assert.equal((await sharing.acceptInvitation(hub.id, `${sent.code}x`))?.rejected, "not-found");
    assert.equal(await sharing.acceptInvitation(hub.id, sent.code), undefined);
    assert.equal((await sharing.acceptInvitation(hub.id, sent.code))?.rejected, "not-found");
    assert.deepEqual(told, [[hub.id, 2]]);

    accepted(await sharing.invite(owner, { hubId: hub.id, email: "user@example.org", role: 8 }));
    const { account } = await test_.logIn("User@example.org");
    assert.equal(sharing.roleOf(account.id, hub.id), undefined);
    assert.equal(await sharing.acceptInvitationTo(hub.id, account.id), undefined);
    assert.equal(sharing.roleOf(account.id, hub.id), roles.IDENTIFIED_USER);
    assert.ok((await hubs.hubKeys(account.id)).has(hub.id));
    assert.deepEqual(accepted(sharing.authorizations(account.id, hub.id)).length, 1);
    assert.deepEqual(told.at(-1), [hub.id, 3]);
    assert.equal(
      await sharing.setRole(owner, { hubId: hub.id, email: "user@example.org", role: 32 }),
      undefined,
    );
    assert.equal(accepted(sharing.authorizations(account.id, hub.id)).length, 3);
    assert.equal(await sharing.revoke(owner, { hubId: hub.id, email: "user@example.org" }), undefined);
    assert.deepEqual([...(await hubs.hubKeys(account.id))], []);
    assert.ok("rejected" in sharing.authorizations(account.id, hub.id));
    assert.equal(
      (await sharing.revoke(owner, { hubId: hub.id, email: "boss@example.org" }))?.rejected,
      "forbidden",
    );
    assert.equal((await sharing.revoke(owner, { hubId: hub.id, email: "un@known" }))?.field, "email");
    assert.equal((await sharing.revoke(account.id, { hubId: hub.id, email: "un@known" }))?.field, "hubId");
  });

  test("parallel invitations of a new address make one account", async () => {
    const { sharing, kernel } = test_.cloud;
    const second = await TestHub.make();
    await second.connect(test_.cloud);
    await test_.cloud.hubs.claim(second.id, "boss@example.org");
    const invite = (hubId: string) => sharing.invite(owner, { hubId, email: "new@example.org", role: 2 });
    const both = await Promise.all([invite(hub.id), invite(second.id), test_.logIn("NEW@example.org")]);
    for (const answer of both) accepted(answer);
    const made = [...kernel.all("account")].filter(([, { email }]) => /^new@/i.test(email));
    assert.equal(made.length, 1);
  });

  test("applies a hub's revocations and notes the list number that it has seen", async () => {
    const { sharing, hubs, kernel } = test_.cloud;
    const { account } = await test_.logIn("guest@example.org");
    assert.equal(await hubs.revoke(hub.id, [account.id, "nobody"]), undefined);
    assert.equal(sharing.roleOf(account.id, hub.id), undefined);
    const { seq = 0 } = kernel.get("authorizations", hub.id) ?? {};
    assert.equal(await hubs.noteSeen(hub.id, seq), undefined);
    assert.equal((await hubs.noteSeen(hub.id, seq + 1))?.field, "seq");
    assert.equal(kernel.get("authorizations", hub.id)?.seen, seq);
  });

  test("an owner can be forgotten after passing the hub on", async () => {
    const { sharing, kernel } = test_.cloud;
    assert.equal((await sharing.forget(owner))?.rejected, "forbidden");
    const { id: hubId } = hub;
    const sent = accepted(await sharing.offerOwnership(owner, { hubId, email: "heir@example.org" }));
    assert.equal(await sharing.acceptOwnership(hubId, sent.code), undefined);
    const { account: heir } = await test_.logIn("heir@example.org");
    assert.deepEqual(
      [heir.id, owner].map((id) => sharing.roleOf(id, hubId)),
      [64, 32],
    );
    const { account } = await test_.logIn("leaver@example.org");
    accepted(await sharing.invite(heir.id, { hubId, email: "leaver@example.org", role: 2 }));
    await sharing.offerOwnership(heir.id, { hubId, email: "leaver@example.org" });
    const { token } = await test_.logIn("leaver@example.org");
    assert.equal(await sharing.forget(account.id), undefined);
    assert.deepEqual(
      [sharing.roleOf(account.id, hubId), kernel.get("account", account.id)?.email],
      [undefined, ""],
    );
    assert.equal(await test_.cloud.logins.sessionOf(token), "ended");
    const { account: anew } = await test_.logIn("leaver@example.org");
    assert.notEqual(anew.id, account.id);
  });
});

test("the operator lists, releases and removes hubs, and makes activation codes", async () => {
  const { operation, hubs, sharing } = test_.cloud;
  const hub = await TestHub.make();
  const { jwks } = await hub.connect(test_.cloud);
  const { userId } = accepted(await hubs.claim(hub.id, "boss@example.org"));
  const seen = [...operation.hubs()].find(({ hubId }) => hubId === hub.id);
  assert.deepEqual([seen?.name, seen?.users, seen?.seq, seen?.seqSeen], ["Cabin", 1, 1, 0]);
  const keys = new Map(jwks.keys.map((jwk) => [jwk.kid ?? "", jwk]));
  const trusted = { keys, hubId: hub.id, now: test_.cloud.kernel.now() };
  const code = readActivationCode(operation.activationCode(hub.id, [2, 15]), trusted);
  assert.deepEqual(typeof code === "object" && code.features, [2, 15]);
  assert.equal((await operation.removeHub(hub.id))?.rejected, "wrong-state");
  assert.equal(await operation.releaseHub(hub.id), undefined);
  assert.equal(sharing.roleOf(userId, hub.id), undefined);
  assert.equal(await operation.removeHub(hub.id), undefined);
  const heir = await TestHub.make(hub.id);
  await heir.connect(test_.cloud);
  const { seq } = accepted(await hubs.claim(heir.id, "boss@example.org"));
  assert.equal(seq, 3, "the list number continues");
  const { token } = await test_.logIn("boss@example.org");
  assert.equal(await operation.endSessions(userId), undefined);
  assert.equal(await test_.cloud.logins.sessionOf(token), "ended");
});

test("a replay of the log gives the live states", async () => {
  const live = [...test_.cloud.kernel.snapshot().rows];
  const again = replay({
    log: test_.cloud.kernel.log,
    aggregates: cloudAggregates,
    categories: [],
    epochEvent: "",
    release: "test",
  });
  const sorted = (rows: Iterable<unknown>): string[] =>
    [...rows].map((row) => JSON.stringify(row)).toSorted();
  assert.deepEqual(sorted(again.rows), sorted(live));
  assert.ok(live.length > 20);
});

test("keeps tokens, hubs and keys over a restart", async () => {
  const hub = await TestHub.make();
  await hub.connect(test_.cloud);
  const { userId } = accepted(await test_.cloud.hubs.claim(hub.id, "stay@example.org"));
  const { token } = await test_.logIn("stay@example.org");
  const { kid } = test_.cloud.signingKeys.current;
  await test_.stop();
  await test_.start();
  const session = await test_.cloud.logins.sessionOf(token);
  assert.ok(typeof session === "object" && session.account.id === userId);
  assert.ok((await test_.cloud.hubs.hubKeys(userId)).has(hub.id));
  assert.equal(test_.cloud.signingKeys.current.kid, kid);
  await hub.connect(test_.cloud);
});

test("withdrawing a key at once invalidates everything it signed", async () => {
  const { cloud } = test_;
  const old = cloud.signingKeys.current.kid;
  const { token } = await test_.logIn("robbed@example.org");
  assert.equal(typeof (await cloud.logins.sessionOf(token)), "object");
  assert.equal((await cloud.signingKeys.withdraw(old))?.rejected, "wrong-state");
  assert.equal((await cloud.signingKeys.withdraw("none"))?.rejected, "not-found");
  let replaced = 0;
  cloud.signingKeys.onReplaced(() => replaced++);
  const { kid } = await cloud.signingKeys.rotate(true);
  assert.equal(typeof (await cloud.logins.sessionOf(token)), "object");
  assert.equal(await cloud.signingKeys.withdraw(old), undefined);
  assert.equal(await cloud.logins.sessionOf(token), "unknown-key");
  assert.deepEqual([...cloud.signingKeys.keySet.keys()], [kid]);
  assert.equal(await cloud.signingKeys.withdraw(old), undefined);
  assert.equal((await cloud.signingKeys.withdraw(kid))?.rejected, "wrong-state");
  assert.equal(replaced, 3);
  const again = await test_.logIn("robbed@example.org");
  assert.equal(typeof (await cloud.logins.sessionOf(again.token)), "object");
});

test("a rotation publishes the new key before it signs, and the old one until its tokens expire", async () => {
  const { cloud, issuer } = test_;
  const old = cloud.signingKeys.current.kid;
  const { token } = await test_.logIn("patient@example.org");
  const { kid, from } = await cloud.signingKeys.rotate();
  assert.ok(from >= cloud.kernel.now() + limits.signingKeyLeadMs);
  assert.equal(cloud.signingKeys.current.kid, old);
  assert.ok(
    cloud.signingKeys.jwks.keys.some((jwk) => jwk.kid === kid),
    "hubs can fetch it before it signs",
  );
  assert.ok(cloud.signingKeys.jwks.keys.every((jwk) => !("d" in jwk)));
  await test_.goForward(limits.signingKeyLeadMs);
  assert.equal(cloud.signingKeys.current.kid, kid);
  const fresh = await test_.logIn("patient@example.org");
  for (const text of [token, fresh.token]) {
    const verified = await verifyCloudToken(
      text,
      { keys: cloud.signingKeys.keySet, issuer },
      cloud.kernel.now(),
    );
    assert.equal(verified.problem, undefined);
  }
  await test_.goForward(limits.hubKeyMs);
  assert.ok(!cloud.signingKeys.keySet.has(old));
  const urgent = await cloud.signingKeys.rotate(true);
  assert.equal(cloud.signingKeys.current.kid, urgent.kid);
  assert.equal(cloud.kernel.get("signingKey", old), undefined);
});
