import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { limits } from "@ledge/model";
import { TestHub } from "../testdata/open-cloud.ts";
import { type Sending, Served } from "./test-served.ts";

let served: Served;
before(async () => void (served = await Served.start()));
after(() => served.stop());

const form = { "content-type": "application/x-www-form-urlencoded" };

describe("logging in", () => {
  for (const [how, path, sending] of [
    ["query", "?email=ann%2Bquery@example.org", {}],
    [
      "query of an empty octet stream",
      "?email=ann@example.org",
      { headers: { "content-type": "application/octet-stream" } },
    ],
    ["form", "", { body: "email=ann%40example.org", headers: form }],
    ["form without a content type", "", { body: "email=ann%40example.org" }],
    ["JSON", "", { json: { email: "ann@example.org" } }],
    ["JSON without a content type", "", { body: '{"email":"ann@example.org"}' }],
  ] as const satisfies readonly (readonly [string, string, Sending])[]) {
    test(`requests a password by ${how}`, async () => {
      const mails = served.mails.length;
      const { status, text, headers } = await served.ui("POST", `/user/requestlogin${path}`, {
        ...sending,
        ...(how === "query" && { headers: { authorization: "null" } }),
      });
      assert.deepEqual([status, text], [200, "null"]);
      assert.equal(headers.get("content-type"), "application/json");
      assert.equal(served.mails.length, mails + 1);
      await served.test.clock.pass(limits.allowanceMs);
    });
  }

  for (const [how, sendingOf] of [
    ["JSON", (fields: object) => ({ json: fields })],
    ["JSON without a content type", (fields: object) => ({ body: JSON.stringify(fields) })],
    ["a form", (fields: object) => ({ body: new URLSearchParams({ ...fields }).toString(), headers: form })],
    [
      "a form without a content type",
      (fields: object) => ({ body: new URLSearchParams({ ...fields }).toString() }),
    ],
  ] as const) {
    test(`accepts a one-time password by ${how} and answers with a valid token as plain text`, async () => {
      const email = "bob@example.org";
      await served.ui("POST", "/user/requestlogin", { json: { email } });
      const password = served.passwordOf(email);
      const given = await served.ui("POST", "/user/emaillogin", sendingOf({ email, password }));
      assert.equal(given.status, 200);
      assert.match(given.headers.get("content-type") ?? "", /^text\/plain/);
      const [head = "", body = "", ...rest] = given.text.split(".");
      assert.equal(rest.length, 1);
      const decoded = (part: string) =>
        JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>;
      assert.equal(decoded(head)["typ"], "JWT");
      const { iat, exp, user_id, kid, iss, role } = decoded(body);
      assert.equal(Number(exp) - Number(iat), 28 * 86_400);
      for (const claim of [user_id, kid, iss]) assert.equal(typeof claim, "string");
      assert.equal(typeof role, "number");
      const replayed = await served.ui("POST", "/user/emaillogin", sendingOf({ email, password }));
      assert.equal(replayed.status, 401);
      const me = await served.ui("GET", "/user", { token: `Bearer ${given.text}` });
      const { uid, ...user } = me.json as Record<string, unknown>;
      assert.equal(uid, user_id);
      assert.deepEqual(user, {
        type: "USER",
        email,
        nickname: "bob",
        phone: null,
        language: null,
        defaults: false,
      });
    });
  }

  test("mails a password only to the account's own address, not to look-alikes", async () => {
    const email = "Kim@example.org";
    await served.logIn(email);
    await served.test.clock.pass(limits.allowanceMs);
    const mails = served.mails.length;
    for (const alike of ["\u212Aim@example.org", "\uFF2Bim@example.org", "<Kim@example.org"])
      for (const path of ["/user/requestlogin", "/user/emaillogin", "/user/login"]) {
        const json = { email: alike, password: "none" };
        assert.equal(
          (await served.ui("POST", path, { json })).status,
          path.endsWith("requestlogin") ? 422 : 401,
        );
      }
    assert.equal(served.mails.length, mails);
    await served.ui("POST", "/user/requestlogin", { json: { email: "kIM@EXAMPLE.org" } });
    assert.equal(served.mails.at(-1)?.to, email);
  });

  test("refreshes a token by GET and POST; the old one stays valid until logout", async () => {
    const old = await served.logIn("cat@example.org");
    for (const method of ["GET", "POST"]) {
      const { status, text } = await served.ui(method, "/user/refreshsession", { token: old });
      assert.equal(status, 200);
      assert.notEqual(text, old);
      assert.equal((await served.ui("GET", "/user", { token: text })).status, 200);
      assert.equal((await served.ui("GET", "/user", { token: old })).status, 200);
    }
    const { text: fresh } = await served.ui("GET", "/user/refreshsession", { token: old });
    const out = await served.ui("PUT", "/user/logout", { token: old });
    assert.deepEqual([out.status, out.json], [200, true]);
    assert.equal((await served.ui("GET", "/user", { token: old })).status, 401);
    assert.equal((await served.ui("GET", "/user/refreshsession", { token: old })).status, 401);
    assert.equal((await served.ui("GET", "/user", { token: fresh })).status, 200);
  });

  test("saves a profile, sets and removes a fixed password, and forgets an account", async () => {
    const email = "dan@example.org";
    const token = await served.logIn(email);
    const saved = await served.ui("PUT", "/user", { token, json: { nickname: "Daniel", phone: "+358 1" } });
    assert.deepEqual([saved.status, saved.json], [200, true]);
    const { nickname, phone, defaults } = (await served.ui("GET", "/user", { token })).json as Record<
      string,
      unknown
    >;
    assert.deepEqual([nickname, phone, defaults], ["Daniel", "+358 1", true]);
    const logIn = (password: unknown) => served.ui("POST", "/user/login", { json: { email, password } });
    assert.equal((await logIn("correct horse")).status, 401);
    const set = (password: string | null) =>
      served.ui("PUT", "/user/password", { token, json: { password } });
    assert.equal((await set("short")).status, 422);
    assert.equal((await set("correct horse")).json, true);
    const { status, text } = await logIn("correct horse");
    assert.equal(status, 200);
    assert.equal((await served.ui("GET", "/user", { token: text })).status, 200);
    assert.equal((await logIn(7)).status, 422);
    assert.equal((await set(null)).json, true);
    assert.equal((await logIn("correct horse")).status, 401);
    assert.equal((await served.ui("DELETE", "/user", { token })).json, true);
    assert.equal((await served.ui("GET", "/user", { token })).status, 401);
  });

  test("answers wrong passwords and unknown addresses identically", async () => {
    await served.logIn("eve@example.org");
    const answers = await Promise.all(
      ["eve@example.org", "nobody@example.org"].flatMap((email) => [
        served.ui("POST", "/user/emaillogin", { json: { email, password: "AAAAAA" } }),
        served.ui("POST", "/user/login", { json: { email, password: "AAAAAA" } }),
      ]),
    );
    for (const { status, text } of answers) {
      assert.deepEqual([status, text], [401, '{"message":"the address or the password is wrong"}']);
    }
  });

  test("strangers who guess and request passwords do not lock the owner of the address out", async () => {
    const email = "fay@example.org";
    const [home, phone] = [served.newCaller(), served.newCaller()];
    const ask = (from: string) => served.ui("POST", "/user/requestlogin", { json: { email }, from });
    const give = async (password: string, from: string): Promise<number> =>
      (await served.ui("POST", "/user/emaillogin", { json: { email, password }, from })).status;
    const storm = async (): Promise<void> => {
      for (let stranger = 0; stranger < 20; stranger++) {
        const from = served.newCaller();
        const { status } = await ask(from);
        assert.ok(status === 200 || status === 429);
        for (let i = 0; i < 2 * limits.loginTries; i++) assert.equal(await give("AAAAAA", from), 401);
      }
    };
    await ask(home);
    const asked = served.passwordOf(email);
    await storm();
    const mails = served.mails.filter(({ to }) => to === email).length;
    assert.equal(mails, limits.loginMailsFirst + limits.loginMailsFurther);
    assert.equal(await give(asked, home), 200, "the password requested from this address");
    await served.test.clock.pass(limits.allowanceMs);
    await storm();
    assert.equal((await ask(home)).status, 429, "she learns that no mail is sent");
    const { text } = served.mailTo(email);
    const long = /use this one: (\w+)/.exec(text)?.[1] ?? "";
    assert.equal(await give(served.passwordOf(email), phone), 401);
    assert.equal(await give(long, phone), 200, "the long password of any mail");
  });

  test("a password that could not be mailed does not use up the allowance", async () => {
    const email = "gus@example.org";
    served.isMailDown = true;
    for (let i = 0; i < 2 * limits.loginMailsFirst; i++) {
      assert.equal((await served.ui("POST", "/user/requestlogin", { json: { email } })).status, 503);
    }
    served.isMailDown = false;
    await served.logIn(email);
  });

  test("limits mails from strangers' claims and invitations, but still sends login passwords", async () => {
    const email = "ivy@example.org";
    const to = (): number => served.mails.filter((mail) => mail.to === email).length;
    for (let stranger = 0; stranger < 12; stranger++) {
      const { hub, owner } = await served.claimed(`stranger${stranger}@example.org`);
      const json = { hubId: hub.id, email, role: 8 };
      await served.ui("POST", "/user/invite", { token: owner, json });
      const token = await served.connect(await TestHub.make());
      assert.equal((await served.call("POST", "/hub/claim", { token, json: { email } })).status, 200);
    }
    const invitations = limits.invitationMailsFirst + limits.invitationMailsFurther;
    const notices = limits.claimMailsFirst + limits.claimMailsFurther + invitations;
    assert.equal(to(), notices);
    await served.logIn(email);
    assert.equal(to(), notices + 1);
  });

  for (const [who, fromOf] of [
    ["one address", () => "203.0.113.77"],
    ["one /48", (i: number) => `2001:db8:77:${i}::1`],
  ] as const)
    test(`requests from ${who} do not use up the allowance of other networks`, async () => {
      const email = `jo-${who.replaceAll(/\W/g, "")}@example.org`;
      const ask = async (from: string): Promise<number> =>
        (await served.ui("POST", "/user/requestlogin", { json: { email }, from })).status;
      const to = (): number => served.mails.filter((mail) => mail.to === email).length;
      const statuses: number[] = [];
      for (let i = 0; i < 20; i++) statuses.push(await ask(fromOf(i)));
      assert.equal(to(), statuses.filter((status) => status === 200).length, "one mail per success");
      assert.ok(statuses.includes(429));
      for (const mine of ["at home", "on her phone"]) {
        const mailed = to();
        assert.equal(await ask(served.newCaller()), 200, mine);
        assert.equal(to(), mailed + 1, mine);
      }
      await served.logIn(email);
    });

  test("reports mail that cannot be sent", async () => {
    served.isMailDown = true;
    const reply = await served.ui("POST", "/user/requestlogin?email=gus@example.org");
    served.isMailDown = false;
    assert.equal(reply.status, 503);
    assert.ok(Number(reply.headers.get("retry-after")) > 0);
  });
});

describe("rate limits", () => {
  for (const [path, perEmail, perCaller] of [
    ["/user/requestlogin", limits.loginRequestsPerEmail, limits.loginRequestsPerCaller],
    ["/user/emaillogin", limits.loginAttemptsPerEmail, limits.loginAttemptsPerCaller],
    ["/user/login", limits.passwordAttemptsPerEmail, limits.passwordAttemptsPerCaller],
  ] as const) {
    const call = (email: string, from?: string) =>
      served.ui("POST", path, { json: { email, password: "AAAAAA" }, ...(from !== undefined && { from }) });

    test(`${path}: limits attempts about one address, in any spelling, per caller`, async () => {
      const from = served.newCaller();
      const first = await call("hal@example.org", from);
      assert.notEqual(first.status, 429);
      for (let i = 1; i < perEmail; i++)
        assert.equal((await call("HAL@example.org ", from)).status, first.status);
      const { status, headers, json } = await call("Hal@example.org", from);
      assert.equal(status, 429);
      assert.ok(Number(headers.get("retry-after")) > 0);
      assert.deepEqual(Object.keys(json as object), ["message"]);
      assert.equal((await call("ida@example.org", from)).status, first.status);
      assert.equal((await call("hal@example.org")).status, first.status);
      await served.test.clock.pass(Number(headers.get("retry-after")) * 1000);
      assert.equal((await call("hal@example.org", from)).status, first.status);
    });

    test(`${path}: limits attempts of one caller about any addresses`, async () => {
      const from = served.newCaller();
      for (let i = 0; i < perCaller; i++)
        assert.notEqual((await call(`u${i}@example.org`, from)).status, 429);
      assert.equal((await call("last@example.org", from)).status, 429);
      assert.notEqual((await call("last@example.org")).status, 429);
      // The caller may have written the addresses before the one that the proxy added.
      assert.equal((await call("last@example.org", `203.0.113.9, ${from}`)).status, 429);
    });
  }

  test("limits an IPv6 /48 as a whole", async () => {
    const call = (net: number, email: string, site = "2001:db8:7") =>
      served.ui("POST", "/user/requestlogin", { json: { email }, from: `${site}:${net}::1` });
    const most = limits.loginRequestsPerCaller;
    for (let net = 0; net < limits.allowanceSites; net++)
      for (let i = 0; i < most; i++) assert.equal((await call(net, `n${net}-${i}@example.org`)).status, 200);
    assert.equal((await call(99, "one@example.org")).status, 429);
    assert.equal((await call(99, "one@example.org", "2001:db8:8")).status, 200);
  });
});

describe("invalid requests", () => {
  const { cloudBodyBytes: most } = limits;
  for (const [what, sending, expected] of [
    ["half an object", { body: '{"email":' }, 422],
    ["an array", { json: [] }, 422],
    ["null", { json: null }, 422],
    ["an empty body", {}, 422],
    ["invalid UTF-8", { body: Uint8Array.of(0x7b, 0xff, 0x7d) }, 422],
    ["nested deep", { body: `{"email":${"[".repeat(5000)}` }, 422],
    ["no email", { json: { password: "AAAAAA" } }, 422],
    ["no password", { json: { email: "a@example.org" } }, 422],
    ["an email that is a number", { json: { email: 5, password: "AAAAAA" } }, 422],
    ["an email that is an object", { json: { email: {}, password: "AAAAAA" } }, 422],
    ["a password that is an array", { json: { email: "a@example.org", password: ["AAAAAA"] } }, 422],
    ["a password that is null", { json: { email: "a@example.org", password: null } }, 422],
    ["a huge email", { json: { email: `${"a".repeat(limits.emailChars)}@example.org`, password: "A" } }, 422],
    [
      "a huge password",
      { json: { email: "a@example.org", password: "A".repeat(limits.passwordMaxChars + 1) } },
      422,
    ],
    ["a prototype key", { body: '{"__proto__":{"email":"a@example.org","password":"A"}}' }, 422],
    ["one byte too large", { body: " ".repeat(most + 1) }, 413],
    ["huge", { body: "a".repeat(5_000_000) }, 413],
    ["the largest size, but blank", { body: " ".repeat(most) }, 422],
  ] as const satisfies readonly (readonly [string, Sending, number])[]) {
    for (const path of ["/user/emaillogin", "/user/login"]) {
      test(`answers ${expected} to ${path} with ${what}`, async () => {
        const { status, json } = await served.ui("POST", path, sending);
        assert.equal(status, expected);
        assert.equal(typeof (json as { message: unknown }).message, "string");
      });
    }
  }

  for (const email of [
    "",
    " ",
    "none",
    "a@",
    "@b.c",
    "a b@example.org",
    "a@example.org\r\nBcc: x@example.org",
    "a@b@c.d",
  ]) {
    test(`sends no password to ${JSON.stringify(email)}`, async () => {
      const mails = served.mails.length;
      const { status } = await served.ui("POST", "/user/requestlogin", { json: { email } });
      assert.equal(status, 422);
      assert.equal(served.mails.length, mails);
    });
  }

  for (const token of [undefined, "", "null", "Bearer", "x", "a.b.c", "x".repeat(9000)]) {
    test(`refuses ${token?.slice(0, 9)} as a token`, async () => {
      for (const [method, path] of [
        ["GET", "/ui/0.2/user"],
        ["GET", "/ui/0.2/user/hubkeys"],
        ["PUT", "/ui/0.2/user/logout"],
        ["GET", "/legacy/ui/0.2/user/hubkeys"],
        ["GET", "/hub/authorizations"],
        ["POST", "/hub/claim"],
      ] as const) {
        const { status, json } = await served.call(method, path, token === undefined ? {} : { token });
        assert.equal(status, 401, path);
        assert.equal(typeof (json as { message: unknown }).message, "string");
      }
    });
  }

  test("answers 404 to unknown paths and methods, handles preflights, and sets security headers", async () => {
    for (const [method, path] of [
      ["GET", "/nothing"],
      ["GET", "/ui/0.3/user"],
      ["GET", "/user"],
      ["DELETE", "/ui/0.2/user/hubkeys"],
      ["GET", "/ui/0.2/user/requestlogin"],
    ] as const) {
      const { status, json } = await served.call(method, path);
      assert.deepEqual([status, json], [404, { message: "there is nothing here" }]);
    }
    const headers = { origin: "https://ui.example", "access-control-request-method": "PUT" };
    const asked = await served.ui("OPTIONS", "/user/hubkeys", { headers });
    assert.equal(asked.status, 204);
    for (const name of ["authorization", "x-hub-key", "content-type", "accept-language"])
      assert.ok(asked.headers.get("access-control-allow-headers")?.includes(name));
    for (const method of ["GET", "PUT", "POST", "DELETE"])
      assert.ok(asked.headers.get("access-control-allow-methods")?.includes(method));
    const { headers: sent } = await served.call("GET", "/healthz");
    assert.equal(sent.get("access-control-allow-origin"), "*");
    assert.equal(sent.get("cache-control"), "no-store");
    assert.equal(sent.get("x-content-type-options"), "nosniff");
    assert.match(sent.get("content-security-policy") ?? "", /default-src 'none'/);
    assert.equal(sent.get("set-cookie"), null);
  });
});
