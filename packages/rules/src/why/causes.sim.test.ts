import assert from "node:assert/strict";
import { test } from "node:test";
import type { Why } from "@ledge/model";
import { seededRandom } from "@ledge/testkit";
import type { Expected, Root } from "./test-causes.ts";
import { Causes } from "./test-causes.ts";
import { asked, TestRecord } from "./test-recorded.ts";

const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
const month = 30 * 86_400_000;
/** How many of the changes to ask about. */
const sampled = 400;

/** Returns where a chain begins, as the log tells it: a person's command, a sensor, or the clock. */
function begun({ links }: Why): Pick<Root, "by" | "object"> {
  const { origin = "", object } = links.at(-1) ?? {};
  const by = origin.startsWith("user") ? "person" : origin === "device" ? "sensor" : "clock";
  return { by, object: object?.id ?? "" };
}

/** From a device's own report the log cannot tell a sensor from a device that was used by hand. */
const asTold = ({ by, object }: Root): Pick<Root, "by" | "object"> => ({
  by: by === "hand" ? "sensor" : by,
  object,
});

/** A rule that retriggers itself by its own timers for long: the chain reaches its limit with only this rule. */
function isLongAgo(told: Why, { rules, cycles }: Expected): boolean {
  return cycles && told.end === "limit" && isSame(rulesIn(told), rules.slice(0, 1));
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Returns the rules of a chain; one that waits for a timer appears twice in a row and counts once. */
function rulesIn({ links }: Why): readonly string[] {
  const rules = links.flatMap(({ step, type, object }) => {
    if (step !== undefined) return [step.rule];
    return type === "TimerFired" && object !== null ? [object.id] : [];
  });
  return rules.filter((rule, index) => rule !== rules[index - 1]);
}

test(`why finds the true cause of each change of a month (SEED=${seed})`, async () => {
  const causes = await Causes.begin(seed);
  const { house, expected } = causes;
  const end = house.clock.now() + month;
  while (house.clock.now() < end) await causes.step();
  const record = new TestRecord(house);
  const chance = seededRandom(seed + 1);
  const samples = new Set<Expected>();
  while (samples.size < Math.min(sampled, expected.length)) {
    const one = expected[chance(expected.length)];
    if (one !== undefined) samples.add(one);
  }
  const wrong: string[] = [];
  const of = new Map<string, number>();
  let traced = 0;
  let longAgo = 0;
  for (const one of samples) {
    const told = asked(record.at(one.at), { id: one.device, attribute: one.attribute });
    const said = { value: told.value, root: begun(told), rules: rulesIn(told), end: told.end };
    const right = { value: one.value, root: asTold(one.root), rules: one.rules, end: "root" };
    if (isLongAgo(told, one)) longAgo++;
    else if (JSON.stringify(said) !== JSON.stringify(right))
      wrong.push(`${house.name(one.device)} ${one.at}: ${JSON.stringify(said)}, not ${JSON.stringify(right)}
        ${told.links.map(({ text }) => text).join(" <- ")}`);
    for (const { step, type } of told.links) {
      if (type !== "RuleStepped") continue;
      if (step?.guards === null) wrong.push(`${house.name(step.rule)} ${one.at} would step differently`);
      else traced++;
    }
    const kind = `${one.root.by} by ${one.rules.length} rules`;
    of.set(kind, (of.get(kind) ?? 0) + 1);
  }
  await house.close();
  assert.deepEqual(wrong.slice(0, 5), [], `${wrong.length} of ${samples.size}`);
  assert.ok(samples.size >= 300 && traced >= 200, `${samples.size} changes, ${traced} steps`);
  assert.ok(longAgo < samples.size / 2, `${longAgo} reach the limit`);
  assert.ok(of.size >= 6, JSON.stringify([...of]));
});
