import assert from "node:assert/strict";
import { test } from "node:test";
import type { Commit, EventRef, LoggedEvent } from "@ledge/model";
import { limits } from "@ledge/model";
import { TestHouse } from "../testdata/house.ts";
import { blamed } from "./blame.ts";
import { chainTo } from "./chain.ts";
import { outcomeOf } from "./outcome.ts";
import type { Read } from "./reads.ts";
import type { Recorded } from "./recorded.ts";
import { asked, TestRecord } from "./test-recorded.ts";

const envelope = { version: 1, origin: "device", depth: 0 } as const;

/** A log with only these commits. */
function logOf(commits: readonly Commit[]): Recorded {
  return {
    now: commits.at(-1)?.timestamp ?? 0,
    home: { get: () => undefined, all: () => new Map().entries() as never, size: () => 0 },
    lastEvent: () => undefined,
    commit: (at) => commits.find(({ timestamp }) => timestamp === at),
    commits: (after, until) => commits.filter(({ timestamp }) => timestamp > after && timestamp <= until),
    before: () => undefined,
    configuring: () => [],
  };
}

const renamed = (cause?: EventRef): LoggedEvent =>
  ({ type: "RoomRenamed", id: "room", name: "x", ...envelope, ...(cause && { cause }) }) as LoggedEvent;

/** A chain of events, each caused by the one before. */
function causes(count: number): readonly Commit[] {
  return Array.from({ length: count }, (_, index) => ({
    timestamp: index + 1,
    events: [renamed(index === 0 ? undefined : `${index}-0`)],
  }));
}

test("chainTo returns at most causeLinks causes, and says when there are more", () => {
  const whole = chainTo(`${limits.causeLinks + 1}-0`, logOf(causes(limits.causeLinks + 1)));
  assert.deepEqual([whole.links.length, whole.end], [limits.causeLinks + 1, "root"]);
  const cut = chainTo(`${limits.causeLinks + 2}-0`, logOf(causes(limits.causeLinks + 2)));
  assert.deepEqual([cut.links.length, cut.end], [limits.causeLinks + 1, "limit"]);
  const gone = chainTo("3-0", logOf(causes(3).slice(1)));
  assert.deepEqual([gone.links.length, gone.end], [2, "gone"]);
});

const timer = "rule:r#xstate.after.timeout.rule.on.waiting";

/** A timer that is set and fires after a number of other events. */
function waiting(between: number): readonly Commit[] {
  const set = { type: "TimerSet", id: timer, due: 100, durationMs: 99, ...envelope } as LoggedEvent;
  const events = Array.from({ length: between }, () => renamed());
  return [
    { timestamp: 1, events: [set] },
    { timestamp: 50, events },
    { timestamp: 100, events: [{ type: "TimerFired", id: timer, lateMs: 0, ...envelope } as LoggedEvent] },
  ];
}

test("chainTo searches whyTimerEvents events for what set a timer", () => {
  assert.equal(chainTo("100-0", logOf(waiting(limits.whyTimerEvents - 2))).end, "root");
  assert.equal(chainTo("100-0", logOf(waiting(limits.whyTimerEvents - 1))).end, "gone");
});

test("outcomeOf searches a limited number of events for a command's end", () => {
  const issued = { type: "CommandIssued", id: "c", device: "d", attributes: {}, ...envelope } as LoggedEvent;
  const failed = { type: "CommandFailed", id: "c", message: "no answer", ...envelope } as LoggedEvent;
  const outcome = (between: number): string => {
    const events = Array.from({ length: between }, () => renamed());
    const commits = [
      { timestamp: 1, events: [issued] },
      { timestamp: 2, events },
      { timestamp: 3, events: [failed] },
    ];
    return outcomeOf({ ref: "1-0", at: 1, event: issued }, logOf(commits)).outcome;
  };
  assert.equal(outcome(limits.whyTimerEvents - 1), "failed");
  assert.equal(outcome(limits.whyTimerEvents), "unknown");
});

test("blamed asks a guard at most whyGuardQuestions times", () => {
  const reads: Read[] = Array.from({ length: 200 }, (_, index) => ({
    of: "kept",
    name: `${index}`,
    value: null,
  }));
  let questions = 0;
  const found = blamed(reads, () => {
    questions++;
    return false;
  });
  assert.deepEqual([questions, found.size], [limits.whyGuardQuestions, 0]);
});

test("blamed finds two readings together, and the time only when nothing else counts", () => {
  const a: Read = { of: "kept", name: "a", value: false };
  const b: Read = { of: "kept", name: "b", value: 3 };
  const now: Read = { of: "now", name: "now", value: 1_000 };
  const both = blamed([now, a, b], (instead) => instead.get("kept//a") === true && instead.has("kept//b"));
  assert.deepEqual([...both], [a, b]);
  const late = blamed([now, a], (instead) => Number(instead.get("now//now")) > 1_000);
  assert.deepEqual([...late], [now]);
});

test("why not answers for at most whyRules rules of a device", async () => {
  const house = await TestHouse.open();
  const lamp = await house.lamp("Lamp");
  const motion = await house.addDevice("Motion", "MOTION", ["MOTION"], { motion: false });
  const made = { inputs: { motion: [motion] }, outputs: { lights: [lamp] } };
  const told = (): readonly [number, boolean] => {
    const { not, more } = asked(new TestRecord(house).at(house.kernel.timestamp), { id: lamp, not: true });
    return [not.length, more];
  };
  for (let index = 0; index < limits.whyRules; index++)
    await house.addRule(`Rule ${index}`, "MOTION_LIGHT", made);
  assert.deepEqual(told(), [limits.whyRules, false]);
  await house.addRule("One more", "MOTION_LIGHT", made);
  assert.deepEqual(told(), [limits.whyRules, true]);
  await house.close();
});

test("why tells a chain in every language", async () => {
  const house = await TestHouse.open();
  const lamp = await house.lamp("Lamp");
  const motion = await house.addDevice("Motion", "MOTION", ["MOTION"], { motion: false });
  await house.addRule("Rule", "MOTION_LIGHT", { inputs: { motion: [motion] }, outputs: { lights: [lamp] } });
  await house.report(motion, { motion: true });
  const record = new TestRecord(house).at(house.kernel.timestamp);
  const first = (["en", "fi", "sv", "de"] as const).map(
    (language) => asked(record, { id: lamp }, language).links[2]?.text,
  );
  assert.deepEqual(first, [
    "The rule Rule acted, as: Motion: motion",
    "Sääntö Rule toimi, koska: Motion: liikettä",
    "Regeln Rule reagerade, eftersom: Motion: rörelse",
    "Die Regel Rule hat reagiert, da: Motion: Bewegung",
  ]);
  await house.close();
});
