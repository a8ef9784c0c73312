// Callers that send as much as the limits allow, to a cloud behind HTTP with an accelerated clock.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { limits, roles } from "@ledge/model";
import { until } from "@ledge/testkit";
import { TestHub } from "../testdata/open-cloud.ts";
import { type Reply, Served } from "./test-served.ts";

const dayMs = 86_400_000;
const together = 32;

describe("the share of the log that a caller has per day", () => {
  const guest = "guest@example.org";
  let served: Served;
  let ada: { readonly token: string; readonly hubId: string };
  before(async () => {
    served = await Served.start();
    const { hub, owner: token } = await served.claimed("ada@example.org");
    ada = { token, hubId: hub.id };
    const json = { hubId: hub.id, email: guest, role: roles.GUEST };
    await served.ui("POST", "/user/invite", { token, json });
    await served.logIn(guest);
  });
  after(() => served.stop());

  const written = (): number => served.test.cloud.kernel.log.stats().frameBytes;

  /** Sends batches from new addresses until one request is refused, and returns the growth of the log. */
  const fill = async (send: (round: number) => Promise<Reply>): Promise<number> => {
    const began = written();
    for (let round = 0; ; round += together) {
      // As often as the limit of an account allows.
      served.test.clock.advance(Math.ceil((60_000 * together) / limits.requestsPerMinutePerToken));
      const replies = await Promise.all(Array.from({ length: together }, (_, at) => send(round + at)));
      const refused = replies.find(({ status }) => status !== 200);
      if (refused === undefined) continue;
      assert.equal(refused.status, 429, refused.text);
      assert.match(refused.text, /limit of changes per day/);
      assert.ok(Number(refused.headers.get("retry-after")) > 0);
      return written() - began;
    }
  };
  const rename = (token: string, round: number): Promise<Reply> =>
    served.ui("PUT", "/user", { token, json: { nickname: `${round}`.padEnd(limits.nameChars, "x") } });

  test("limits an account that renames itself, from any number of addresses", async () => {
    const { token } = ada;
    const other = await served.logIn("bo@example.org");
    const added = await fill((round) => rename(token, round));
    assert.ok(added > limits.accountLogBytesPerDay / 2, `${added}`);
    assert.ok(added < limits.accountLogBytesPerDay * 3, `${added}`);
    assert.equal((await rename(other, 0)).status, 200, "others are not affected");
    assert.equal((await served.ui("GET", "/user", { token })).status, 200, "it can still read");
  });

  test("also refuses sessions, roles and invitations of that account", async () => {
    const { token, hubId } = ada;
    served.test.clock.advance(60_000);
    const json = { hubId, email: guest, role: roles.IDENTIFIED_USER };
    for (const [method, path] of [
      ["GET", "/user/refreshsession"],
      ["PUT", "/user/password"],
      ["POST", "/user/authorization"],
      ["POST", "/user/invite"],
      ["POST", "/user/ownership"],
    ] as const) {
      const sent = method === "GET" ? {} : { json: { ...json, password: "long enough" } };
      assert.equal((await served.ui(method, path, { token, ...sent })).status, 429, path);
    }
  });

  test("still lets that account revoke access, log out, log in by mail and leave", async () => {
    const { token, hubId } = ada;
    const json = { hubId, email: guest };
    assert.equal((await served.ui("DELETE", "/user/authorization", { token, json })).status, 200);
    assert.equal((await served.ui("PUT", "/user/logout", { token })).status, 200);
    const again = await served.logIn("ada@example.org");
    assert.equal((await served.ui("DELETE", "/user/hub", { token: again, json: { hubId } })).status, 200);
  });

  test("remembers an account's share over a restart and renews it the next day", async () => {
    const account = served.accountId("ada@example.org");
    assert.ok(served.test.cloud.logShares.secondsUntil(account) > 0);
    await served.test.stop();
    await served.test.start();
    const { logShares } = served.test.cloud;
    await until("the share", () => logShares.secondsUntil(account) > 0);
    served.test.clock.advance(dayMs);
    assert.equal(logShares.secondsUntil(account), 0);
  });
});

describe("the number of things that an address may create per day", () => {
  let served: Served;
  before(async () => {
    served = await Served.start();
  });
  after(() => served.stop());

  /** Connects as fast as the other limits allow. */
  const connect = async (hub: TestHub, from: string): Promise<Reply> => {
    served.test.clock.advance(limits.allowanceMs / 30);
    const { json } = await served.call("POST", "/hub/challenge", { json: { hubId: hub.id }, from });
    const { nonce } = json as { nonce: string };
    return served.call("POST", "/hub/session", { json: await hub.request(served.test.issuer, nonce), from });
  };

  test("limits new hubs per address, but not known hubs or other addresses", async () => {
    const from = "192.0.2.7";
    const first = await TestHub.make();
    assert.equal((await connect(first, from)).status, 200);
    let made = 1;
    for (;;) {
      const { status, text } = await connect(TestHub.of(`hub-${made}`, await TestHub.make()), from);
      if (status === 429) break;
      assert.equal(status, 200, text);
      made += 1;
    }
    // The bucket refills meanwhile.
    assert.ok(made >= limits.newPerCallerADay && made < limits.newPerCallerADay * 1.2, `${made}`);
    assert.equal((await connect(first, from)).status, 200);
    assert.equal((await connect(await TestHub.make(), "192.0.2.8")).status, 200);
  });

  test("limits the claims of a hub that is disowned and claimed repeatedly", async () => {
    const from = "192.0.2.9";
    const { hub, hubToken: token, owner } = await served.claimed("ada@example.org");
    let claimed = 0;
    for (;;) {
      served.test.clock.advance(limits.allowanceMs / 5);
      const left = await served.ui("DELETE", "/user/hub", { token: owner, json: { hubId: hub.id } });
      assert.equal(left.status, 200, left.text);
      const session = await served.connect(hub);
      const json = { email: "ada@example.org" };
      const { status, text } = await served.call("POST", "/hub/claim", { token: session, json, from });
      if (status === 429) break;
      assert.equal(status, 200, text);
      claimed += 1;
    }
    assert.ok(claimed < limits.newPerCallerADay * 2, `${claimed}`);
    assert.equal((await served.call("GET", "/hub/authorizations", { token })).status, 401);
  });
});
