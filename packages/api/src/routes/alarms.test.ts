import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { memoryLog } from "@ledge/log";
import { roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { type Client, openTestHub, type TestHub } from "../test-hub.ts";

describe("alarms", () => {
  let hub: TestHub;
  let api: Client;
  let owner: string;
  let id: string;

  beforeEach(async () => {
    hub = await openTestHub(memoryLog(), new SimulatedClock());
    api = hub.api("local");
    owner = await hub.sign();
    const raise = { type: "RAISE_ALARM", kind: "ADAPTER_FAILED", name: "sim" };
    id = await hub.run({ ...raise, sourceId: "sim", facts: { failure: "hang", detail: "silent" } });
    await hub.run({ ...raise, sourceId: "modbus" });
  });

  test("GET /alarms shows all alarms or one, with texts in every language", async () => {
    const all = (await api.send("GET", "/alarms", owner)).body as Record<string, unknown>;
    assert.equal(Object.keys(all).length, 2);
    const one = (await api.send("GET", `/alarms?alarmId=${id}`, owner)).body as Record<string, never>;
    assert.deepEqual(Object.keys(one), [id]);
    const { title, message, level, closed } = one[id] as unknown as Record<string, unknown>;
    assert.deepEqual([level, closed], ["warn", false]);
    for (const texts of [title, message] as Record<string, string>[]) {
      assert.deepEqual(Object.keys(texts), ["en", "fi", "sv", "de"]);
    }
    assert.match((message as { sv: string }).sv, /svarade inte längre/);
    assert.equal((await api.send("GET", "/alarms?alarmId=nowhere", owner)).status, 404);
  });

  test("PUT /alarms/close closes an alarm, may be repeated, and shows in the poll", async () => {
    const before = hub.kernel.timestamp;
    assert.deepEqual((await api.send("PUT", `/alarms/close?alarmId=${id}`, owner)).body, true);
    assert.equal(hub.kernel.get("alarm", id)?.closed, true);
    assert.deepEqual((await api.send("PUT", `/alarms/close?alarmId=${id}`, owner)).body, true);
    const poll = (await api.send("GET", `/hub/poll?ts=${before}`, owner)).body as {
      polls: { type: string; alarms: Record<string, { closed: boolean; type: string }> }[];
    };
    assert.equal(poll.polls[0]?.type, "ALARM_DELTA");
    assert.deepEqual(Object.keys(poll.polls[0]?.alarms ?? {}), [id]);
    assert.deepEqual(
      [poll.polls[0]?.alarms[id]?.closed, poll.polls[0]?.alarms[id]?.type],
      [true, "USER_ALARM"],
    );
  });

  test("DELETE /alarms removes an alarm, which the poll shows as null", async () => {
    const before = hub.kernel.timestamp;
    assert.deepEqual((await api.send("DELETE", `/alarms?alarmId=${id}`, owner)).body, true);
    assert.equal(hub.kernel.get("alarm", id), undefined);
    const { polls } = (await api.send("GET", `/hub/poll?ts=${before}`, owner)).body as {
      polls: { alarms: object }[];
    };
    assert.deepEqual(polls[0]?.alarms, { [id]: null });
  });

  for (const [method, path] of [
    ["PUT", "/alarms/close"],
    ["DELETE", "/alarms"],
  ] as const) {
    test(`${method} ${path} answers 404 to an unknown id and 422 without an id`, async () => {
      assert.equal((await api.send(method, `${path}?alarmId=nowhere`, owner)).status, 404);
      assert.equal((await api.send(method, path, owner)).status, 422);
      assert.equal(hub.kernel.size("alarm"), 2);
    });
  }

  test("lets a guest read alarms but not change them", async () => {
    const guest = await hub.sign({ user_id: "guest", role: roles.GUEST });
    assert.equal((await api.send("GET", "/alarms", guest)).status, 200);
    assert.equal((await api.send("PUT", `/alarms/close?alarmId=${id}`, guest)).status, 403);
    assert.equal((await api.send("DELETE", `/alarms?alarmId=${id}`, guest)).status, 403);
    assert.equal(hub.kernel.get("alarm", id)?.closed, false);
  });
});
