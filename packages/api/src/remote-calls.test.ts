import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryLog } from "@ledge/log";
import { roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { openTestHub } from "./test-hub.ts";

test("reports user, row and status of each request through the relay", async () => {
  const hub = await openTestHub(memoryLog(), new SimulatedClock(), { requestsPerMinutePerToken: 7 });
  const api = hub.api("remote");
  const told = async (
    method: string,
    path: string,
    key?: string,
    body?: unknown,
  ): Promise<(typeof hub.remoteCalls)[number]> => {
    await api.send(method, path, key, body);
    const [call, ...more] = hub.remoteCalls.splice(0);
    assert.deepEqual(more, []);
    return call ?? assert.fail(`${method} ${path}`);
  };
  const owner = await hub.sign();
  const guest = await hub.user(roles.GUEST);
  const stranger = await hub.sign({ user_id: "stranger" });

  assert.deepEqual(await told("GET", "/hub/poll", owner), ["owner", "GET /hub/poll", 200]);
  assert.deepEqual(await told("GET", "/hub/poll", owner), ["owner", "GET /hub/poll", 200]);
  assert.deepEqual(await told("PUT", "/groups", owner, {}), ["owner", "PUT /groups", 422]);
  assert.deepEqual(await told("GET", "/devices?deviceId=none", owner), ["owner", "GET /devices", 200]);
  assert.deepEqual(await told("POST", "/hub/claim", owner, {}), ["owner", "POST /hub/claim", 403]);
  assert.deepEqual(await told("GET", "/rooms", guest.key), [guest.id, "GET /rooms", 403]);
  assert.deepEqual(await told("GET", "/rooms", stranger), ["stranger", "GET /rooms", 401]);
  assert.deepEqual(await told("GET", "/rooms"), [null, "GET /rooms", 401]);
  assert.deepEqual(await told("GET", "/rooms", `${owner}x`), [null, "GET /rooms", 401]);
  assert.deepEqual(await told("GET", "//hub"), [null, "GET /hub", 200]);
  assert.deepEqual(await told("GET", "/nowhere", owner), [null, null, 404]);
  assert.deepEqual(await told("GET", "//cc/1.13/rooms", owner), [null, null, 410]);
  for (let more = 0; more < 3; more++) await told("GET", "/rooms", owner);
  assert.deepEqual(await told("GET", "/rooms", owner), ["owner", "GET /rooms", 429]);
  hub.kernel.get = () => {
    throw new Error("a fault");
  };
  hub.clock.monotonic = () => 60_000;
  assert.deepEqual(await told("GET", "/hub/tz", owner), ["owner", "GET /hub/tz", 500]);
});

test("does not report requests on the local network or the console", async () => {
  const hub = await openTestHub(memoryLog(), new SimulatedClock());
  const owner = await hub.sign();
  for (const listener of ["local", "console"] as const) {
    await hub.api(listener).send("GET", "/rooms", owner);
    await hub.api(listener).send("GET", "/nowhere", owner);
  }
  assert.deepEqual(hub.remoteCalls, []);
});
