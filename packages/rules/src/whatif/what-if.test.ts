import assert from "node:assert/strict";
import { test } from "node:test";
import type { RuleConfig } from "@ledge/model";
import { limits } from "@ledge/model";
import { seededRandom } from "@ledge/testkit";
import { Catalogue } from "../catalogue/catalogue.ts";
import { out } from "../machine/chart.ts";
import { clock, daily } from "../schedule/daily.ts";
import { template } from "../catalogue/template.ts";
import { catalogue } from "../templates/index.ts";
import { bindOnOff } from "../templates/bind-on-off.ts";
import type { RuleOf } from "../testdata/house.ts";
import { TestHouse } from "../testdata/house.ts";
import { tryIn } from "./test-what-if.ts";

const minute = 60_000;
const hour = 60 * minute;

const ms = (value: number): object => ({ type: "TIME_DELTA_MS", value });

function configOf(house: TestHouse, id: string, configType: string, of: RuleOf): RuleConfig {
  return { ...house.configOf(id, configType, of), id } as RuleConfig;
}

/** A hall with a lamp and a motion sensor, with the rule installed or not. */
async function hall(isLit: boolean) {
  const house = await TestHouse.open();
  const lamp = await house.lamp("lamp");
  const motion = await house.addDevice("motion", "MOTION", ["MOTION"], { motion: false });
  const of = { inputs: { motion: [motion] }, outputs: { lights: [lamp] } };
  const rule = isLit ? await house.addRule("light", "MOTION_LIGHT", of) : undefined;
  const config = (timeoutMs: number, id = rule ?? "tried"): RuleConfig =>
    configOf(house, id, "MOTION_LIGHT", { ...of, extras: { timeout: [ms(timeoutMs)] } });
  const asItWas = (id = rule ?? "tried"): RuleConfig => configOf(house, id, "MOTION_LIGHT", of);
  return { house, lamp, motion, rule, config, asItWas };
}

/**
 * Computes when a lamp is on that follows motion with a timeout, from the alternating times at which motion
 * begins and ends.
 */
function oracle(moves: readonly number[], timeoutMs: number, to: number) {
  const commands: { at: number; isOn: boolean }[] = [];
  let onTimeMs = 0;
  for (let index = 0; index < moves.length;) {
    const began = moves[index] ?? 0;
    while ((moves[index + 2] ?? Infinity) <= (moves[index + 1] ?? Infinity) + timeoutMs) index += 2;
    const ended = (moves[index + 1] ?? Infinity) + timeoutMs;
    commands.push({ at: began, isOn: true });
    if (ended <= to) commands.push({ at: ended, isOn: false });
    onTimeMs += Math.min(ended, to) - began;
    index += 2;
  }
  return { commands, onTimeMs };
}

test("a longer timeout differs from the recording exactly where the oracle says", async () => {
  const { house, lamp, motion, rule, config } = await hall(true);
  assert.ok(rule !== undefined);
  const random = seededRandom(7);
  const from = house.kernel.timestamp;
  const moves: number[] = [];
  for (let count = 0; count < 200; count++) {
    await house.clock.pass((1 + random(12)) * minute + 1000 + random(20_000));
    await house.report(motion, { motion: count % 2 === 0 });
    moves.push(house.kernel.timestamp);
  }
  await house.clock.pass(hour);
  const to = house.kernel.timestamp;
  const span = { from, to };
  const [before, after] = [2 * minute, 7 * minute].map((timeoutMs) => oracle(moves, timeoutMs, to));
  const answer = tryIn(house, span, [config(7 * minute)]);
  const shown = (told: readonly { at: number; attributes: object }[]): object[] =>
    told.map(({ at, attributes }) => ({ at, ...attributes }));
  // Each report has a commit of its own, so times on the way may differ by a few ms.
  const rounded = (told: readonly object[]): object[] =>
    told.map((one) => ({ ...one, at: Math.round((one as { at: number }).at / 1000) }));
  assert.deepEqual(rounded(shown(answer.commands)), rounded(after?.commands ?? []));
  const times = (of: typeof before): Set<string> =>
    new Set(of?.commands.map(({ at, isOn }) => `${Math.round(at / 1000)} ${isOn}`));
  const only = (of: typeof before, other: typeof before): string[] =>
    [...times(of)].filter((time) => !times(other).has(time));
  const said = (told: readonly { at: number; attributes: Readonly<Record<string, unknown>> }[]): string[] =>
    told.map(({ at, attributes }) => `${Math.round(at / 1000)} ${String(attributes["isOn"])}`);
  assert.deepEqual(said(answer.diff.onlyNew), only(after, before));
  assert.deepEqual(said(answer.diff.onlyOld), only(before, after));
  assert.ok(answer.diff.onlyOldCount > 10 && answer.diff.onlyNewCount > 10);
  assert.ok(Math.abs((answer.onTimeMs[lamp] ?? 0) - (after?.onTimeMs ?? 0)) < 1000);
  assert.equal(answer.firings, answer.commandCount);
  assert.deepEqual([answer.openLoop, answer.truncated], [true, undefined]);
  await house.close();
});

test("each command names its cause, and a timer the event that set it", async () => {
  const { house, lamp, motion, config } = await hall(false);
  const from = house.kernel.timestamp;
  await house.report(motion, { motion: true });
  const on = house.kernel.timestamp;
  await house.clock.pass(minute);
  await house.report(motion, { motion: false });
  const off = house.kernel.timestamp;
  await house.clock.pass(hour);
  await house.report(motion, { motion: true }, "resync");
  const { commands, diff } = tryIn(house, { from, to: off + hour }, [config(minute)]);
  const why = { event: "DeviceReported", device: motion, attribute: "motion" };
  assert.deepEqual(commands[0], {
    at: on,
    rule: "tried",
    device: lamp,
    attributes: { isOn: true },
    because: { ref: `${on}-0`, ...why, value: true },
  });
  const timer = "xstate.after.timeout.rule.on.waiting";
  assert.deepEqual(commands[1]?.because, {
    ...why,
    ref: `${off}-0`,
    value: false,
    event: "TimerFired",
    timer,
  });
  assert.deepEqual([commands[1]?.at, commands[1]?.attributes], [off + minute, { isOn: false }]);
  assert.deepEqual([diff.onlyOldCount, diff.onlyNewCount], [0, commands.length]);
  await house.close();
});

test("leaves out a replaced rule, its commands, and the reports that followed them", async () => {
  const { house, lamp, motion, rule, config } = await hall(true);
  assert.ok(rule !== undefined);
  const button = await house.lamp("button");
  const from = house.kernel.timestamp;
  await house.report(motion, { motion: true });
  await house.clock.pass(minute);
  await house.report(button, { isOn: true });
  await house.clock.pass(minute);
  const to = house.kernel.timestamp;
  assert.equal(house.device(lamp).state["isOn"], true);
  const bind = configOf(house, "bind", "BIND_ON_OFF", {
    inputs: { source: [button] },
    outputs: { targets: [lamp] },
  });
  // What a rule does as it begins is left out: the lamp has not yet reported that it is off.
  const told = ({ commands }: ReturnType<typeof tryIn>): unknown[] =>
    commands.flatMap(({ attributes, because: { ref, device } }) =>
      ref === null ? [] : [[attributes, device]],
    );
  // With the other rule in place it finds the lamp already on.
  assert.deepEqual(told(tryIn(house, { from, to }, [bind])), []);
  const alone = tryIn(house, { from, to }, [bind], { replaces: [rule] });
  assert.deepEqual(told(alone), [[{ isOn: true }, button]]);
  assert.deepEqual(
    alone.diff.onlyOld.map(({ rule: by, device }) => [by, device]),
    [[rule, lamp]],
  );
  const both = tryIn(house, { from, to }, [bind, config(minute, "other")], { replaces: [rule] });
  assert.deepEqual(told(both), [[{ isOn: true }, motion]]);
  await house.close();
});

test("respects a person's hold in a trial", async () => {
  const { house, lamp, motion, asItWas } = await hall(false);
  const from = house.kernel.timestamp;
  await house.use(lamp, { isOn: false });
  await house.report(motion, { motion: true });
  const held = tryIn(house, { from, to: house.kernel.timestamp }, [asItWas()]);
  assert.deepEqual([held.commandCount, held.suppressed, held.firings], [0, 1, 0]);
  await house.close();
});

test("ends a time range at once when the clocks skip its end", async () => {
  const house = await TestHouse.open({ at: "2026-03-28T20:00:00+02:00" });
  const lamp = await house.lamp("lamp");
  const from = house.kernel.timestamp;
  await house.clock.pass(20 * hour);
  await house.report(lamp, { brightness: 0.3 });
  const ranges = [daily(clock(60), clock(3 * 60 + 30))];
  const config = configOf(house, "night", "SUN_SCHEDULE", {
    outputs: { devices: [lamp] },
    extras: { ranges },
  });
  const { commands } = tryIn(house, { from, to: house.kernel.timestamp }, [config]);
  assert.deepEqual(
    commands.map(({ at, attributes: { isOn } }) => [new Date(at).toISOString(), isOn]),
    [
      ["2026-03-28T23:00:00.000Z", true],
      ["2026-03-29T01:30:00.000Z", false],
    ],
  );
  await house.close();
});

test('follows the recorded on and off of the replaced rule with `on: "recorded"`', async () => {
  const { house, motion, rule, asItWas } = await hall(true);
  assert.ok(rule !== undefined);
  const from = house.kernel.timestamp;
  await house.accept({ type: "RULE_OFF_COMMAND", id: rule });
  await house.report(motion, { motion: true });
  await house.report(motion, { motion: false });
  await house.clock.pass(hour);
  await house.accept({ type: "RULE_ON_COMMAND", id: rule });
  await house.report(motion, { motion: true });
  const span = { from, to: house.kernel.timestamp };
  const counts = (["always", "recorded"] as const).map(
    (on) => tryIn(house, span, [asItWas()], { on }).commandCount,
  );
  assert.deepEqual(counts, [3, 1]);
  const instead = tryIn(house, span, [asItWas("new")], { on: "recorded", replaces: [rule] });
  assert.deepEqual([instead.commandCount, instead.diff.onlyNewCount, instead.diff.onlyOldCount], [1, 0, 0]);
  await house.close();
});

test("counts alarms and reports a throwing step as a fault", async () => {
  const faulty = template({
    ...bindOnOff,
    configType: "FAULTY",
    chart: {
      context: {},
      initial: "on",
      states: {
        on: {
          on: {
            "in.source": {
              actions: [
                out(() => {
                  throw new Error("made to throw");
                }),
              ],
            },
          },
        },
      },
    },
  });
  const house = await TestHouse.open({ catalogue: new Catalogue([...catalogue.templates, faulty]) });
  const door = await house.addDevice("door", "CONTACT", ["CONTACT"], { open: false });
  const [one, other] = [await house.lamp("one"), await house.lamp("other")];
  const from = house.kernel.timestamp;
  await house.report(door, { open: true });
  for (const isOn of [true, false, true, false]) await house.report(one, { isOn });
  await house.clock.pass(hour);
  const rules = [
    configOf(house, "door", "DOOR_LEFT_OPEN", { inputs: { door: [door] } }),
    configOf(house, "faulty", "FAULTY", { inputs: { source: [one] }, outputs: { targets: [other] } }),
  ];
  await house.report(door, { open: false });
  const known = new Catalogue([...catalogue.templates, faulty]);
  const { alarms, faults, firings } = tryIn(house, { from, to: house.kernel.timestamp }, rules, {
    catalogue: known,
  });
  assert.deepEqual(
    faults.map(({ rule, reason }) => [rule, reason]),
    [
      ["faulty", "made to throw"],
      ["faulty", "made to throw"],
      ["faulty", "made to throw"],
      ["faulty", "faults"],
    ],
  );
  const doors = alarms.filter(({ rule }) => rule === "door");
  assert.deepEqual([doors[0]?.kind, doors[0]?.sourceId, doors.length], ["DOOR_LEFT_OPEN", door, 6]);
  assert.equal(firings, alarms.length);
  await house.close();
});

test("returns what it has when time runs out, and limits its lists", async () => {
  const { house, motion, config } = await hall(false);
  const from = house.kernel.timestamp;
  // The last motion's light goes off after the end of the span.
  const wanted = limits.whatIfItems + 2;
  for (let count = 0; count < wanted; count++) {
    await house.report(motion, { motion: count % 2 === 0 });
    await house.clock.pass(minute);
  }
  const span = { from, to: house.kernel.timestamp };
  const whole = tryIn(house, span, [config(1000)]);
  assert.deepEqual([whole.commands.length, whole.commandCount], [limits.whatIfItems, wanted - 1]);
  let looks = 0;
  const part = tryIn(house, span, [config(1000)], { isOver: () => ++looks > 2 });
  assert.ok(part.truncated !== undefined && part.truncated > from && part.truncated < span.to);
  assert.ok(part.commandCount > 0 && part.commandCount < wanted);
  assert.deepEqual(part.commands, whole.commands.slice(0, part.commandCount));
  assert.ok(part.commands.every(({ at }) => at <= (part.truncated ?? 0)));
  const atOnce = tryIn(house, span, [config(1000)], { isOver: () => true });
  assert.equal(atOnce.commandCount, 0);
  assert.ok((atOnce.truncated ?? 0) < (whole.commands[0]?.at ?? 0));
  await house.close();
});
