import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { createLogger } from "./logger.ts";
import { logRecord } from "./log-record.ts";

const time = "2026-11-22T00:00:00.000Z";
const record = (fields: object): string => `${JSON.stringify({ level: 40, time, ...fields, msg: "m" })}\n`;

/** Returns a record of an exact length, without values that would be cut. */
function ofLength(length: number): string {
  const filled = (rest: number): string[] => {
    const values: string[] = [];
    for (let left = rest; left > 0; left -= limits.logValueChars)
      values.push("x".repeat(Math.min(left, limits.logValueChars)));
    return values;
  };
  for (let rest = length; rest > 0; rest--) {
    const line = record({ values: filled(rest) });
    if (line.length <= length) return line;
  }
  return assert.fail();
}

test("keeps a record up to the limit as it is", () => {
  const line = ofLength(limits.logRecordChars);
  assert.equal(line.length, limits.logRecordChars);
  assert.equal(logRecord(line), line);
});

test("cuts the long values of a longer record, which stays JSON with the rest unchanged", () => {
  const line = record({ problem: `no prices of FI, but of ${"x".repeat(633_000)}`, area: "FI" });
  const written = logRecord(line);
  assert.ok(written.length <= limits.logRecordChars, `${written.length}`);
  const { problem, ...rest } = JSON.parse(written) as { problem: string };
  assert.deepEqual(rest, { level: 40, time, area: "FI", msg: "m" });
  assert.match(problem, /^no prices of FI, but of x+… \(633024 characters\)$/);
});

for (const [what, fields] of [
  ["many keys", { keys: Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, n])) }],
  [
    "too many long values",
    Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`v${n}`, "y".repeat(900)])),
  ],
  ["a value that is too long to read", { text: "z".repeat(limits.logRecordReadChars) }],
] as const) {
  test(`leaves out a record with ${what}, and says so`, () => {
    const line = record(fields);
    assert.deepEqual(JSON.parse(logRecord(line)), {
      level: 40,
      time,
      msg: `a record of ${line.length} characters is left out`,
    });
  });
}

test("cuts a list to its first items", () => {
  const items = Array.from({ length: 50_000 }, (_, n) => n);
  const { items: kept } = JSON.parse(logRecord(record({ items }))) as { items: unknown[] };
  assert.deepEqual(kept, [...items.slice(0, limits.logValueItems), "… (50000 items)"]);
});

test("hides a credential before it cuts anything", () => {
  const canary = "c4n4ry-".repeat(300);
  for (const field of [
    { password: canary },
    { text: `{"token":"${canary}"}` },
    { text: `Authorization: Bearer ${canary}` },
  ]) {
    const written = logRecord(record({ filler: "x".repeat(20_000), ...field }));
    assert.doesNotMatch(written, /c4n4ry/);
  }
});

test("a log reader besides the journal gets the same records", () => {
  const lines: string[] = [];
  const logger = createLogger("silent", { write: (line) => void lines.push(line) });
  logger.warn({ problem: "x".repeat(633_000) }, "prices cannot be read");
  assert.equal(lines.length, 1);
  assert.ok((lines[0]?.length ?? 0) <= limits.logRecordChars);
});
