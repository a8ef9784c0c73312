import assert from "node:assert/strict";
import { test } from "node:test";
import type { LoggedEvent } from "@ledge/model";
import { limits } from "@ledge/model";
import type { DeviceDescription } from "@ledge/port";
import type { TestKernel } from "@ledge/testkit";
import { openTestKernel, setting, upgradeAvailable } from "@ledge/testkit";
import { createLogger } from "@ledge/host/logger";
import { Intake } from "./intake.ts";
import { Natives } from "./natives.ts";
import { SeenNotes } from "./seen-notes.ts";

const lamp: DeviceDescription = {
  native: "lamp",
  radio: "air",
  class: "LIGHT",
  capabilities: ["DEVICE", "ON_OFF", "BRIGHTNESS"],
  name: "Lamp",
  manufacturer: "Maker",
  model: null,
};

const lock = setting("lock", "BOOL");

function open(
  hub: TestKernel = openTestKernel(),
): TestKernel & { intake: Intake; seen: SeenNotes; natives: Natives } {
  const { kernel, clock } = hub;
  const natives = new Natives(kernel);
  const seen = new SeenNotes(kernel, clock);
  return {
    ...hub,
    natives,
    seen,
    intake: new Intake("sim", kernel, natives, seen, createLogger("silent")),
  };
}

const events = ({ kernel }: TestKernel): LoggedEvent[] =>
  [...kernel.log.read()].flatMap((commit) => commit.events);
const devices = ({ kernel }: TestKernel): string[] => [...kernel.all("device")].map(([id]) => id);
const viewer = { role: 8, user: null, since: 0 };

async function settle({ clock }: TestKernel): Promise<void> {
  await clock.pass(limits.telemetryWindowMs);
}

test("announcing a device again keeps its id and updates its description", async () => {
  const hub = open();
  void hub.intake.announce(lamp);
  void hub.intake.announce(lamp);
  await settle(hub);
  void hub.intake.announce({ ...lamp, model: "M2" });
  await settle(hub);
  const [id] = devices(hub);
  assert.deepEqual(devices(hub), [id]);
  assert.equal(hub.kernel.get("device", id ?? "")?.model, "M2");
  assert.deepEqual(
    events(hub).map(({ type }) => type),
    ["DeviceAdded", "DeviceBound", "DeviceDescribed"],
  );
});

test("keeps reports that arrive before their device is known", async () => {
  const hub = open();
  void hub.intake.announce(lamp);
  await hub.intake.report({ native: "lamp", attributes: { isOn: true, brightness: 0.5 } });
  await settle(hub);
  await settle(hub);
  const [id = ""] = devices(hub);
  assert.equal(hub.kernel.get("device", id)?.state["isOn"], true);
});

test("marks the first report after a start as restored, and later ones as news", async () => {
  const hub = open();
  void hub.intake.announce(lamp);
  await settle(hub);
  assert.equal(hub.intake.settled, false);
  await hub.intake.report({ native: "lamp", attributes: { isOn: true } });
  await hub.intake.report({ native: "lamp", attributes: { isOn: false } });
  assert.equal(hub.intake.settled, true);
  hub.intake.restarted();
  await hub.intake.report({ native: "lamp", attributes: { isOn: true } });
  const reports = events(hub).filter(({ type }) => type === "DeviceReported");
  assert.deepEqual(
    reports.map(({ origin }) => origin),
    ["resync", "device", "resync"],
  );
});

const remote: DeviceDescription = {
  ...lamp,
  native: "remote",
  class: "REMOTE_CONTROL",
  capabilities: ["DEVICE", "REMOTE_CONTROL", "BATTERY_C"],
  name: "Remote",
};

test("a press that is the first report after a start is news, and the state with it is restored", async () => {
  const hub = open();
  void hub.intake.announce(remote);
  await settle(hub);
  const press = { button: 1, modifiers: ["longpress"] };
  const reported = async (attributes: DeviceDescription["extras"] & object): Promise<unknown> => {
    const { length } = events(hub);
    const recorded = hub.intake.report({ native: "remote", attributes });
    await settle(hub);
    await recorded;
    const news = events(hub)
      .slice(length)
      .filter(({ type }) => type === "DeviceReported");
    return news.map((event) => [event.origin, (event as LoggedEvent & { attributes: object }).attributes]);
  };
  assert.deepEqual(await reported(press), [["device", press]]);
  assert.equal(hub.intake.settled, true);
  assert.deepEqual(await reported({ battery: 0.9 }), [["resync", { battery: 0.9 }]]);
  assert.deepEqual(await reported({ battery: 0.8 }), [["device", { battery: 0.8 }]]);
  hub.intake.restarted();
  assert.deepEqual(await reported({ ...press, battery: 0.7 }), [
    ["resync", { battery: 0.7 }],
    ["device", { button: 1 }],
  ]);
});

test("a report that confirms a command carries the chain of that command", async () => {
  const hub = open();
  void hub.intake.announce(lamp);
  await settle(hub);
  const chain = { origin: "user:u1", cause: "5-0", root: "request:r", depth: 1 } as const;
  await hub.intake.report({ native: "lamp", attributes: { isOn: true } }, chain);
  const { origin, cause, root, depth } = events(hub).at(-1) as LoggedEvent;
  assert.deepEqual({ origin, cause, root, depth }, chain);
});

test("a report without a change makes no event but updates the last-seen time", async () => {
  const hub = open();
  void hub.intake.announce(lamp);
  await settle(hub);
  await hub.intake.report({ native: "lamp", attributes: { isOn: true } });
  const { timestamp } = hub.kernel;
  const [id = ""] = devices(hub);
  await hub.clock.pass(60_000);
  await hub.intake.report({ native: "lamp", attributes: { isOn: true } });
  assert.equal(hub.kernel.timestamp, timestamp);
  const shown = hub.kernel.render("device", id, viewer, "en") as { state: { lastSeen: number } };
  assert.equal(shown.state.lastSeen, hub.clock.wall());
});

test("writes the last-seen times of all devices at once and reads them at the next start", async () => {
  const hub = open();
  void hub.intake.announce(lamp);
  await settle(hub);
  await hub.intake.report({ native: "lamp", attributes: { isOn: true } });
  const heard = hub.clock.wall();
  await hub.clock.pass(limits.lastSeenLoggedMs + 1000);
  const notes = events(hub).filter(({ type }) => type === "DevicesSeen");
  assert.equal(notes.length, 1);
  const next = open(hub.restart());
  const [id = ""] = devices(next);
  const shown = next.kernel.render("device", id, viewer, "en") as { state: { lastSeen: number } };
  assert.equal(shown.state.lastSeen, heard);
});

test("a removed device stays removed, and its reports are dropped", async () => {
  const hub = open();
  void hub.intake.announce(lamp);
  await settle(hub);
  const [id = ""] = devices(hub);
  await hub.accept({ type: "REMOVE_DEVICE", id });
  void hub.intake.announce(lamp);
  await hub.intake.report({ native: "lamp", attributes: { isOn: true } });
  await settle(hub);
  assert.deepEqual(devices(hub), []);
  const next = open(hub.restart());
  void next.intake.announce(lamp);
  await settle(next);
  assert.deepEqual(devices(next), []);
});

test("a report of being unreachable does not update the last-seen time", async () => {
  const hub = open();
  void hub.intake.announce(lamp);
  await settle(hub);
  await hub.intake.report({ native: "lamp", attributes: { isOn: true } });
  const heard = hub.clock.wall();
  await hub.clock.pass(5000);
  await hub.intake.report({ native: "lamp", attributes: { reachable: false } });
  const [id = ""] = devices(hub);
  const shown = hub.kernel.render("device", id, viewer, "en") as { state: Record<string, unknown> };
  assert.equal(shown.state["reachable"], false);
  assert.equal(shown.state["lastSeen"], heard);
});

test("records levels (newest value) and presses (count) later when nothing can be recorded now", async () => {
  const lines: string[] = [];
  const hub = openTestKernel();
  const { kernel, clock } = hub;
  const natives = new Natives(kernel);
  const logger = { ...createLogger("silent"), error: (_: object, line: string) => lines.push(line) };
  const intake = new Intake("sim", kernel, natives, new SeenNotes(kernel, clock), logger as never);
  void intake.announce(lamp);
  await settle(hub);
  await intake.report({ native: "lamp", attributes: { isOn: false, brightness: 0.1 } });
  await settle(hub);
  kernel.suspend("the disk is full");
  for (let time = 0; time < 100; time++) {
    await intake.report({ native: "lamp", attributes: { brightness: time / 100 } });
    const press = { button: 1, modifiers: ["longpress"] };
    await intake.report({ native: "lamp", attributes: { isOn: time % 2 === 0, ...press } });
  }
  void intake.announce({ ...lamp, native: "new", name: "New" });
  await settle(hub);
  await intake.report({ native: "new", attributes: { isOn: true } });
  assert.deepEqual(lines, [], "told once for all, elsewhere");
  const before = events(hub).length;

  kernel.resume();
  // 100 presses, and 99 changes of the switch.
  const dropped = intake.takeUp();
  await settle(hub);
  assert.equal(await dropped, 199);
  const [id = "", added = ""] = devices(hub);
  const { isOn, brightness, modifiers } = kernel.get("device", id)?.state ?? {};
  assert.deepEqual([isOn, brightness], [false, 0.99]);
  assert.equal(modifiers, undefined, "how a press was made that nobody hears of");
  assert.equal(kernel.get("device", added)?.state["isOn"], true);
  const reported = events(hub)
    .slice(before)
    .filter(({ type }) => type === "DeviceReported");
  assert.deepEqual(
    reported.map(({ origin }) => origin),
    ["resync", "resync"],
  );
  assert.equal(await intake.takeUp(), 0);
});

test("stores a device's settings and firmware, and drops them when it has none any more", async () => {
  const hub = open();
  const configuration = { items: [lock], values: { lock: true } };
  const upgraded = { ...lamp, configuration, upgrade: upgradeAvailable };
  void hub.intake.announce(upgraded);
  await settle(hub);
  const [id = ""] = devices(hub);
  assert.deepEqual(hub.kernel.get("configuration", id)?.values, { lock: true });
  assert.equal(hub.kernel.get("upgrade", id)?.report.newFwVersion, upgradeAvailable.newFwVersion);
  const before = hub.kernel.timestamp;
  void hub.intake.announce(upgraded);
  await settle(hub);
  assert.equal(hub.kernel.timestamp, before);
  void hub.intake.announce(lamp);
  await settle(hub);
  assert.deepEqual(
    [hub.kernel.get("configuration", id), hub.kernel.get("upgrade", id)],
    [undefined, undefined],
  );
});

test("adds a device whose settings contradict themselves, without those settings", async () => {
  const hub = open();
  void hub.intake.announce({ ...lamp, configuration: { items: [lock, lock] }, upgrade: upgradeAvailable });
  await settle(hub);
  const [id = ""] = devices(hub);
  assert.equal(hub.kernel.get("configuration", id), undefined);
  assert.equal(hub.kernel.get("upgrade", id)?.report.status, "AVAILABLE");
});
