import assert from "node:assert/strict";
import type { ServerHttp2Stream } from "node:http2";
import { afterEach, describe, test } from "node:test";
import { limits } from "@ledge/model";
import { TestRelay } from "./test-relay.ts";

const relays: TestRelay[] = [];
afterEach(async () => {
  for (const cloud of relays.splice(0)) await cloud.close();
});

async function open(): Promise<TestRelay> {
  const cloud = await TestRelay.open();
  relays.push(cloud);
  return cloud;
}

const ok = (stream: ServerHttp2Stream): void => {
  stream.respond({ ":status": 200 });
  stream.end();
};

describe("invalid credentials", () => {
  test("give 401 many times from one address, then 429; a verified caller there goes on", async () => {
    const cloud = await open();
    await cloud.dial(ok);
    const hubKey = await cloud.hubKey();
    const good = { headers: { "x-hub-key": hubKey } };
    assert.equal((await cloud.get("/relay/hub", good)).status, 200);
    for (const headers of [
      { authorization: "no-token" },
      { authorization: "null" },
      { "x-hub-key": "a.b.c" },
      { "x-hub-key": await cloud.hubKey({}, Date.now() - 2 * limits.hubKeyMs) },
    ])
      for (let i = 0; i < limits.wrongKeysPerMinutePerAddress / 4; i++)
        assert.equal((await cloud.get("/relay/hub", { headers })).status, 401);
    // The allowance grows while this goes on.
    const refused = await until429(() => cloud.get("/relay/hub", { headers: { authorization: "no-token" } }));
    assert.ok(Number(refused.headers.get("retry-after")) > 0);
    assert.equal((await cloud.get("/relay/hub", good)).status, 200);
  });

  test("valid ones that the relay has not seen yet do not count as wrong", async () => {
    const cloud = await open();
    await cloud.dial(ok);
    for (let i = 0; i <= limits.wrongKeysPerMinutePerAddress; i++) {
      const hubKey = await cloud.hubKey({ auth_seq: i + 1 });
      assert.equal((await cloud.get("/relay/hub", { headers: { "x-hub-key": hubKey } })).status, 200);
    }
  });
});

/** Returns the first answer that is 429; asserts 401 before it. */
async function until429(ask: () => Promise<Response>): Promise<Response> {
  for (let count = 0; ; count++) {
    const answer = await ask();
    if (answer.status === 429) return answer;
    assert.equal(answer.status, 401);
    assert.ok(count < limits.wrongKeysPerMinutePerAddress, "429 never comes");
  }
}
