import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { fetchBody } from "./fetch-body.ts";
import { WatchedRegister } from "./test-source.ts";

const session = { kind: "fetch", id: "s1" } as const;

function begun(home: WatchedRegister, waitMs = 25_000) {
  const fetch = home.watching.beginFetch("ann", session);
  assert.ok(typeof fetch === "object");
  const body = fetchBody(fetch, waitMs, home.clock, (error) => home.errors.push(error));
  const [text, turns] = [new Response(body).text(), setImmediate()];
  return { text, turns, body };
}

test("a fetch is an array of pushes that ends when its wait elapses", async () => {
  const home = new WatchedRegister();
  await home.register.set("a", 1);
  home.subscribe("ann", "s1");
  const { text } = begun(home);
  for (let turn = 0; turn < 10; turn++) await setImmediate();
  await home.register.set("a", 2);
  await home.clock.pass(25_000);
  const pushes = (JSON.parse(await text) as { push: { type: string; state?: { value: number } } }[]).map(
    ({ push }) => push.state?.value ?? push.type,
  );
  const states = ["HeartbeatPush", 1, "SnapshotDeviceRegisterPush", 2, "HeartbeatPush", "HeartbeatPush"];
  assert.deepEqual(pushes, states);
});

test("a fetch without any push is an array with a heartbeat", async () => {
  const home = new WatchedRegister();
  const { text } = begun(home, 1000);
  await home.clock.pass(1000);
  assert.match(await text, /^\[\{"push":\{"type":"HeartbeatPush","at":\d+\}\}\]$/);
});

test("a newer fetch completes the array of the older one", async () => {
  const home = new WatchedRegister();
  const older = begun(home);
  await older.turns;
  const newer = begun(home);
  assert.equal((JSON.parse(await older.text) as unknown[]).length, 1);
  await home.clock.pass(25_000);
  assert.equal((JSON.parse(await newer.text) as unknown[]).length, 3);
});

test("a client that leaves ends its fetch, and the session's grace begins", async () => {
  const home = new WatchedRegister();
  home.subscribe("ann", "s1");
  const fetch = home.watching.beginFetch("ann", session);
  assert.ok(typeof fetch === "object");
  const body = fetchBody(fetch, 25_000, home.clock, (error) => home.errors.push(error));
  const reader = body.getReader();
  // The heartbeat, then the snapshot; the third element has to be waited for.
  for (let count = 0; count < 2; count++) await reader.read();
  await setImmediate();
  await reader.cancel();
  await setImmediate();
  home.clock.advance(limits.pushIdleGraceMs);
  assert.deepEqual([home.register.followers, home.clock.waiting, home.errors], [0, 0, []]);
});
