import assert from "node:assert/strict";
import { test } from "node:test";
import type { LoggedEvent } from "@ledge/model";
import { limits, outcomesOf } from "@ledge/model";
import type { TestKernel } from "@ledge/testkit";
import { addLamp, openTestKernel } from "@ledge/testkit";
import { reactions } from "./index.ts";

interface Home extends TestKernel {
  readonly lamps: readonly [string, string];
  readonly scene: string;
}

async function home(): Promise<Home> {
  const hub = openTestKernel({ reactions });
  const lamps = [await hub.accept(addLamp("One", "1")), await hub.accept(addLamp("Two", "2"))] as const;
  const presets = { a: { targetIds: [...lamps], state: { isOn: true } } };
  const scene = await hub.accept({ type: "CMD_SCENE", name: "Evening", presets });
  return { ...hub, lamps, scene };
}

const eventsOf = ({ kernel }: TestKernel, after: number): LoggedEvent[] =>
  [...kernel.log.read(after)].flatMap(({ events }) => events);
const statuses = ({ kernel }: TestKernel, scene: string): string[] => {
  const activator = kernel.get("activator", scene);
  return activator === undefined
    ? []
    : Object.values(outcomesOf(activator, kernel)).map(({ status }) => status);
};

test("turning on a scene commands its devices in the same commit, with its origin and cause", async () => {
  const hub = await home();
  const { kernel, submit, scene, lamps } = hub;
  const before = kernel.timestamp;
  await submit({ type: "CMD_SCENE_ON", id: scene }, { origin: "user:u1", cause: "request:r" });
  assert.equal([...kernel.log.read(before)].length, 1);
  const [on, applied, ...issued] = eventsOf(hub, before);
  assert.deepEqual([on?.type, on?.origin, on?.cause], ["SceneTurnedOn", "user:u1", "request:r"]);
  assert.equal(applied?.type, "PresetsApplied");
  assert.deepEqual(
    issued.map(({ type, device }: LoggedEvent & { device?: string }) => [type, device]),
    lamps.map((device) => ["CommandIssued", device]),
  );
  for (const event of [applied, ...issued]) {
    const { origin, cause, root, depth } = event;
    const expected = [`scene:${scene}`, `${kernel.timestamp}-0`, "request:r", 1];
    assert.deepEqual([origin, cause, root, depth], expected);
  }
});

test("turning off a scene, or renaming one that is on, sends no commands", async () => {
  const hub = await home();
  const { kernel, accept, scene } = hub;
  await accept({ type: "CMD_SCENE_ON", id: scene });
  const before = kernel.timestamp;
  await accept({ type: "CMD_SCENE", id: scene, name: "Dusk", isOn: true });
  await accept({ type: "CMD_SCENE_OFF", id: scene });
  assert.deepEqual(
    eventsOf(hub, before).map(({ type }) => type),
    ["SceneRenamed", "SceneTurnedOff"],
  );
  const again = kernel.timestamp;
  await accept({ type: "CMD_SCENE_ON", id: scene });
  assert.equal(eventsOf(hub, again).filter(({ type }) => type === "CommandIssued").length, 2);
});

test("turning off one factory scene applies the presets of the other", async () => {
  const hub = await home();
  const { kernel, accept, lamps } = hub;
  await accept({ type: "ADD_FACTORY_SCENES" });
  const [at, away] = [...kernel.all("scene")].filter(([, { icon }]) => icon !== null).map(([id]) => id);
  const presets = { a: { targetIds: [lamps[0]], state: { isOn: false } } };
  await accept({ type: "CMD_SCENE", id: away, presets });
  const before = kernel.timestamp;
  await accept({ type: "CMD_SCENE_OFF", id: at });
  const issued = eventsOf(hub, before).filter(({ type }) => type === "CommandIssued");
  assert.deepEqual(
    issued.map(({ origin }) => origin),
    [`scene:${away}`],
  );
});

test("the outcome of each device survives a restart", async () => {
  const hub = await home();
  const { accept, kernel, scene } = hub;
  await accept({ type: "CMD_SCENE_ON", id: scene });
  assert.deepEqual(statuses(hub, scene), ["sent", "sent"]);
  const [first, second] = [...kernel.all("command")].map(([id]) => id);
  await accept({ type: "NOTE_COMMAND_FAILED", id: first, code: "refused", message: "no" });
  await accept({ type: "NOTE_COMMAND_DONE", id: second });
  const expected = ["failed", "confirmed"];
  assert.deepEqual(statuses(hub, scene).toSorted(), expected.toSorted());
  const outcomes = statuses(hub, scene);
  assert.deepEqual(statuses(hub.restart(), scene), outcomes);
  assert.deepEqual(statuses(hub.restart({ release: "another" }), scene), outcomes);
});

test("removing a device removes it from all presets", async () => {
  const hub = await home();
  const { accept, kernel, scene, lamps } = hub;
  await accept({ type: "REMOVE_DEVICE", id: lamps[0] });
  assert.deepEqual(kernel.get("scene", scene)?.presets["a"]?.targetIds, [lamps[1]]);
  await accept({ type: "REMOVE_DEVICE", id: lamps[1] });
  assert.deepEqual(kernel.get("scene", scene)?.presets, {});
  assert.equal(kernel.get("activator", scene), undefined);
  await accept({ type: "CMD_SCENE_ON", id: scene });
});

test("scenes with too many commands for one commit send the rest in the next one", async () => {
  const hub = openTestKernel({ reactions });
  const { accept, kernel, submit, clock } = hub;
  const device = await accept(addLamp("One"));
  const presets = { a: { targetIds: [device], state: { isOn: true } } };
  const scene = await accept({ type: "CMD_SCENE", name: "Evening", presets });
  const count = limits.cascadeCommands + 5;
  await submit(Array.from({ length: count }, () => ({ type: "CMD_SCENE_ON", id: scene })));
  await clock.pass(10);
  const issued = eventsOf(hub, 0).filter(({ type }) => type === "CommandIssued");
  assert.equal(issued.length, count);
  assert.ok(issued.every(({ origin }) => origin === `scene:${scene}`));
  assert.equal(kernel.get("scene", scene)?.isOn, true);
});

test("removing a zone clears it from devices", async () => {
  const { accept, kernel } = openTestKernel({ reactions });
  const zones = [
    await accept({ type: "CMD_ZONE", name: "Up" }),
    await accept({ type: "CMD_ZONE", name: "In" }),
  ];
  const device = await accept(addLamp("One"));
  await accept({ type: "CMD_DEVICE_META", id: device, zones });
  await accept({ type: "REMOVE_ZONE", id: zones[0] });
  assert.deepEqual(kernel.get("device", device)?.zones, [zones[1]]);
});

test("a scene skips devices that a stronger class holds; only safety outranks a person's scene", async () => {
  for (const { by, held, expected } of [
    { by: "clock", held: undefined, expected: ["sent", "sent"] },
    { by: "clock", held: "SCENE", expected: ["sent", "sent"] },
    { by: "clock", held: "MANUAL", expected: ["skipped", "sent"] },
    { by: "rule:r", held: "MANUAL", expected: ["skipped", "sent"] },
    { by: "rule:r", held: "SAFETY", expected: ["skipped", "sent"] },
    { by: "user:u", held: "MANUAL", expected: ["sent", "sent"] },
    { by: "console", held: "MANUAL", expected: ["sent", "sent"] },
    { by: "user:u", held: "SAFETY", expected: ["skipped", "sent"] },
  ] as const) {
    const hub = await home();
    const { accept, submit, scene, lamps } = hub;
    const hold = { type: "HOLD_OUTPUT", id: lamps[0], by: "somebody", attributes: ["isOn"], free: [] };
    if (held !== undefined) await accept({ ...hold, class: held });
    await submit({ type: "CMD_SCENE_ON", id: scene }, { origin: by });
    assert.deepEqual(statuses(hub, scene), expected, `${by} ${held}`);
    const [first] = Object.values(hub.kernel.get("activator", scene)?.members ?? {});
    const reason = held === "SAFETY" ? "it is held for safety" : "it was set by hand";
    if (expected[0] === "skipped") assert.deepEqual(first, { skipped: reason });
  }
});

test("a scene that the clock turns on commands a device again when its hold has ended", async () => {
  const hub = await home();
  const { accept, submit, scene, lamps, clock } = hub;
  const attributes = ["isOn"];
  await accept({ type: "HOLD_OUTPUT", id: lamps[0], class: "MANUAL", by: "user:u", attributes, free: [] });
  await clock.pass(limits.holdMs - 1000);
  await submit({ type: "CMD_SCENE_ON", id: scene }, { origin: "clock" });
  assert.deepEqual(statuses(hub, scene), ["skipped", "sent"]);
  await clock.pass(2000);
  await submit({ type: "CMD_SCENE_ON", id: scene }, { origin: "clock" });
  assert.deepEqual(statuses(hub, scene), ["sent", "sent"]);
});
