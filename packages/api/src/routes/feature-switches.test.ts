import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { memoryLog } from "@ledge/log";
import { features, roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { openTestHub } from "../test-hub.ts";

const { MQTT, MODBUS, PREMIUM } = features;

describe("/hub/featureswitches", () => {
  let hub: Awaited<ReturnType<typeof openTestHub>>;
  let owner: string;

  beforeEach(async () => {
    hub = await openTestHub(memoryLog(), new SimulatedClock());
    await hub.run({ type: "SET_FEATURES", id: hub.hubId, features: [MQTT, MODBUS] });
    owner = await hub.sign();
  });

  const call = (method: string, body?: unknown, key = owner) =>
    hub.api("local").send(method, "/hub/featureswitches", key, body);
  const turn = (feature: string, isOn: boolean) => ({ type: "FEATURE_SWITCH", feature, isOn });
  const mqtt = (isOn: boolean) => ({ ...turn("MQTT", isOn), code: MQTT });
  const modbus = { ...turn("MODBUS", true), code: MODBUS };
  const codes = async (): Promise<unknown> =>
    (await hub.api("local").send("GET", "/hub/features", owner)).body;

  test("a feature that is switched off is none of the hub's, until it is on again", async () => {
    assert.deepEqual((await call("GET")).body, [modbus, mqtt(true)]);
    assert.deepEqual((await call("PUT", [turn("MQTT", false)])).body, [modbus, mqtt(false)]);
    assert.deepEqual(await codes(), [MODBUS]);
    assert.deepEqual((await call("PUT", [turn("MQTT", true)])).body, [modbus, mqtt(true)]);
    assert.deepEqual(await codes(), [MODBUS, MQTT]);
  });

  test("one wrong switch refuses all, and says which", async () => {
    const { status, body } = await call("PUT", [turn("MQTT", false), turn("BACNET", true)]);
    assert.equal(status, 422);
    const [error] = (body as { errors: { index: number; field: string; message: string }[] }).errors;
    assert.deepEqual([error?.index, error?.field], [1, "feature"]);
    assert.match(error?.message ?? "", /does not have BACNET/);
    assert.deepEqual(await codes(), [MODBUS, MQTT]);
    for (const wrong of [turn("MQTT", 0 as never), { type: "FEATURE_SWITCH", feature: 17, isOn: true }, 1])
      assert.equal((await call("PUT", [wrong])).status, 422);
  });

  test("administrators switch features, unless PREMIUM leaves that to the owner", async () => {
    const { key: admin } = await hub.user(roles.USER_ADMIN);
    const { key: user } = await hub.user(roles.IDENTIFIED_USER);
    assert.equal((await call("PUT", [turn("MQTT", false)], user)).status, 403);
    assert.equal((await call("PUT", [turn("MQTT", false)], admin)).status, 200);
    await hub.run({ type: "SET_FEATURES", id: hub.hubId, features: [MQTT, PREMIUM] });
    assert.equal((await call("PUT", [turn("MQTT", true)], admin)).status, 403);
    assert.equal((await call("PUT", [turn("MQTT", true)])).status, 200);
  });
});
