// Rate limits per minute, of addresses and of known callers.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { limits } from "@ledge/model";
import { Served } from "./test-served.ts";

let served: Served;
before(async () => void (served = await Served.start()));
after(() => served.stop());

const { openReadsPerMinutePerAddress: reads, wrongKeysPerMinutePerAddress: wrong } = limits;

/** Calls until 429; returns the number of calls before it and its retry-after seconds. */
async function spend(call: () => ReturnType<Served["call"]>, status: number): Promise<[number, number]> {
  for (let count = 0; ; count++) {
    const reply = await call();
    if (reply.status === 429) return [count, Number(reply.headers.get("retry-after"))];
    assert.equal(reply.status, status);
  }
}

test("public reads and wrong tokens have separate allowances", async () => {
  const from = served.newCaller();
  const health = () => served.call("GET", "/healthz", { from });
  assert.deepEqual(await spend(health, 200), [reads, 1]);
  assert.equal((await served.call("GET", "/.well-known/jwks.json", { from })).status, 429);
  assert.equal((await served.call("GET", "/healthz")).status, 200, "from elsewhere");
  const [, retryAfter] = await spend(() => served.ui("GET", "/user", { from, token: "a.b.c" }), 401);
  assert.ok(retryAfter > 0);
  for (const path of ["/ui/0.2/user/hubkeys", "/hub/authorizations"])
    assert.equal((await served.call("GET", path, { from })).status, 429, path);
  const asked = await served.ui("POST", "/user/requestlogin", { from, json: { email: "a@example.org" } });
  assert.equal(asked.status, 200);
  await served.test.clock.pass(1000);
  assert.equal((await health()).status, 200);
  assert.equal((await served.ui("GET", "/user", { from, token: "a.b.c" })).status, 401);
});

for (const [what, spoilt] of [
  ["a forged token", (token: string) => Promise.resolve(`${token.slice(0, -4)}AAAA`)],
  [
    "the token of an ended session",
    (token: string) => served.ui("PUT", "/user/logout", { token }).then(() => token),
  ],
  ["an expired token", (token: string) => served.test.goForward(limits.cloudTokenMs).then(() => token)],
] as const)
  test(`answers ${what} with 401, then 429, while known callers from there continue`, async () => {
    const from = served.newCaller();
    const bad = await spoilt(await served.logIn("guesser@example.org"));
    const good = await served.logIn("neighbour@example.org");
    const user = (token: string) => served.ui("GET", "/user", { from, token });
    assert.equal((await user(good)).status, 200);
    assert.deepEqual((await spend(() => user(bad), 401))[0], wrong);
    assert.equal((await user(good)).status, 200);
    await served.test.clock.pass(limits.allowanceMs);
  });

test("valid tokens that are new do not count as wrong", async () => {
  const from = served.newCaller();
  let token = await served.logIn("many@example.org");
  for (let i = 0; i <= wrong; i++) {
    const fresh = await served.ui("GET", "/user/refreshsession", { from, token });
    assert.equal(fresh.status, 200);
    token = fresh.text;
  }
});

test("valid tokens that are new do not count as wrong when many come at once", async () => {
  const from = served.newCaller();
  const tokens: string[] = [];
  let token = await served.logIn("fleet@example.org");
  for (let i = 0; i < wrong + 40; i++) {
    if (i % 40 === 0) token = await served.logIn(`fleet${i}@example.org`);
    token = (await served.ui("GET", "/user/refreshsession", { token })).text;
    tokens.push(token);
  }
  // Forget that they were verified.
  const own = served.test;
  await own.cloud.signingKeys.rotate(true);
  const replies = await Promise.all(tokens.map((each) => served.ui("GET", "/user", { from, token: each })));
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
  const [refused] = await spend(() => served.ui("GET", "/user", { from, token: "a.b.c" }), 401);
  assert.equal(refused, wrong);
});

test("a known caller has one allowance from all addresses", async () => {
  const [token, other] = [await served.logIn("busy@example.org"), await served.logIn("calm@example.org")];
  const user = (by: string) => served.ui("GET", "/user", { token: by });
  // One more, because the first call was not known yet.
  assert.deepEqual(await spend(() => user(token), 200), [limits.requestsPerMinutePerToken + 1, 1]);
  assert.equal((await user(other)).status, 200);
});
