import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { hubIdOfKey, keySetFrom, verifyAuthorizationList } from "@ledge/link";
import { limits, roles } from "@ledge/model";
import { until } from "@ledge/testkit";
import { TestHub } from "../testdata/open-cloud.ts";
import { Served } from "./test-served.ts";

let served: Served;
let isLate = false;
before(async () => void (served = await Served.start({ isLate: () => isLate })));
after(() => served.stop());

const owner = "owner@example.org";

describe("hubs", () => {
  test("keeps the texts of an unknown hub out of the mail to a named owner", async () => {
    const name = "Your Ledge account is suspended. Confirm at http://evil.example";
    const email = "victim@example.org";
    const hubToken = await served.connect(await TestHub.make(), { name });
    assert.equal((await served.call("POST", "/hub/claim", { json: { email }, token: hubToken })).status, 200);
    const { subject, text } = served.mails.find(({ to }) => to === email) ?? assert.fail("no mail");
    assert.doesNotMatch(`${subject} ${text}`, /suspended|evil/);
  });

  test("a hub goes from the challenge to its verified authorization list", async () => {
    const { hub, hubToken: token } = await served.claimed(owner);
    assert.match(
      served.mails.find(({ to }) => to === owner)?.subject ?? "",
      /^A hub names you as its owner$/,
    );
    const mails = served.mails.length;
    const again = await served.call("POST", "/hub/claim", { token, json: { email: owner } });
    assert.equal((again.json as { seq: number }).seq, 1);
    assert.equal(served.mails.length, mails, "an unchanged claim sends no mail");
    const { json: jwks } = await served.call("GET", "/.well-known/jwks.json");
    assert.doesNotMatch(JSON.stringify(jwks), /"d":/);
    const keys = keySetFrom(jwks) ?? assert.fail("no key set");
    const { text } = await served.call("GET", "/hub/authorizations", { token });
    const trusted = { keys, issuers: [served.test.issuer], hubId: hub.id, seq: 1 };
    const { list } = await verifyAuthorizationList(text, trusted);
    assert.deepEqual(
      list?.users.map(({ email, role }) => [email, role]),
      [[owner, roles.OWNER_ADMIN]],
    );
    const seen = (seq: unknown) => served.call("POST", "/hub/authorizations/seen", { token, json: { seq } });
    assert.equal((await seen(1)).json, true);
    for (const seq of [2, -1, 1.5, "1", null, undefined]) assert.equal((await seen(seq)).status, 422);
  });

  test("lets no more hubs come while the process is late, and those go on that are there", async (t) => {
    const hub = await TestHub.make();
    const { hubToken: token } = await served.claimed("early@example.org");
    const come = () => served.call("POST", "/hub/challenge", { json: { hubId: hub.id } });
    const { nonce } = (await come()).json as { nonce: string };
    const json = await hub.request(served.test.issuer, nonce);
    isLate = true;
    t.after(() => (isLate = false));
    const refused = await come();
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "5"]);
    assert.equal((await served.call("GET", "/hub/authorizations", { token })).status, 200);
    assert.equal((await served.call("POST", "/hub/session", { json })).status, 200, "it has begun to come");
  });

  test("applies a hub's revocations, except of its owner", async () => {
    const { hub, hubToken: token, owner: by } = await served.claimed("boss@example.org");
    const email = "guest@example.org";
    await served.ui("POST", "/user/invite", { token: by, json: { hubId: hub.id, email, role: roles.GUEST } });
    const guest = await served.join(email, hub.id);
    const idOf = async (person: string) =>
      ((await served.ui("GET", "/user", { token: person })).json as { uid: string }).uid;
    const revoke = (users: unknown) => served.call("POST", "/hub/revocations", { token, json: { users } });
    assert.equal((await revoke([await idOf(by)])).status, 403);
    assert.equal((await revoke([await idOf(guest), "nobody"])).json, true);
    assert.deepEqual((await served.ui("GET", "/user/hubkeys", { token: guest })).json, {});
    for (const users of [undefined, null, "x", [5], [""], Array.from({ length: limits.users + 1 }, String)])
      assert.equal((await revoke(users)).status, 422);
  });

  test("a proof is valid once, for its own hub and key", async () => {
    const hub = await TestHub.make();
    const challenge = async () => {
      const { json } = await served.call("POST", "/hub/challenge", { json: { hubId: hub.id } });
      return (json as { nonce: string }).nonce;
    };
    const open = (json: unknown) => served.call("POST", "/hub/session", { json });
    const { cloud } = served.test;
    const request = await hub.request(cloud.issuer, await challenge());
    assert.equal((await open(request)).status, 200);
    assert.equal((await open(request)).status, 403, "replayed");
    assert.equal((await open(await hub.request(cloud.issuer, "made-up"))).status, 403);
    const thief = await TestHub.make(hub.id);
    assert.equal((await open(await thief.request(cloud.issuer, await challenge()))).status, 403);
    const good = await hub.request(cloud.issuer, await challenge());
    for (const [field, values] of Object.entries({
      hubId: [undefined, null, 5, ""],
      publicJwk: [
        undefined,
        null,
        {},
        { ...good.publicJwk, crv: "X25519" },
        { ...good.publicJwk, x: "short" },
      ],
      version: [undefined, "", "1", "1.x", 1.14, "1".repeat(100)],
      features: [
        undefined,
        null,
        [1.5],
        [-1],
        ["1"],
        Array.from({ length: limits.hubFeatures + 1 }, () => 1),
      ],
      proof: [undefined, null, 5, "x".repeat(limits.tokenChars + 1)],
      lanAddresses: [
        null,
        "192.168.1.5",
        [5],
        Array.from({ length: limits.lanAddressesPerHub + 1 }, () => "10.0.0.1"),
      ],
    })) {
      for (const value of values)
        assert.equal(
          (await open({ ...good, [field]: value })).status,
          422,
          `${field} ${JSON.stringify(value)}`,
        );
    }
    assert.equal((await open({ ...good, proof: "a.b.c" })).status, 403);
    assert.equal((await open(good)).status, 200, "a refused request does not use up the nonce");
  });

  test("hub tokens and user tokens are not interchangeable, and a hub session expires", async () => {
    const { hubToken, owner: person } = await served.claimed("both@example.org");
    assert.equal((await served.call("GET", "/hub/authorizations", { token: person })).status, 401);
    assert.equal((await served.ui("GET", "/user/hubkeys", { token: hubToken })).status, 401);
    await served.test.clock.pass(limits.hubSessionMs);
    assert.equal((await served.call("GET", "/hub/authorizations", { token: hubToken })).status, 401);
  });

  test("a claim names a problem of the address and succeeds even when mail fails", async () => {
    const hub = await TestHub.make();
    const token = await served.connect(hub);
    const claim = (email: unknown) => served.call("POST", "/hub/claim", { token, json: { email } });
    for (const email of [undefined, null, 5, "", "none"]) assert.equal((await claim(email)).status, 422);
    served.isMailDown = true;
    const { status, json } = await claim("anne@example.org");
    served.isMailDown = false;
    assert.equal(status, 200);
    assert.equal((json as { seq: number }).seq, 1);
    assert.equal((await claim("other@example.org")).status, 409);
    const anne = await served.logIn("anne@example.org");
    const { json: keys } = await served.ui("GET", "/user/hubkeys", { token: anne });
    assert.deepEqual(Object.keys(keys as object), [hub.id], "the owner keeps the hub");
  });

  for (const [path, most, fieldsOf] of [
    ["/hub/challenge", limits.challengesPerCaller, () => ({ hubId: "h" })],
    ["/hub/claim", limits.claimsPerCaller, (i: number) => ({ email: `a${i}@example.org` })],
  ] as const) {
    test(`limits ${path} per address`, async () => {
      const token = await served.connect(await TestHub.make());
      const call = (from: string, i = 0) => served.call("POST", path, { json: fieldsOf(i), from, token });
      const from = served.newCaller();
      for (let i = 0; i < most; i++) assert.notEqual((await call(from, i)).status, 429);
      const { status, headers } = await call(from, most);
      assert.equal(status, 429);
      assert.ok(Number(headers.get("retry-after")) > 0);
      assert.notEqual((await call(served.newCaller())).status, 429);
    });
  }
});

describe("hub ids", () => {
  const register = async (hub: TestHub, address?: string) => {
    const { json } = await served.call("POST", "/hub/challenge", { json: { hubId: hub.id } });
    const { nonce } = json as { nonce: string };
    return served.call("POST", "/hub/session", {
      json: await hub.request(address ?? served.test.issuer, nonce),
    });
  };

  test("refuses a proof for another address, which that address could forward", async () => {
    const hub = await TestHub.make();
    const { status, text } = await register(hub, "https://rogue.example");
    assert.equal(status, 403);
    assert.match(text, /has dialled an address that is not this cloud's/);
    assert.equal((await register(hub)).status, 200);
  });

  test("a key has one hub, plus the hub whose id is derived from the key", async () => {
    const hub = await TestHub.make();
    assert.equal((await register(hub)).status, 200);
    const second = TestHub.of(randomUUID(), hub);
    assert.equal((await register(second)).status, 403);
    assert.equal((await register(TestHub.of(hubIdOfKey(hub.key.publicJwk.x ?? ""), hub))).status, 200);
  });

  test("an id that a stranger registered goes to the hub whose key it is derived from", async () => {
    const maker = await TestHub.make();
    const hub = TestHub.of(hubIdOfKey(maker.key.publicJwk.x ?? ""), maker);
    const squatter = await TestHub.make(hub.id);
    const squatting = await served.connect(squatter);
    const claim = (token: string, email: string) =>
      served.call("POST", "/hub/claim", { json: { email }, token });
    assert.equal((await claim(squatting, "stranger@example.org")).status, 200);
    const hubToken = await served.connect(hub);
    assert.equal((await claim(hubToken, "keeper@example.org")).status, 200);
    const keys = async (email: string) =>
      (await served.ui("GET", "/user/hubkeys", { token: await served.logIn(email) })).json as object;
    assert.deepEqual(Object.keys(await keys("keeper@example.org")), [hub.id]);
    assert.deepEqual(await keys("stranger@example.org"), {});
    assert.equal((await register(squatter)).status, 403);
  });

  test("a stranger's session for an id ends when the rightful hub registers", async () => {
    const maker = await TestHub.make();
    const hub = TestHub.of(hubIdOfKey(maker.key.publicJwk.x ?? ""), maker);
    const token = await served.connect(await TestHub.make(hub.id));
    const hubToken = await served.connect(hub);
    const json = { email: "thief@example.org" };
    assert.equal((await served.call("POST", "/hub/claim", { json, token })).status, 401);
    assert.equal((await served.call("GET", "/hub/authorizations", { token })).status, 401);
    assert.equal((await served.call("GET", "/hub/authorizations", { token: hubToken })).status, 200);
  });

  test("refuses a stranger's claim whose body arrives after the rightful hub registered", async () => {
    const maker = await TestHub.make();
    const hub = TestHub.of(hubIdOfKey(maker.key.publicJwk.x ?? ""), maker);
    const token = await served.connect(await TestHub.make(hub.id));
    const body = JSON.stringify({ email: "thief@example.org" });
    const head = [
      "POST /hub/claim HTTP/1.1",
      "Host: localhost",
      "Connection: close",
      `Authorization: ${token}`,
    ];
    const socket = connect(Number(new URL(served.base).port), "127.0.0.1").setEncoding("utf8");
    let answer = "";
    socket.on("data", (text: string) => (answer += text));
    socket.write([...head, `Content-Length: ${body.length}`, "Expect: 100-continue", "", ""].join("\r\n"));
    // A client that is told to continue has passed the first check.
    await until("100 Continue", () => answer.includes("100 Continue"));
    const hubToken = await served.connect(hub);
    socket.write(body);
    await once(socket, "close");
    assert.match(answer, /^HTTP\/1\.1 401 /m);
    const json = { email: "keeper-of-it@example.org" };
    assert.equal((await served.call("POST", "/hub/claim", { json, token: hubToken })).status, 200);
  });

  test("an involuntary owner can disown the hub and delete the account", async () => {
    const { hub, hubToken, owner: token } = await served.claimed("forced@example.org");
    const refused = await served.ui("DELETE", "/user", { token });
    assert.equal(refused.status, 403);
    assert.match(refused.text, /disown it/);
    const leave = (by: string) => served.ui("DELETE", `/user/hub?hubId=${hub.id}`, { token: by });
    assert.equal((await leave(await served.logIn("nobody@example.org"))).status, 404);
    assert.deepEqual([(await leave(token)).json, (await leave(token)).status], [true, 404]);
    assert.deepEqual((await served.ui("GET", "/user/hubkeys", { token })).json, {});
    assert.equal((await served.ui("DELETE", "/user", { token })).json, true);
    const { status } = await served.call("POST", "/hub/claim", {
      json: { email: "new@example.org" },
      token: hubToken,
    });
    assert.equal(status, 200);
  });

  test("a member leaves a hub with the same call", async () => {
    const { hub, owner: host } = await served.claimed("host@example.org");
    const json = { hubId: hub.id, email: "member@example.org", role: roles.GUEST };
    assert.equal((await served.ui("POST", "/user/invite", { token: host, json })).status, 200);
    const token = await served.join("member@example.org", hub.id);
    assert.equal((await served.ui("DELETE", `/user/hub?hubId=${hub.id}`, { token })).json, true);
    assert.deepEqual((await served.ui("GET", "/user/hubkeys", { token })).json, {});
  });
});

describe("addresses on the LAN", () => {
  test("shows LAN addresses only to callers from the same network, and only local ones", async () => {
    const [home, other] = [served.newCaller(), "2001:db8:1:2::1"];
    const hub = await TestHub.make();
    const told = ["192.168.1.5", "fd00::5", "198.51.100.7", "evil.example", "169.254.1.1"];
    await served.connect(hub, { lanAddresses: told }, home);
    await served.connect(await TestHub.make(), { lanAddresses: ["10.1.1.1"], version: "1.14.9.2" }, home);
    await served.connect(await TestHub.make(), { lanAddresses: ["10.2.2.2"] }, "2001:db8:1:2:3::9");
    const ask = async (from: string, prefix = "/ui/0.2", token?: string) => {
      const sending = { from, ...(token !== undefined && { token }) };
      return (await served.call("GET", `${prefix}/hub/lan_ip`, sending)).json;
    };
    assert.deepEqual(await ask(home), ["192.168.1.5", "fd00::5", "169.254.1.1"]);
    assert.deepEqual(await ask(home, "/ui/0.2", "not a token"), ["192.168.1.5", "fd00::5", "169.254.1.1"]);
    assert.deepEqual(await ask(home, "/legacy/ui/0.2"), ["10.1.1.1"]);
    assert.deepEqual(await ask(other), ["10.2.2.2"]);
    assert.deepEqual(await ask(served.newCaller()), []);
    await served.connect(hub, { lanAddresses: ["192.168.1.6"] }, other);
    assert.deepEqual(await ask(home), []);
    assert.deepEqual(await ask(other), ["192.168.1.6", "10.2.2.2"]);
    await served.test.clock.pass(limits.hubSessionMs);
    assert.deepEqual(await ask(other), []);
  });
});
