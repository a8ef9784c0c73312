import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { alarmId, limits, roles } from "@ledge/model";
import type { TestKernel } from "@ledge/testkit";
import { addLamp, openTestKernel } from "@ledge/testkit";
import { reactions } from "./index.ts";

interface Radio extends TestKernel {
  readonly lamps: readonly string[];
}

/** Lamps on one radio of a running adapter. */
async function radioOf(count: number): Promise<Radio> {
  const hub = openTestKernel({ reactions });
  await hub.accept({ type: "NOTE_ADAPTER", id: "sim", state: "running", reason: null });
  const lamps = [];
  for (let index = 1; index <= count; index++)
    lamps.push(
      await hub.accept({ ...addLamp(`Lamp ${index}`, String(index)), protocol: "sim", radio: "air" }),
    );
  hub.kernel.settled();
  return { ...hub, lamps };
}

async function report({ submit, kernel }: TestKernel, reachable: boolean, ...ids: string[]): Promise<void> {
  for (const id of ids)
    await submit(
      { type: "REPORT_DEVICE", id, attributes: { reachable }, at: kernel.now() },
      { origin: "device" },
    );
}

const pass = ({ clock }: TestKernel, ms: number): Promise<void> => clock.pass(ms);
/** Commit timestamps run a few milliseconds ahead of the clock here. */
const almost = limits.unreachableMs - 1000;
const enough = limits.unreachableMs + 1000;

/** Kind, source and count of the open alarms. */
const open = ({ kernel }: TestKernel): unknown[] =>
  [...kernel.all("alarm")].flatMap(([, { kind, sourceId, count, closed }]) =>
    closed ? [] : [[kind, sourceId, count]],
  );
const gone = (id: string, count = 1): unknown[] => ["DEVICE_UNREACHABLE", id, count];
const radioGone = ["RADIO_UNREACHABLE", "sim/air", 1];

describe("an unreachable device", () => {
  test("raises an alarm with its name after a while, which closes when it answers", async () => {
    const hub = await radioOf(2);
    const [one = ""] = hub.lamps;
    await report(hub, false, one);
    await pass(hub, almost);
    assert.deepEqual(open(hub), []);
    await pass(hub, 2000);
    assert.deepEqual(open(hub), [gone(one)]);
    assert.equal(hub.kernel.get("alarm", alarmId("DEVICE_UNREACHABLE", one))?.name, "Lamp 1");
    await report(hub, true, one);
    assert.deepEqual(open(hub), []);
    await report(hub, false, one);
    await pass(hub, enough);
    assert.deepEqual(open(hub), [gone(one, 2)]);
  });

  test("raises no alarm when it is back in time, and its next absence counts from zero", async () => {
    const hub = await radioOf(2);
    const [one = ""] = hub.lamps;
    await report(hub, false, one);
    await pass(hub, almost);
    await report(hub, true, one);
    assert.equal(hub.kernel.size("timer"), 0);
    await pass(hub, 10_000);
    await report(hub, false, one);
    await pass(hub, almost);
    assert.deepEqual(open(hub), []);
  });

  test("keeps its timer over a restart, and is checked again before the alarm", async () => {
    for (const isBack of [false, true]) {
      const before = await radioOf(2);
      const [one = ""] = before.lamps;
      await report(before, false, one);
      await pass(before, almost);
      const hub = before.restart();
      await pass(hub, 5000);
      assert.deepEqual(open(hub), [], "its radio may not have reported yet");
      if (isBack) await report(hub, true, one);
      hub.kernel.settled();
      await pass(hub, 1000);
      assert.deepEqual(open(hub), isBack ? [] : [gone(one)]);
    }
  });

  test("loses its alarm and its timer when it is removed", async () => {
    const hub = await radioOf(3);
    const [one = "", two = ""] = hub.lamps;
    await report(hub, false, one);
    await pass(hub, enough);
    await report(hub, false, two);
    await hub.accept({ type: "REMOVE_DEVICE", id: one });
    await hub.accept({ type: "REMOVE_DEVICE", id: two });
    assert.deepEqual(open(hub), []);
    assert.equal(hub.kernel.size("timer"), 0);
  });

  test("raises no alarm for guests while it is hidden", async () => {
    const hub = await radioOf(2);
    const [one = ""] = hub.lamps;
    const seenBy = (role: number): number => {
      const alarms = hub.kernel.dictionary("alarm", { role, user: "u", since: 0 }, "en");
      return Object.keys(JSON.parse(String(alarms))).length;
    };
    await hub.accept({ type: "CMD_DEVICE_VISIBLE", id: one, visible: false });
    await report(hub, false, one);
    await pass(hub, enough);
    assert.deepEqual([seenBy(roles.GUEST), seenBy(roles.IDENTIFIED_USER)], [0, 1]);
    await hub.accept({ type: "CMD_DEVICE_VISIBLE", id: one, visible: true });
    assert.deepEqual(open(hub), [gone(one)]);
    assert.equal(seenBy(roles.GUEST), 1);
    await report(hub, true, one);
    await hub.accept({ type: "CMD_DEVICE_VISIBLE", id: one, visible: false });
    assert.equal(seenBy(roles.GUEST), 0);
  });

  test("raises no alarm when it is the client of a user", async () => {
    const hub = openTestKernel({ reactions });
    await hub.accept({
      type: "ADD_USER",
      id: "u1",
      email: "a@example.org",
      nickname: "a",
      phone: null,
      role: 8,
    });
    const note = { type: "NOTE_UI_DEVICE", user: "u1", client: "phone", at: 1 };
    await hub.accept({ ...note, session: true, reachable: true });
    await hub.accept({ ...note, session: false, reachable: false });
    assert.equal(hub.kernel.size("timer"), 0);
  });
});

describe("a radio without any reachable device", () => {
  test("raises one alarm in place of the alarms of its devices", async () => {
    const hub = await radioOf(3);
    const [one = "", ...others] = hub.lamps;
    await report(hub, false, one);
    await pass(hub, enough);
    assert.deepEqual(open(hub), [gone(one)]);
    await report(hub, false, ...others);
    await pass(hub, enough);
    assert.deepEqual(open(hub), [radioGone]);
    const { facts } = hub.kernel.get("alarm", alarmId("RADIO_UNREACHABLE", "sim/air")) ?? {};
    assert.deepEqual(facts, { adapter: "sim", devices: 3 });
  });

  test("closes its alarm with the first device that answers; those still away raise their own", async () => {
    const hub = await radioOf(3);
    const [one = "", two = "", three = ""] = hub.lamps;
    await report(hub, false, ...hub.lamps);
    await pass(hub, enough);
    assert.deepEqual(open(hub), [radioGone]);
    await report(hub, true, one, two);
    assert.deepEqual(open(hub), []);
    await pass(hub, enough);
    assert.deepEqual(open(hub), [gone(three)]);
  });

  test("closes its alarm when its last device is removed", async () => {
    const hub = await radioOf(2);
    const [one = "", two = ""] = hub.lamps;
    await report(hub, false, one, two);
    await pass(hub, enough);
    await hub.accept({ type: "REMOVE_DEVICE", id: one });
    assert.deepEqual(open(hub), [radioGone]);
    await hub.accept({ type: "REMOVE_DEVICE", id: two });
    assert.deepEqual(open(hub), []);
  });

  test("with a single device raises the device's alarm", async () => {
    const hub = await radioOf(1);
    await report(hub, false, ...hub.lamps);
    await pass(hub, enough);
    assert.deepEqual(open(hub), [gone(hub.lamps[0] ?? "")]);
  });

  test("leaves alone other radios, also one with the same name at another adapter", async () => {
    const hub = await radioOf(2);
    const other = await hub.accept({ ...addLamp("Other", "9"), protocol: "sim", radio: "wire" });
    await hub.accept({ ...addLamp("Namesake", "9"), protocol: "other", radio: "air" });
    await report(hub, false, ...hub.lamps);
    await pass(hub, enough);
    assert.deepEqual(open(hub), [radioGone]);
    await report(hub, false, other);
    await pass(hub, enough);
    assert.deepEqual(open(hub), [radioGone, gone(other)]);
  });
});

describe("a failed adapter", () => {
  const note = (hub: TestKernel, state: string): Promise<string> =>
    hub.accept({ type: "NOTE_ADAPTER", id: "sim", state, reason: "told", failure: "exit" });

  test("raises the only alarm; devices still away after its return raise theirs after a while", async () => {
    const hub = await radioOf(3);
    const [one = "", two = "", three = ""] = hub.lamps;
    await report(hub, false, one);
    await pass(hub, enough);
    await report(hub, false, two);
    await note(hub, "failed");
    await note(hub, "resting");
    assert.deepEqual(open(hub), [["ADAPTER_RESTING", "sim", 1]]);
    await report(hub, false, three);
    await pass(hub, limits.unreachableMs * 2);
    assert.deepEqual(open(hub), [["ADAPTER_RESTING", "sim", 1]]);
    await note(hub, "running");
    await report(hub, true, three);
    assert.deepEqual(open(hub), []);
    await pass(hub, enough);
    assert.deepEqual(open(hub), [gone(one, 2), gone(two)]);
  });

  test("closes the alarms of its radios too", async () => {
    const hub = await radioOf(2);
    await report(hub, false, ...hub.lamps);
    await pass(hub, enough);
    await note(hub, "resting");
    assert.deepEqual(open(hub), [["ADAPTER_RESTING", "sim", 1]]);
  });

  test("leaves the alarms of its devices open when it is back at once", async () => {
    const hub = await radioOf(2);
    const [one = ""] = hub.lamps;
    await report(hub, false, one);
    await pass(hub, enough);
    await note(hub, "failed");
    await note(hub, "running");
    assert.equal(hub.kernel.size("timer"), 0);
    assert.deepEqual(open(hub), [gone(one)]);
  });
});
