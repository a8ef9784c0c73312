import assert from "node:assert/strict";
import { test } from "node:test";
import Type from "typebox";
import { Errors } from "typebox/value";
import { limits } from "./limits.ts";
import type { TimeRange } from "./schedule.ts";
import { cronProblem, rangesProblem, ruleTimerOf, SceneTimeRequest, storedRange } from "./schedule.ts";
import { upcasters } from "./upcasters.ts";

for (const text of [
  "0 15 * * 1",
  "* * * * *",
  "0,30 6-22/2 1-31 1,6,12 0-6",
  "*/5 0-23 * * *",
  " 0  7 * * 0 ",
  "59 23 29 2 *",
  "0 0 31 2 1",
]) {
  test(`cronProblem accepts ${text}`, () => assert.equal(cronProblem(text), undefined));
}

for (const [text, problem] of [
  ["", /five fields/],
  ["0 15 * *", /five fields/],
  ["0 15 * * 1 2026", /five fields/],
  ["60 15 * * 1", /^60 is no minute: 0 to 59$/],
  ["0 24 * * 1", /hour/],
  ["0 0 0 * *", /day of the month/],
  ["0 0 32 * *", /day of the month/],
  ["0 0 * 13 *", /month/],
  ["0 0 * * 7", /day of the week/],
  ["0 0 * * MON", /day of the week/],
  ["5-1 0 * * *", /minute/],
  ["*/0 0 * * *", /minute/],
  ["5/10 0 * * *", /minute/],
  ["1, 0 * * *", /minute/],
  ["-1 0 * * *", /minute/],
  ["0 0 30 2 *", /never comes/],
  ["0 0 31 4,6 *", /never comes/],
] as const) {
  test(`cronProblem refuses "${text}"`, () => assert.match(cronProblem(text) ?? "", problem));
}

const at = (value: number) => ({ type: "TIME_OF_DAY", value }) as const;
const sun = { type: "SUN_EVENT", event: "SUNSET", offsetMs: 0 } as const;
const night = {
  type: "TIME_RANGE",
  weekdays: [] as number[],
  start: at(1320),
  end: at(360),
  enabled: true,
} as const;

const cases: readonly (readonly [string, object])[] = [
  ["", night],
  [
    "",
    {
      ...night,
      id: "n",
      weekdays: [1, 7],
      end: null,
      validFrom: "2024-02-29",
      validTo: null,
      enabled: false,
    },
  ],
  [
    "",
    { ...night, start: { ...sun, earliest: 960, latest: 960, offsetMs: -limits.sunOffsetMs }, end: at(1439) },
  ],
  ["ranges.0.weekdays.0", { ...night, weekdays: [0] }],
  ["ranges.0.weekdays", { ...night, weekdays: [1, 2, 3, 4, 5, 6, 7, 1] }],
  ["ranges.0.start", { ...night, start: undefined }],
  ["ranges.0.end", { ...night, end: undefined }],
  ["ranges.0.enabled", { ...night, enabled: undefined }],
  ["ranges.0.start.value", { ...night, start: at(1440) }],
  ["ranges.0.start.value", { ...night, start: at(1.5) }],
  ["ranges.0.start.type", { ...night, start: { type: "NOON", value: 1 } }],
  ["ranges.0.end.value", { ...night, end: at(-1) }],
  ["ranges.0.start.event", { ...night, start: { ...sun, event: "NOON" } }],
  ["ranges.0.start.offsetMs", { ...night, start: { ...sun, offsetMs: limits.sunOffsetMs + 1 } }],
  ["ranges.0.start.latest", { ...night, start: { ...sun, earliest: 961, latest: 960 } }],
  ["ranges.0.end.latest", { ...night, end: { ...sun, earliest: 961, latest: 960 } }],
  ["ranges.0.validFrom", { ...night, validFrom: "2026-02-29" }],
  ["ranges.0.validFrom", { ...night, validFrom: "2100-02-29" }],
  ["ranges.0.validTo", { ...night, validTo: "2026-13-01" }],
  ["ranges.0.validTo", { ...night, validTo: "1.3.2026" }],
  ["ranges.0.validTo", { ...night, validFrom: "2026-03-02", validTo: "2026-03-01" }],
  ["ranges.0.cronDef.stop", { type: "RULETIME", enabled: true, cronDef: { start: "0 1 * * *" } }],
  ["ranges.0.cronDef", { ...night, type: "RANGE" }],
];
for (const [field, range] of cases) {
  const what = field === "" ? "nothing" : field;
  test(`finds ${what} wrong in ${JSON.stringify(range)}`, () => assert.equal(wrongField(range), field));
}

/** Returns the first field of a range that the schema or `rangesProblem` refuses. */
function wrongField(range: unknown): string {
  const Ranges = Type.Object({ ranges: Type.Array(SceneTimeRequest) });
  const sent = JSON.parse(JSON.stringify({ ranges: [range] }));
  const [error] = Errors(Ranges, sent);
  if (error !== undefined) {
    const path = error.instancePath.slice(1).split("/");
    return [...path, ...(error.keyword === "required" ? error.params.requiredProperties : [])].join(".");
  }
  return rangesProblem(sent.ranges.map(storedRange), "ranges")?.field ?? "";
}

test("storedRange keeps a TIME_RANGE byte for byte, up to a size", () => {
  const fits = { ...night, note: "" };
  const note = "x".repeat(limits.timeRangeChars - JSON.stringify(fits).length);
  const sent = JSON.stringify({ note, ...night });
  const range = JSON.parse(sent) as TimeRange;
  assert.equal(JSON.stringify(storedRange(range)), sent);
  assert.equal(rangesProblem([range], "timers"), undefined);
  const large = rangesProblem([{ ...range, note: `${note}x` } as TimeRange], "timers");
  assert.deepEqual([large?.field, large?.rejected], ["timers.0", "invalid"]);
});

test("storedRange fills in what clients leave out of a RULETIME or a CRONDEF", () => {
  const [start, stop] = ["0 7 * * *", "0 8 * * *"];
  const stored = { type: "RULETIME", enabled: true, cronDef: { type: "CRONDEF", start, stop } } as const;
  assert.deepEqual(storedRange({ start, stop }), stored);
  assert.deepEqual([ruleTimerOf(stored), ruleTimerOf(night)], [stored.cronDef, night]);
  assert.deepEqual(storedRange({ cronDef: { start, stop }, enabled: null }), stored);
  assert.deepEqual(storedRange({ cronDef: { start, stop }, enabled: false }), { ...stored, enabled: false });
});

test("upcasters keep events from before TIME_RANGE existed as they are", () => {
  const [start, stop] = ["0 7 * * *", "0 8 * * *"];
  const sceneTimes = [storedRange({ start, stop })];
  const logged = {
    type: "SceneTimesChanged",
    id: "s",
    sceneTimes,
    version: 1,
    origin: "system",
    depth: 0,
  } as const;
  for (const type of ["SceneCreated", "SceneTimesChanged", "RuleCreated", "RuleOnConfigured"]) {
    const event = { ...logged, type };
    assert.deepEqual(upcasters[`${type}@1`]?.(event), { ...event, version: 2 });
  }
});
