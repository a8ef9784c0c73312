import assert from "node:assert/strict";
import { test } from "node:test";
import { limits, roles } from "@ledge/model";
import type { TestKernel } from "@ledge/testkit";
import { addLamp, openTestKernel, pollOnce } from "@ledge/testkit";
import { reactions } from "./index.ts";

interface Home extends TestKernel {
  readonly scene: string;
}

/** A home with a scene, one device of which has just failed. */
async function incomplete(): Promise<Home> {
  const hub = openTestKernel({ reactions });
  const device = await hub.accept(addLamp());
  const presets = { a: { targetIds: [device], state: { isOn: true } } };
  const scene = await hub.accept({ type: "CMD_SCENE", name: "Evening", presets, isOn: true });
  const [command] = [...hub.kernel.all("command")].map(([id]) => id);
  await hub.accept({ type: "NOTE_COMMAND_FAILED", id: command, code: "timeout", message: "no answer" });
  return { ...hub, scene };
}

const count = ({ kernel }: TestKernel): number[] => [kernel.size("alert"), kernel.size("timer")];

test("a scene with a failed device raises an alert, shown in the caller's language", async () => {
  const { kernel, scene } = await incomplete();
  const viewer = { role: roles.GUEST, user: null, since: 0 };
  for (const [language, start] of [
    ["en", "Scene Evening"],
    ["sv", "Scen Evening"],
  ] as const) {
    const request = { viewer, cursors: { ts: 0 }, language };
    const { polls } = await pollOnce((asked) => kernel.poll(asked), request);
    const alerts = polls.find(({ type }) => type === "USER_ALERTS")?.["alerts"] as Record<string, object>;
    const [alert] = Object.values(alerts) as { sourceId: string; message: string; error: boolean }[];
    assert.deepEqual([alert?.sourceId, alert?.error], [scene, true]);
    assert.ok(alert?.message.startsWith(start), alert?.message);
  }
});

for (const [what, command] of [
  ["is turned on again", { type: "CMD_SCENE_ON" }],
  ["is turned off", { type: "CMD_SCENE_OFF" }],
  ["is gone", { type: "REMOVE_SCENE" }],
] as const) {
  test(`the alert ends when the scene ${what}`, async () => {
    const hub = await incomplete();
    assert.deepEqual(count(hub), [1, 1]);
    await hub.accept({ ...command, id: hub.scene });
    assert.deepEqual(count(hub), [0, 0]);
  });
}

test("the alert ends after a week, even if the hub was down for a part of it", async () => {
  const hub = await incomplete();
  await hub.clock.pass(limits.alertMs - 1000);
  assert.deepEqual(count(hub), [1, 1]);
  const again = hub.restart();
  assert.deepEqual(count(again), [1, 1]);
  await hub.clock.pass(2000);
  assert.deepEqual(count(again), [0, 0]);
});

/** A home with a lamp that has a command pending. */
async function told(): Promise<TestKernel & { lamp: string; command: string }> {
  const hub = openTestKernel({ reactions });
  const lamp = await hub.accept(addLamp());
  await hub.accept({ type: "CMD_DEVICE_ON", id: lamp });
  const [command = ""] = [...hub.kernel.all("command")].map(([id]) => id);
  return { ...hub, lamp, command };
}

const failed = { type: "NOTE_COMMAND_FAILED", code: "unreachable", message: "away" };

for (const [what, end] of [
  ["failed", failed],
  ["was given up", { type: "EXPIRE_COMMAND" }],
] as const) {
  test(`a command that ${what} raises one alert until the device follows a command`, async () => {
    const hub = await told();
    await hub.accept({ ...end, id: hub.command });
    assert.deepEqual(
      [...hub.kernel.all("alert")].map(([, { msg_id, sourceId, error }]) => [msg_id, sourceId, error]),
      [["COMMAND_FAILED", hub.lamp, true]],
    );
    for (const [note, alerts] of [
      [failed, 1],
      [{ type: "NOTE_COMMAND_DONE" }, 0],
    ] as const) {
      await hub.accept({ type: "CMD_DEVICE_ON", id: hub.lamp });
      for (const [id] of hub.kernel.all("command")) await hub.accept({ ...note, id });
      assert.equal(hub.kernel.size("alert"), alerts);
    }
  });
}

test("guests do not see the alert about a hidden device", async () => {
  const hub = await told();
  await hub.accept({ type: "CMD_DEVICE_VISIBLE", id: hub.lamp, visible: false });
  await hub.accept({ ...failed, id: hub.command });
  const seenBy = (role: number): number => {
    const alerts = hub.kernel.dictionary("alert", { role, user: "u", since: 0 }, "en");
    return Object.keys(JSON.parse(String(alerts)) as object).length;
  };
  assert.deepEqual([seenBy(roles.GUEST), seenBy(roles.IDENTIFIED_USER)], [0, 1]);
});
