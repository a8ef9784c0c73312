// How often an address, and somebody who is known, may ask in a minute.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { limits } from "@ledge/model";
import { Served } from "./test-served.ts";

let served: Served;
before(async () => void (served = await Served.start()));
after(() => served.stop());

const { openReadsPerMinutePerAddress: reads, wrongKeysPerMinutePerAddress: wrong } = limits;

/** How many calls have the status that is not 429 before one has, and the seconds that it names. */
async function spend(call: () => ReturnType<Served["call"]>, status: number): Promise<[number, number]> {
  for (let count = 0; ; count++) {
    const reply = await call();
    if (reply.status === 429) return [count, Number(reply.headers.get("retry-after"))];
    assert.equal(reply.status, status);
  }
}

test("reads of what is open and wrong tokens have an allowance each, and spend no other's", async () => {
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
    "the token of a session that is over",
    (token: string) => served.ui("PUT", "/user/logout", { token }).then(() => token),
  ],
  [
    "a token that has expired",
    (token: string) => served.test.goForward(limits.cloudTokenMs).then(() => token),
  ],
] as const)
  test(`${what} is 401 many times, then 429; whoever is known there goes on`, async () => {
    const from = served.newCaller();
    const bad = await spoilt(await served.logIn("guesser@example.org"));
    const good = await served.logIn("neighbour@example.org");
    const user = (token: string) => served.ui("GET", "/user", { from, token });
    assert.equal((await user(good)).status, 200);
    assert.deepEqual((await spend(() => user(bad), 401))[0], wrong);
    assert.equal((await user(good)).status, 200);
    await served.test.clock.pass(limits.allowanceMs);
  });

test("good tokens that nobody has seen yet count as no wrong ones", async () => {
  const from = served.newCaller();
  let token = await served.logIn("many@example.org");
  for (let i = 0; i <= wrong; i++) {
    const fresh = await served.ui("GET", "/user/refreshsession", { from, token });
    assert.equal(fresh.status, 200);
    token = fresh.text;
  }
});

test("who is known has an allowance, from wherever they call", async () => {
  const [token, other] = [await served.logIn("busy@example.org"), await served.logIn("calm@example.org")];
  const user = (by: string) => served.ui("GET", "/user", { token: by });
  // The first one was not known yet.
  assert.deepEqual(await spend(() => user(token), 200), [limits.requestsPerMinutePerToken + 1, 1]);
  assert.equal((await user(other)).status, 200);
});
