import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { beforeEach, describe, test } from "node:test";
import { generateIssuerKey } from "@ledge/link";
import { memoryLog } from "@ledge/log";
import { SimulatedClock } from "@ledge/testkit";
import { type Client, openTestHub, type TestHub } from "./test-hub.ts";

describe("requests on one connection", () => {
  let clock: SimulatedClock;
  let hub: TestHub;
  let api: Client;
  const socket = { remoteAddress: "192.168.1.9" };

  beforeEach(async () => {
    clock = new SimulatedClock();
    hub = await openTestHub(memoryLog(), clock);
    api = hub.api("local");
  });

  const status = async (authorization: string | undefined, host = "cabin.local"): Promise<number> => {
    const headers = { host, authorization };
    const url = "/cc/1.14/hub/tz";
    const incoming = { headers, socket, url } as unknown as IncomingMessage;
    return (await api.app.request(`http://cabin.local${url}`, {}, { incoming })).status;
  };

  test("judges each request by its own token and host", async () => {
    const key = await hub.sign();
    for (let turn = 0; turn < 3; turn++) {
      assert.equal(await status(key), 200);
      assert.equal(await status(`Bearer ${key}`), 200);
      assert.equal(await status(undefined), 401);
      assert.equal(await status("null"), 401);
      assert.equal(await status(`${key}x`), 401);
      assert.equal(await status(key, "evil.example"), 403);
    }
  });

  test("refuses a key once it expires, even if the connection used it before", async () => {
    const key = await hub.sign({}, 60_000);
    for (let turn = 0; turn < 3; turn++) assert.equal(await status(key), 200);
    clock.advance(61_000);
    for (let turn = 0; turn < 3; turn++) assert.equal(await status(key), 401);
  });

  test("verifies a key again when the hub stops trusting its issuer", async () => {
    const key = await hub.sign();
    for (let turn = 0; turn < 3; turn++) assert.equal(await status(key), 200);
    hub.trustedKeys = [await generateIssuerKey()];
    hub.generation++;
    for (let turn = 0; turn < 3; turn++) assert.equal(await status(key), 401);
  });
});
