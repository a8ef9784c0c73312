import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { memoryLog } from "@ledge/log";
import { features, roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { openTestHub } from "../test-hub.ts";

describe("/hub/sharing", () => {
  let hub: Awaited<ReturnType<typeof openTestHub>>;
  let owner: string;

  beforeEach(async () => {
    hub = await openTestHub(memoryLog(), new SimulatedClock());
    await hub.run({ type: "SET_FEATURES", id: hub.hubId, features: [features.EVENTS] });
    owner = await hub.sign();
  });

  const put = async (share: unknown, key = owner): Promise<{ status: number; body: unknown }> =>
    await hub.api("local").send("PUT", "/hub/sharing", key, { type: "SHARING", share });
  const get = async (): Promise<unknown> => (await hub.api("local").send("GET", "/hub/sharing", owner)).body;

  test("shares nothing until the owner says otherwise, and again when they take it back", async () => {
    assert.deepEqual(await get(), { type: "SHARING", share: "none" });
    assert.deepEqual((await put("states")).body, { type: "SHARING", share: "states" });
    assert.deepEqual(await get(), { type: "SHARING", share: "states" });
    assert.deepEqual((await put("none")).body, { type: "SHARING", share: "none" });
  });

  test("knows no other share", async () => {
    for (const share of ["all", "", null, 1, "STATES"]) assert.equal((await put(share)).status, 422);
    assert.deepEqual(await get(), { type: "SHARING", share: "none" });
  });

  test("is for the owner alone, on both listeners", async () => {
    const { key: admin } = await hub.user(roles.USER_ADMIN);
    assert.equal((await put("states", admin)).status, 403);
    for (const listener of ["local", "remote"] as const) {
      const statusOf = async (key: string): Promise<number> =>
        (await hub.api(listener).send("GET", "/hub/sharing", key)).status;
      assert.deepEqual([await statusOf(admin), await statusOf(owner)], [403, 200]);
    }
  });

  test("is absent on a hub without the feature", async () => {
    await hub.run({ type: "SET_FEATURES", id: hub.hubId, features: [] });
    assert.equal((await put("states")).status, 403);
  });
});
