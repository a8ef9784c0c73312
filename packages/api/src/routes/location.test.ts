import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { memoryLog } from "@ledge/log";
import { roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { openTestHub } from "../test-hub.ts";

const city = { type: "LOCATION", latitude: 60.17, longitude: 24.97, isDefault: true };

describe("/hub/location", () => {
  let hub: Awaited<ReturnType<typeof openTestHub>>;
  let owner: string;

  beforeEach(async () => {
    hub = await openTestHub(memoryLog(), new SimulatedClock());
    owner = await hub.sign();
  });

  const put = async (body: unknown, key = owner): Promise<{ status: number; body: unknown }> =>
    await hub.api("local").send("PUT", "/hub/location", key, body);
  const get = async (): Promise<unknown> => (await hub.api("local").send("GET", "/hub/location", owner)).body;

  test("defaults to the time zone's city until somebody sets it", async () => {
    assert.deepEqual(await get(), city);
    await hub.api("local").send("PUT", "/hub/tz?timezone=Australia/Sydney", owner);
    const sydney = { type: "LOCATION", latitude: -33.87, longitude: 151.22, isDefault: true };
    assert.deepEqual(await get(), sydney);
    const set = { type: "LOCATION", latitude: 66.5, longitude: 25.73 };
    assert.deepEqual((await put(set)).body, { ...set, isDefault: false });
    await hub.api("local").send("PUT", "/hub/tz?timezone=Europe/Helsinki", owner);
    assert.deepEqual(await get(), { ...set, isDefault: false });
    assert.deepEqual((await put({ type: "LOCATION", latitude: null, longitude: null })).body, city);
    assert.deepEqual(await get(), city);
  });

  test("accepts the poles and the date line, and nothing beyond", async () => {
    for (const [latitude, longitude] of [
      [90, 180],
      [-90, -180],
      [0, 0],
    ]) {
      assert.equal((await put({ type: "LOCATION", latitude, longitude })).status, 200);
    }
    for (const [field, wrong] of [
      ["latitude", { latitude: 90.01 }],
      ["latitude", { latitude: "60" }],
      ["latitude", { latitude: null }],
      ["latitude", { latitude: undefined }],
      ["longitude", { longitude: -180.01 }],
      ["longitude", { longitude: null }],
      ["longitude", { longitude: [25] }],
      ["type", { type: "PLACE" }],
    ] as const) {
      const { status, body } = await put({ type: "LOCATION", latitude: 1, longitude: 1, ...wrong });
      assert.equal(status, 422, JSON.stringify(wrong));
      assert.equal((body as { errors: { field: string }[] }).errors[0]?.field, field, JSON.stringify(wrong));
    }
    assert.deepEqual(await get(), { type: "LOCATION", latitude: 0, longitude: 0, isDefault: false });
  });

  test("is for administrators only, on both listeners", async () => {
    const { key } = await hub.user(roles.IDENTIFIED_USER);
    const { key: admin } = await hub.user(roles.USER_ADMIN);
    const body = { type: "LOCATION", latitude: 1, longitude: 1 };
    for (const listener of ["local", "remote"] as const) {
      const statusOf = async (method: "GET" | "PUT", as: string): Promise<number> => {
        const sent = method === "PUT" ? body : undefined;
        return (await hub.api(listener).send(method, "/hub/location", as, sent)).status;
      };
      assert.deepEqual([await statusOf("GET", key), await statusOf("PUT", key)], [403, 403]);
      assert.deepEqual([await statusOf("GET", admin), await statusOf("PUT", admin)], [200, 200]);
    }
  });
});
