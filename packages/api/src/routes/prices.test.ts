import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryLog } from "@ledge/log";
import { roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { openTestHub } from "../test-hub.ts";

test("GET /hub/prices shows guests the known prices, or null, on the local network", async () => {
  const clock = new SimulatedClock();
  const hub = await openTestHub(memoryLog(), clock);
  const guest = await hub.user(roles.GUEST);
  const ask = () => hub.api("local").send("GET", "/hub/prices", guest.key);
  const { status, body } = await ask();
  assert.deepEqual([status, body], [200, null]);
  const start = Math.floor(clock.wall() / 900_000) * 900_000;
  const slots = [{ start, end: start + 900_000, price: 0.0312 }];
  const market = { area: "FI", currency: "EUR", unit: "kWh" };
  await hub.run({ type: "SET_PRICES", id: hub.hubId, ...market, slots });
  const { timestamp, ...known } = (await ask()).body as { timestamp: number };
  assert.deepEqual(known, { type: "PRICES", ...market, slots });
  assert.equal(timestamp, hub.kernel.timestamp);
  assert.equal((await hub.api("remote").send("GET", "/hub/prices", guest.key)).status, 403);
});
