import assert from "node:assert/strict";
import { test } from "node:test";
import type { Why } from "@ledge/model";
import { seededRandom } from "@ledge/testkit";
import type { Expected, Root } from "./test-causes.ts";
import { Causes } from "./test-causes.ts";
import { asked, TestRecord } from "./test-recorded.ts";

const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
const month = 30 * 86_400_000;
/** Changes that are asked about, of all that there are. */
const sampled = 400;

/** Where a told chain begins: a scene or a device that somebody told something, a sensor, or the clock. */
function begun({ links }: Why): Pick<Root, "by" | "object"> {
  const { origin = "", object } = links.at(-1) ?? {};
  const by = origin.startsWith("user") ? "person" : origin === "device" ? "sensor" : "clock";
  return { by, object: object?.id ?? "" };
}

/** Of what a device says by itself the log does not know whether it is a sensor, or was used by hand. */
const asTold = ({ by, object }: Root): Pick<Root, "by" | "object"> => ({
  by: by === "hand" ? "sensor" : by,
  object,
});

/** A rule that goes on by its own timers since long ago: as far back as is told, it is all its own doing. */
function isLongAgo(told: Why, { rules, cycles }: Expected): boolean {
  return cycles && told.end === "limit" && isSame(rulesIn(told), rules.slice(0, 1));
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The rules on the way: some appear again, as what they wait for begins with them. */
function rulesIn({ links }: Why): readonly string[] {
  const rules = links.flatMap(({ step, type, object }) => {
    if (step !== undefined) return [step.rule];
    return type === "TimerFired" && object !== null ? [object.id] : [];
  });
  return rules.filter((rule, index) => rule !== rules[index - 1]);
}

test(`a month of changes is put down to what caused them (SEED=${seed})`, async () => {
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
      if (step?.guards === null) wrong.push(`${house.name(step.rule)} ${one.at} would step otherwise`);
      else traced++;
    }
    const kind = `${one.root.by} by ${one.rules.length} rules`;
    of.set(kind, (of.get(kind) ?? 0) + 1);
  }
  await house.close();
  assert.deepEqual(wrong.slice(0, 5), [], `${wrong.length} of ${samples.size}`);
  assert.ok(samples.size >= 300 && traced >= 200, `${samples.size} changes, ${traced} steps`);
  assert.ok(longAgo < samples.size / 2, `${longAgo} since long ago`);
  assert.ok(of.size >= 6, JSON.stringify([...of]));
});
