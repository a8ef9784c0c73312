import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, ledge, TestHome } from "../testdata/hub-process.ts";

const home = new TestHome();
const boost = "extras.boost_minutes";

test("shows, sets, remembers and explains what no attribute holds", async () => {
  const valueOf = (of: unknown): unknown =>
    (of as { extras?: Record<string, { value: unknown }> } | undefined)?.extras?.["boost_minutes"]?.value;
  const { id, state } = await home.device("Heat pump", (device) => valueOf(device.state) === 0);
  assert.deepEqual(state["extras"], {
    boost_minutes: {
      name: "boost_minutes",
      fieldType: "NUMBER",
      unit: "min",
      writable: true,
      minValue: 0,
      maxValue: 120,
      value: 0,
    },
    boosting: { name: "boosting", fieldType: "BOOL", unit: null, writable: false, value: false },
  });
  const { timestamp } = (await home.call("GET", "/hub/poll?ts=0")).json as { timestamp: number };
  const set = (extras: object) =>
    home.call("PUT", "/devices/command", { type: "CMD_DEVICE", id, state: { extras } });
  assert.equal((await set({ boost_minutes: 30 })).status, 200);
  await home.device("Heat pump", (device) => valueOf(device.state) === 30);

  const { json } = await home.call("GET", `/hub/poll?ts=${timestamp}`);
  const delta = (json as { polls: ({ type: string } & Record<string, unknown>)[] }).polls.find(
    ({ type }) => type === "DEVICE_DELTA",
  );
  assert.match(JSON.stringify(delta), /"boost_minutes":\{[^}]*"value":30/);

  for (const [extras, status] of [
    [{ boost_minutes: 121 }, 422],
    [{ boost_minutes: "30" }, 422],
    [{ boosting: true }, 422],
    [{ unknown: 1 }, 422],
  ] as const)
    assert.equal((await set(extras)).status, status, JSON.stringify(extras));

  const history = await eventually("its history", async () => {
    const { status, json: found } = await home.call(
      "GET",
      `/devices/history?deviceId=${id}&attribute=${boost}`,
    );
    assert.equal(status, 200, JSON.stringify(found));
    return JSON.stringify(found).includes("30") ? found : undefined;
  });
  assert.ok(history);
  const why = await home.call("GET", `/why?id=${id}&attribute=${boost}`);
  assert.equal(why.status, 200, JSON.stringify(why.json));
  assert.match(JSON.stringify(why.json), /boost_minutes/);
  assert.match(
    (await ledge("events", "tail", "--once", "--data", home.folder)).stdout,
    /extras\.boost_minutes/,
  );
});
