import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sourceFlags } from "@ledge/testkit/programs";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { openLmdbLog } from "@ledge/log";

const child = join(import.meta.dirname, "clock-child.ts");
const hour = 3_600_000;
const year = 365 * 24 * hour;
const enoughCommits = 40;

interface Acknowledged {
  readonly timestamp: number;
  readonly room: string;
}

/** Runs a kernel on a folder with a wrong clock until it has made enough commits, then kills it. */
async function killedUnder(
  folder: string,
  offset: number,
  step: number,
  cursor: number,
): Promise<Acknowledged[]> {
  const args = [...sourceFlags, child, folder, ...[offset, step, cursor].map(String)];
  const kernel = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let [said, error] = ["", ""];
  const { promise: isEnough, resolve } = Promise.withResolvers<void>();
  kernel.stdout.on("data", (data) => {
    said += String(data);
    if (said.split("\n").length > enoughCommits) resolve();
  });
  kernel.stderr.on("data", (data) => (error += String(data)));
  const closed = once(kernel, "close");
  await Promise.race([isEnough, closed, setTimeout(120_000, undefined, { ref: false })]);
  kernel.kill("SIGKILL");
  await closed;
  assert.equal(error, "");
  const all = said
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split(" "));
  assert.ok(all.length >= enoughCommits, `only ${all.length} commits`);
  return all.map(([timestamp, room = ""]) => ({ timestamp: Number(timestamp), room }));
}

const cases: readonly [string, offset: (now: number) => number, step: (now: number) => number][] = [
  ["steps back an hour", () => 0, () => -hour],
  ["jumps a year ahead", () => 0, () => year],
  ["starts in 1970 and is set later", (now) => -now, (now) => now],
];

for (const [what, offset, step] of cases) {
  test(`keeps timestamps rising and polls right over kills when the clock ${what}`, async (context) => {
    const folder = mkdtempSync(join(tmpdir(), "ledge-clock-"));
    context.after(() => rmSync(folder, { recursive: true }));
    const all: Acknowledged[] = [];
    const now = Date.now();
    // The clock is right, wrong, and right again.
    for (const [off, by] of [
      [0, 0],
      [offset(now), step(now)],
      [0, 0],
    ] as const) {
      all.push(...(await killedUnder(folder, off, by, all.at(-1)?.timestamp ?? 0)));
    }
    for (const [index, { timestamp }] of all.entries()) {
      assert.ok(timestamp > (all[index - 1]?.timestamp ?? 0), `${timestamp} at ${index}`);
    }
    const log = await openLmdbLog({ folder });
    const rooms = new Map([...log.read()].map(({ timestamp, events }) => [events[0]?.id, timestamp]));
    for (const { room, timestamp } of all) assert.equal(rooms.get(room), timestamp);
    assert.deepEqual(log.verify().damage, []);
    await log.close();
  });
}
