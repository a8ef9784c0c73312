import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { TestKernel } from "@ledge/testkit";
import { addLamp, openTestKernel, SimulatedClock } from "@ledge/testkit";
import { RuleEngine } from "../engine.ts";
import { catalogue } from "../templates/index.ts";

const hour = 3_600_000;

/** A home in Helsinki, at a local time. */
async function home(at: string): Promise<TestKernel> {
  const clock = new SimulatedClock(Date.parse(at));
  const hub = openTestKernel({ clock, reactions: new RuleEngine(catalogue).reactions });
  await hub.accept({ type: "CREATE_HUB", name: "Home", timezone: "Europe/Helsinki" });
  hub.kernel.settled();
  return hub;
}

const night = { cronDef: { start: "0 22 * * *", stop: "0 6 * * *" } };

function isOn({ kernel }: TestKernel, scene: string): boolean | undefined {
  return kernel.get("scene", scene)?.isOn;
}

/** Restarts with a new engine, as a new process would. */
function restarted(hub: TestKernel): TestKernel {
  const next = hub.restart({ reactions: new RuleEngine(catalogue).reactions });
  next.kernel.settled();
  return next;
}

describe("scenes by time", () => {
  test("a scene goes on at the start and off at the end, across restarts", async () => {
    let hub = await home("2026-01-15T21:00:00+02:00");
    const scene = await hub.accept({ type: "CMD_SCENE", name: "Night", sceneTimes: [night] });
    await hub.clock.pass(hour - 1000);
    assert.equal(isOn(hub, scene), false);
    hub = restarted(hub);
    await hub.clock.pass(2000);
    assert.equal(isOn(hub, scene), true);
    hub = restarted(hub);
    await hub.clock.pass(8 * hour - 3000);
    assert.equal(isOn(hub, scene), true);
    await hub.clock.pass(4000);
    assert.equal(isOn(hub, scene), false);
    await hub.clock.pass(16 * hour);
    assert.equal(isOn(hub, scene), true);
  });

  test("only the newest missed edge counts", async () => {
    const hub = await home("2026-01-15T21:00:00+02:00");
    const scene = await hub.accept({ type: "CMD_SCENE", name: "Night", sceneTimes: [night] });
    const down = hub.log.clone();
    await hub.kernel.close();
    await hub.clock.pass(3 * 24 * hour + 2 * hour);
    const reactions = new RuleEngine(catalogue).reactions;
    const next = openTestKernel({ clock: hub.clock, log: down, reactions });
    next.kernel.settled();
    await hub.clock.pass(1000);
    assert.equal(next.kernel.get("scene", scene)?.isOn, true);
    const turned = [...next.kernel.log.read()].flatMap(({ events }) =>
      events.filter(({ type }) => type.startsWith("SceneTurned")),
    );
    assert.deepEqual(
      turned.map(({ type, origin }) => [type, origin]),
      [["SceneTurnedOn", "clock"]],
    );
  });

  test("another time zone moves the next edge and fires no past one", async () => {
    const hub = await home("2026-01-15T21:30:00+02:00");
    const scene = await hub.accept({ type: "CMD_SCENE", name: "Night", sceneTimes: [night] });
    const [id] = [...hub.kernel.all("hub")].map(([hubId]) => hubId);
    // It is 04:30 there: the start at 22:00 is past and is not made up for.
    await hub.accept({ type: "SET_TIMEZONE", id, timezone: "Asia/Tokyo" });
    await hub.clock.pass(hour);
    assert.equal(isOn(hub, scene), false);
    await hub.clock.pass(17 * hour);
    assert.equal(isOn(hub, scene), true);
  });

  test("a disabled or removed time never fires", async () => {
    const hub = await home("2026-01-15T21:00:00+02:00");
    const off = await hub.accept({
      type: "CMD_SCENE",
      name: "Off",
      sceneTimes: [{ ...night, enabled: false }],
    });
    const gone = await hub.accept({ type: "CMD_SCENE", name: "Gone", sceneTimes: [night] });
    await hub.accept({ type: "CMD_SCENE", id: gone, sceneTimes: [] });
    const removed = await hub.accept({ type: "CMD_SCENE", name: "Removed", sceneTimes: [night] });
    await hub.accept({ type: "REMOVE_SCENE", id: removed });
    await hub.clock.pass(24 * hour);
    assert.deepEqual([isOn(hub, off), isOn(hub, gone)], [false, false]);
    assert.equal(hub.kernel.size("timer"), 0);
  });

  test("each edge comes once in the night when the clocks change", async () => {
    for (const [day, hours] of [
      ["2026-03-28T21:00:00+02:00", 7],
      ["2026-10-24T21:00:00+03:00", 9],
    ] as const) {
      const hub = await home(day);
      const scene = await hub.accept({ type: "CMD_SCENE", name: "Night", sceneTimes: [night] });
      await hub.clock.pass(hour + 1000);
      assert.equal(isOn(hub, scene), true);
      await hub.clock.pass(hours * hour - 2000);
      assert.equal(isOn(hub, scene), true, day);
      await hub.clock.pass(2000);
      assert.equal(isOn(hub, scene), false, day);
    }
  });
});

describe("rules by time", () => {
  test("a rule is on within its timers, at once when they already hold", async () => {
    const hub = await home("2026-01-15T23:00:00+02:00");
    const lamp = await hub.accept(addLamp());
    const config = {
      type: "CONFIG",
      name: "Off",
      configType: "AUTO_OFF",
      inputs: {},
      outputs: { devices: [lamp] },
      extras: {},
    };
    const rule = await hub.accept({ type: "SET_RULE", config, on: { timers: [night.cronDef] } });
    await hub.clock.pass(0);
    assert.equal(hub.kernel.get("rule", rule)?.is_on, true);
    await hub.clock.pass(7 * hour + 1000);
    assert.equal(hub.kernel.get("rule", rule)?.is_on, false);
    await hub.accept({ type: "RULE_ON_COMMAND", id: rule });
    await hub.clock.pass(24 * hour);
    assert.equal(hub.kernel.get("rule", rule)?.is_on, false, "a person's change lasts until the next edge");
  });
});
