import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Kernel } from "@ledge/kernel";
import { alarmId } from "@ledge/model";
import type { TestKernel } from "@ledge/testkit";
import { addLamp, openTestKernel } from "@ledge/testkit";
import { reactions } from "./index.ts";

async function home(): Promise<TestKernel & { room: string; lamps: string[]; group: string }> {
  const hub = openTestKernel({ reactions });
  const room = await hub.accept({ type: "CMD_ROOM", name: "Hall" });
  const lamps = [];
  for (const name of ["One", "Two", "Three"]) lamps.push(await hub.accept(addLamp(name, name)));
  for (const id of lamps) await hub.accept({ type: "CMD_DEVICE_META", id, room: [room] });
  const group = await hub.accept({ type: "CMD_GROUP", name: "All", members: lamps, room: [room] });
  return { ...hub, room, lamps, group };
}

const groupsOf = (kernel: Kernel, id: string): readonly string[] | undefined =>
  kernel.get("device", id)?.groups;

test("removing a room clears it from devices and groups in the same commit", async () => {
  const { kernel, accept, room, lamps, group } = await home();
  const before = kernel.timestamp;
  await accept({ type: "REMOVE_ROOM", id: room });
  const commits = [...kernel.log.read(before)];
  assert.equal(commits.length, 1);
  for (const id of lamps) assert.deepEqual(kernel.get("device", id)?.room, []);
  assert.deepEqual(kernel.get("group", group)?.room, []);
  const [removed, ...cleared] = commits[0]?.events ?? [];
  assert.equal(removed?.type, "RoomRemoved");
  assert.equal(cleared.length, 4);
  for (const { cause } of cleared) assert.equal(cause, `${commits[0]?.timestamp}-0`);
});

test("a device lists its groups, the oldest first", async () => {
  const { kernel, accept, lamps, group } = await home();
  const [one, two, three] = lamps as [string, string, string];
  const second = await accept({ type: "CMD_GROUP", name: "Some", members: [one] });
  assert.deepEqual(groupsOf(kernel, one), [group, second]);
  await accept({ type: "CMD_GROUP", id: group, members: [two, three] });
  assert.deepEqual(groupsOf(kernel, one), [second]);
  await accept({ type: "REMOVE_GROUP", id: group });
  assert.deepEqual(groupsOf(kernel, two), []);
});

test("a removed device is no longer a member of its groups", async () => {
  const { kernel, accept, lamps, group } = await home();
  const [one, ...others] = lamps as [string, ...string[]];
  await accept({ type: "REMOVE_DEVICE", id: one });
  assert.deepEqual(kernel.get("group", group)?.members, others);
  assert.equal(kernel.get("device", one), undefined);
  assert.equal(kernel.get("binding", one)?.removed, true);
});

describe("alarms of adapters", () => {
  const note = (state: string, failure?: string, reason = "told") => ({
    type: "NOTE_ADAPTER",
    id: "sim",
    state,
    reason,
    ...(failure !== undefined && { failure }),
  });
  const alarmsOf = ({ kernel }: TestKernel): unknown[] =>
    [...kernel.all("alarm")].map(([, { kind, count, closed }]) => [kind, count, closed]);

  test("a failure is raised with its reason in the commit that records the failure", async () => {
    const hub = openTestKernel({ reactions });
    await hub.accept(note("failed", "memory", "uses too much"));
    const [commit] = [...hub.kernel.log.read()];
    assert.deepEqual(
      commit?.events.map(({ type, cause }) => [type, cause]),
      [
        ["AdapterFailed", undefined],
        ["AlarmRaised", `${commit?.timestamp}-0`],
      ],
    );
    const { sourceId, facts } = hub.kernel.get("alarm", alarmId("ADAPTER_FAILED", "sim")) ?? {};
    assert.deepEqual([sourceId, facts], ["sim", { detail: "uses too much", failure: "memory" }]);
  });

  test("the alarm closes when the adapter runs again, reopens with the next failure, and counts on", async () => {
    const hub = openTestKernel({ reactions });
    await hub.accept(note("failed", "hang"));
    assert.deepEqual(alarmsOf(hub), [["ADAPTER_FAILED", 1, false]]);
    await hub.accept(note("running"));
    assert.deepEqual(alarmsOf(hub), [["ADAPTER_FAILED", 1, true]]);
    await hub.accept(note("failed", "signal"));
    assert.deepEqual(alarmsOf(hub), [["ADAPTER_FAILED", 2, false]]);
  });

  test("a resting adapter has an alarm of its own, which closes when it runs again", async () => {
    const hub = openTestKernel({ reactions });
    await hub.accept(note("failed", "exit"));
    await hub.accept(note("resting", "exit"));
    // In the order in which they were first raised.
    assert.deepEqual(alarmsOf(hub), [
      ["ADAPTER_FAILED", 1, true],
      ["ADAPTER_RESTING", 1, false],
    ]);
    await hub.accept(note("running"));
    assert.ok([...hub.kernel.all("alarm")].every(([, { closed }]) => closed));
  });

  test("lost reports are counted in one alarm", async () => {
    const hub = openTestKernel({ reactions });
    for (const dropped of [3, 4]) await hub.accept({ type: "NOTE_DROPPED", id: "sim", dropped });
    assert.deepEqual(alarmsOf(hub), [["REPORTS_LOST", 7, false]]);
  });

  test("an adapter that starts and stops normally raises none", async () => {
    const hub = openTestKernel({ reactions });
    for (const state of ["running", "stopped", "running"]) await hub.accept(note(state));
    assert.deepEqual(alarmsOf(hub), []);
  });
});

test("a clock jump and a lost span raise alarms of the hub in the same commit", async () => {
  const hub = openTestKernel({ reactions });
  const id = await hub.accept({ type: "CREATE_HUB", name: "Home", timezone: "UTC" });
  const noon = Date.UTC(2026, 0, 1, 12);
  await hub.accept({ type: "NOTE_CLOCK_JUMP", id, from: noon, to: noon + 3_600_000, trusted: true });
  await hub.accept({ type: "NOTE_SPAN_LOST", id, from: 5, to: 7, commits: 2, problem: "a page is torn" });
  const alarms = [...hub.kernel.all("alarm")].map(([, { kind, sourceId, facts }]) => [kind, sourceId, facts]);
  assert.deepEqual(alarms, [
    ["CLOCK_JUMP", id, { detail: "2026-01-01T12:00:00.000Z – 2026-01-01T13:00:00.000Z" }],
    ["LOG_DAMAGED", id, { detail: "1970-01-01T00:00:00.005Z – 1970-01-01T00:00:00.007Z: a page is torn" }],
  ]);
  assert.deepEqual(
    [...hub.kernel.log.read()].map(({ events }) => events.length),
    [1, 2, 2],
  );
});
