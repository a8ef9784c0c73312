import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryLog } from "@ledge/log";
import { commitOf, findingsOf, lines, saidOf, snapshotFormat, snapshotRows, stays } from "./commits.ts";
import { sabotaged } from "./sabotage.ts";

const offered = lines.offer({ session: 1, first: 1, end: 4 });
const acknowledged = [1, 2, 3].map((timestamp) => lines.acknowledged(1, timestamp)).join("");

/** Returns the findings for a log with these commits, each given by session and timestamp. */
async function found(
  text: string,
  ...commits: readonly (readonly [session: number, timestamp: number])[]
): Promise<string> {
  const log = memoryLog();
  for (const [session, timestamp] of commits) await log.append(commitOf(session, timestamp));
  const { lost, corrupt } = findingsOf(log, saidOf(text));
  return [...lost.map((one) => `lost: ${one}`), ...corrupt].join("; ");
}

const whole = [
  [1, 1],
  [1, 2],
  [1, 3],
] as const;

test("accepts a log with everything acknowledged, or a little more", async () => {
  assert.equal(await found(offered + acknowledged, ...whole), "");
  assert.equal(await found(offered + lines.acknowledged(1, 1), ...whole), "");
  assert.equal(await found(""), "");
});

test("finds each kind of fault", async () => {
  const cases: readonly [string, Promise<string>, RegExp][] = [
    ["lost", found(offered + acknowledged, [1, 1], [1, 2]), /^lost: 3 is missing$/],
    ["a gap", found(offered, [1, 1], [1, 3]), /3 follows 1/],
    ["invented", found(offered, ...whole, [1, 4]), /4 was never offered by session 1/],
    [
      "of another session",
      found(offered + acknowledged + offered.replace("1", "2"), [2, 1], [2, 2], [2, 3]),
      /lost: 1 belongs to session 2/,
    ],
    ["shown and gone", found(offered + lines.seen(3), [1, 1]), /lost: 3 was shown, but the log ends at 1/],
    ["a lost snapshot", found(offered + lines.snapshot(2), ...whole), /no snapshot, but 2 was acknowledged/],
  ];
  for (const [what, finding, pattern] of cases) assert.match(await finding, pattern, what);
});

test("finds an older snapshot, and one with other rows", async () => {
  const log = memoryLog();
  for (const [session, timestamp] of whole) await log.append(commitOf(session, timestamp));
  await log.saveSnapshot({ timestamp: 2, format: snapshotFormat, rows: snapshotRows(2) });
  assert.deepEqual(findingsOf(log, saidOf(offered + lines.snapshot(2))).corrupt, []);
  assert.match(String(findingsOf(log, saidOf(offered + lines.snapshot(3))).corrupt), /snapshot 2, but 3/);
  await log.saveSnapshot({ timestamp: 2, format: snapshotFormat, rows: snapshotRows(1) });
  assert.match(String(findingsOf(log, saidOf(offered)).corrupt), /snapshot 2 has another content/);
});

test("requires exactly the kept commits and a base up to the horizon", async () => {
  const first = Array.from({ length: 50 }, (_, i) => i + 1).find(stays);
  const keeps: readonly [(timestamp: number) => boolean, RegExp][] = [
    [stays, /^$/],
    [(timestamp) => stays(timestamp) && timestamp !== first, new RegExp(`lost: ${first} is missing`)],
    [() => true, /is below the horizon 50 but was not removed/],
  ];
  for (const [keep, pattern] of keeps) {
    const log = memoryLog();
    for (let timestamp = 1; timestamp <= 60; timestamp++) await log.append(commitOf(1, timestamp));
    const base = { timestamp: 50, format: snapshotFormat, rows: snapshotRows(50) };
    await log.compact({ horizon: 50, keep, base, pause: () => Promise.resolve() });
    const said = lines.offer({ session: 1, first: 1, end: 61 }) + lines.acknowledged(1, first ?? 0);
    const { lost, corrupt } = findingsOf(log, saidOf(said + lines.horizon(50)));
    assert.match([...lost.map((one) => `lost: ${one}`), ...corrupt].join("; "), pattern);
    assert.match(String(findingsOf(log, saidOf(lines.horizon(51))).corrupt), /horizon is 50, but 51/);
  }
});

test("rejects a sabotage whose text is not found exactly once", () => {
  const sabotage = { file: "x.ts", find: "a > b", replace: "false" };
  assert.equal(sabotaged("if (a > b) {}", sabotage), "if (false) {}");
  assert.throws(() => sabotaged("if (a < b) {}", sabotage), /x\.ts must contain exactly once: a > b/);
  assert.throws(() => sabotaged("a > b; a > b", sabotage), /exactly once/);
});
