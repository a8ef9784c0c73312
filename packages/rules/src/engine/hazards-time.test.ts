// Rules and time: restarts, and clocks that change, jump or are not set.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { LatePolicy } from "@ledge/model";
import { limits } from "@ledge/model";
import { Catalogue } from "../catalogue/catalogue.ts";
import { out } from "../machine/chart.ts";
import { turn } from "../machine/effect.ts";
import { range } from "../schedule/test-ranges.ts";
import type { Template } from "../catalogue/template.ts";
import { TestHouse } from "../testdata/house.ts";
import { flipping, ownTemplate } from "../testdata/template.ts";
import { catalogue } from "../templates/index.ts";

const minute = 60_000;
const hour = 60 * minute;

/**
 * A template that turns its lamps on ten minutes after its input first turned true, unless it turns false
 * again.
 */
function later(configType: string, late: LatePolicy, lateMaxMs = 0): Template {
  return ownTemplate(
    configType,
    {
      context: {},
      initial: "dark",
      delays: { soon: () => 10 * minute },
      states: {
        dark: {
          on: { "in.heard": { guard: ({ event: { view } }) => view.any("heard") === true, target: "soon" } },
        },
        soon: {
          on: { "in.heard": { guard: ({ event: { view } }) => view.any("heard") === false, target: "dark" } },
          after: {
            soon: {
              target: "lit",
              actions: [out(({ event: { view } }) => turn(view.devices("lamps"), true))],
            },
          },
        },
        lit: {},
      },
    },
    { late: { late, ...(late === "skip" && { lateMaxMs }) } },
  );
}

interface Waiting {
  readonly house: TestHouse;
  readonly sensor: string;
  readonly lamp: string;
  readonly rule: string;
}

async function waiting(template: Template, of: Parameters<typeof TestHouse.open>[0] = {}): Promise<Waiting> {
  const house = await TestHouse.open({ catalogue: new Catalogue([template]), ...of });
  const sensor = await house.addDevice("sensor", "MOTION", ["MOTION"], { motion: false });
  const lamp = await house.lamp("lamp");
  const given = { inputs: { heard: [sensor] }, outputs: { lamps: [lamp] } };
  const rule = await house.addRule("rule", template.configType, given);
  await house.report(sensor, { motion: true });
  house.forget();
  return { house, sensor, lamp, rule };
}

describe("a restart while a timer runs", () => {
  const lit = ['lamp {"isOn":true} rule'];

  for (const late of ["fire", "skip", "recheck"] as const) {
    test(`${late}: a timer fires when it is due, however often the hub restarts`, async () => {
      const { house } = await waiting(later("LATER", late));
      for (let i = 0; i < 9; i++) {
        await house.clock.pass(minute);
        await house.restart();
      }
      assert.deepEqual(house.issued(), []);
      await house.clock.pass(minute);
      assert.deepEqual(house.issued(), lit);
      await house.restart();
      await house.clock.pass(hour);
      assert.deepEqual(house.issued(), lit, "once");
    });
  }

  test("fire: a timer that came due meanwhile fires at once", async () => {
    const { house } = await waiting(later("LATER", "fire"));
    await house.restart({}, hour);
    assert.deepEqual(house.issued(), lit);
  });

  test("skip: a timer that is too late is left out, and the machine goes on", async () => {
    for (const [down, expected] of [
      [40 * minute - 1000, lit],
      [40 * minute + 1000, []],
    ] as const) {
      const { house, rule } = await waiting(later("LATER", "skip", 30 * minute));
      await house.restart({}, down);
      assert.deepEqual(house.issued(), expected);
      assert.deepEqual(house.kernel.get("ruleRun", rule)?.value, { on: "lit" });
    }
  });

  test("recheck: a timer that came due waits for new reports of the devices", async () => {
    const { house, sensor, lamp } = await waiting(later("LATER", "recheck"));
    const { kernel: before } = house;
    const log = house.hub.log.clone();
    await before.close();
    await house.clock.pass(hour);
    const again = house.hub.restart({ log });
    await house.clock.pass(minute);
    assert.equal(again.kernel.get("device", lamp)?.state["isOn"], false, "no device has reported yet");
    const report = {
      type: "REPORT_DEVICE",
      id: sensor,
      attributes: { motion: false },
      at: house.clock.now(),
    };
    await again.submit(report, { origin: "resync" });
    again.kernel.settled();
    await house.clock.pass(hour);
    assert.equal(again.kernel.size("command"), 0, "the reason for it is gone");
    assert.equal(again.kernel.size("timer"), 0);
    await again.kernel.close();
    const still = await waiting(later("LATER", "recheck"));
    await still.house.restart({}, hour);
    assert.deepEqual(still.house.issued(), lit);
  });
});

test("repeated reports after a restart are not edges and restart no timers", async () => {
  const house = await TestHouse.open({
    catalogue: new Catalogue([flipping("FLIP"), ...catalogue.templates]),
  });
  const button = await house.addDevice("door", "CONTACT", ["CONTACT"], { open: false });
  const lamp = await house.lamp("lamp");
  await house.addRule("flip", "FLIP", { inputs: { heard: [button] }, outputs: { lamps: [lamp] } });
  const socket = await house.lamp("socket");
  await house.addRule("auto off", "AUTO_OFF", { outputs: { devices: [socket] } });
  await house.use(socket, { isOn: true });
  await house.clock.pass(20 * minute);
  house.forget();
  await house.restart();
  for (const open of [true, false, true]) await house.report(button, { open }, "resync");
  await house.report(socket, { isOn: true, brightness: 0.3 }, "resync");
  assert.deepEqual(house.issued(), []);
  await house.report(button, { open: false });
  assert.deepEqual(house.issued(), ['lamp {"isOn":true} flip']);
  await house.clock.pass(10 * minute);
  assert.deepEqual(house.issued().slice(1), ['socket {"isOn":false} auto off'], "its timer kept running");
});

test("a second trigger restarts a running timer only if the template says so", async () => {
  for (const [reenter, expected] of [
    [true, 14],
    [false, 10],
  ] as const) {
    const transition = { target: "soon", ...(reenter && { reenter }) } as const;
    const again = ownTemplate("AGAIN", {
      context: {},
      initial: "dark",
      delays: { soon: () => 10 * minute },
      states: {
        dark: { on: { "in.heard": transition } },
        soon: {
          on: { "in.heard": transition },
          after: {
            soon: {
              target: "dark",
              actions: [out(({ event: { view } }) => turn(view.devices("lamps"), true))],
            },
          },
        },
      },
    });
    const { house, sensor } = await waiting(again);
    const began = house.clock.now();
    await house.clock.pass(4 * minute);
    await house.report(sensor, { motion: false });
    while (house.issued().length === 0) await house.clock.pass(minute / 2);
    assert.equal(Math.round((house.clock.now() - began) / minute), expected);
  }
});

describe("a command under way when the hub dies", () => {
  test("is sent again when it is recent and idempotent; the rule gives it once", async () => {
    const { house, lamp } = await waiting(later("LATER", "fire"));
    house.mute.add(lamp);
    house.lost.add(lamp);
    await house.clock.pass(10 * minute);
    assert.equal(house.kernel.size("command"), 1);
    house.lost.clear();
    house.mute.clear();
    await house.restart();
    assert.equal(house.issued().length, 1);
    assert.equal(house.device(lamp).state["isOn"], true);
    assert.equal(house.kernel.size("command"), 0);
  });

  test("expires when it is old, and a rule that listens for failures hears of it", async () => {
    const asking = ownTemplate(
      "ASKING",
      {
        context: {},
        initial: "asking",
        states: {
          asking: {
            entry: [out(({ event: { view } }) => turn(view.devices("lamps"), true))],
            on: { failed: { target: "sorry" } },
          },
          sorry: {},
        },
      },
      { hears: ["failed"] },
    );
    const house = await TestHouse.open({ catalogue: new Catalogue([asking]) });
    const lamp = await house.lamp("lamp");
    house.lost.add(lamp);
    const rule = await house.addRule("rule", "ASKING", { outputs: { lamps: [lamp] } });
    await house.restart({}, minute);
    assert.equal(house.kernel.size("command"), 0);
    assert.deepEqual(house.kernel.get("ruleRun", rule)?.value, { on: "sorry" });
    assert.equal(house.device(lamp).state["isOn"], false);
  });
});

describe("clocks", () => {
  const night = (start: number, end: number) =>
    range({ type: "TIME_OF_DAY", value: start }, { type: "TIME_OF_DAY", value: end });

  /** Returns when lamps got commands, as local time in Helsinki. */
  async function told(house: TestHouse, hours: number): Promise<string[]> {
    const found: string[] = [];
    const stop = house.kernel.subscribe({
      published: ({ events }) => {
        for (const { type } of events) if (type === "CommandIssued") found.push(local(house.clock.now()));
      },
    });
    await house.clock.pass(hours * hour);
    stop();
    return found;
  }
  const local = (at: number): string =>
    new Intl.DateTimeFormat("fi", { timeZone: "Europe/Helsinki", hour: "2-digit", minute: "2-digit" }).format(
      at,
    );

  async function scheduled(at: string, when: object): Promise<TestHouse> {
    const house = await TestHouse.open({ at });
    const lamp = await house.lamp("lamp");
    await house.addRule("rule", "SUN_SCHEDULE", {
      outputs: { devices: [lamp] },
      extras: { ranges: [when] },
    });
    return house;
  }

  test("forward: a time in the gap comes an hour later, once", async () => {
    const house = await scheduled("2026-03-28T23:00:00+02:00", night(3 * 60 + 30, 6 * 60));
    assert.deepEqual(await told(house, 12), ["04.30", "06.00"]);
  });

  test("back: a repeated time counts the first time", async () => {
    const house = await scheduled("2026-10-24T23:00:00+03:00", night(3 * 60 + 30, 6 * 60));
    const began = house.clock.now();
    assert.deepEqual(await told(house, 12), ["03.30", "06.00"]);
    const first = [...house.kernel.log.read()].find(
      ({ timestamp, events }) => timestamp > began && events.some(({ type }) => type === "CommandIssued"),
    );
    assert.equal(new Date(first?.timestamp ?? 0).toISOString().slice(0, 16), "2026-10-25T00:30");
  });

  test("clock changes leave running durations alone", async () => {
    const { house } = await waiting(later("LATER", "fire"), { at: "2026-03-29T02:55:00+02:00" });
    await house.clock.pass(10 * minute - 1000);
    assert.deepEqual(house.issued(), []);
    await house.clock.pass(1000);
    assert.equal(house.issued().length, 1);
  });

  test("another zone moves the edges, and nothing in the past fires", async () => {
    const house = await scheduled("2026-01-15T21:30:00+02:00", night(22 * 60, 6 * 60));
    const [[id] = [""]] = [...house.kernel.all("hub")];
    // It is 04:30 there, within the night that ends at 06:00; its beginning is not made up for.
    await house.accept({ type: "SET_TIMEZONE", id, timezone: "Asia/Tokyo" });
    const [first, ...further] = await told(house, 24);
    assert.equal(first, "23.00");
    assert.deepEqual(further, ["15.00"]);
  });

  test("a jump moves schedules but not running durations", async () => {
    const { house } = await waiting(later("LATER", "fire"));
    const [[id] = [""]] = [...house.kernel.all("hub")];
    const from = house.clock.now();
    house.clock.stepWall(5 * hour);
    await house.accept({ type: "NOTE_CLOCK_JUMP", id, from, to: house.clock.now(), trusted: true });
    await house.clock.pass(9 * minute);
    assert.deepEqual(house.issued(), []);
    await house.clock.pass(minute);
    assert.equal(house.issued().length, 1);
  });

  test("an untrusted clock delays schedules but not running durations", async () => {
    let trusted = false;
    const kernel = { timeTrusted: () => trusted, clockCheckMs: limits.clockCheckMs };
    const { house } = await waiting(later("LATER", "fire"), { kernel });
    await house.clock.pass(10 * minute);
    assert.equal(house.issued().length, 1);
    const untimed = await TestHouse.open({ at: "2026-01-15T21:30:00+02:00", kernel });
    const lamp = await untimed.lamp("lamp");
    await untimed.addRule("rule", "SUN_SCHEDULE", {
      outputs: { devices: [lamp] },
      extras: { ranges: [night(22 * 60, 6 * 60)] },
    });
    assert.deepEqual(await told(untimed, 2), []);
    trusted = true;
    assert.deepEqual(await told(untimed, 1), ["23.30"]);
  });
});
