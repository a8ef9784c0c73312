import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Filled } from "./child.ts";
import { cutAt, said } from "./cut.ts";
import { type Operation, operationsOf } from "./operations.ts";
import { type Conditions, type Ended, lastLineOf, Runner, traceOf } from "./process.ts";
import { seeded } from "./random.ts";
import { homeIn, looked } from "./scenarios.ts";

/** How often to try each fault, each time at another place. */
const rounds = Number(process.env["ROUNDS"] ?? 1);
const seed = process.env["SEED"] ?? String(Date.now() % 2 ** 31);
const random = seeded(seed);
const folder = mkdtempSync(join(tmpdir(), "ledge-faults-"));
after(() => rmSync(folder, { recursive: true }));
const runner = new Runner(folder);
const { ENOSPC, EIO } = constants.errno;

const some = (choose: () => number): number[] => Array.from({ length: rounds }, choose);
const sound = { lost: [], corrupt: [], isLoop: false };
const from = (what: "write" | "flush", first: number, errno: number, count = 1_000_000): Conditions => ({
  fault: { what, from: first, count, errno },
});

/** Fills the log of a home until an append fails. */
async function fill(home: string, conditions: Conditions, trace: string): Promise<Filled> {
  return filledOf(
    await runner.run(["fill", home, "1", String(random.below(2 ** 31))], home, trace, conditions),
  );
}

function filledOf(ended: Ended): Filled {
  return (lastLineOf(ended) as Filled | undefined) ?? assert.fail(JSON.stringify(ended));
}

/** Fills the log of a home until an append fails. Returns undefined when the process died then. */
async function fillOrDie(home: string, conditions: Conditions, trace: string): Promise<Filled | undefined> {
  const ended = await runner.run(["fill", home, "1", String(random.below(2 ** 31))], home, trace, conditions);
  if (ended.signal === null) return filledOf(ended);
  // lmdb 3.5.6 does not survive every failed write. Nothing else excuses a signal.
  assert.ok(["SIGABRT", "SIGSEGV"].includes(ended.signal), JSON.stringify(ended));
  assert.ok(hasFailedInLmdb(operationsOf(traceOf(trace))), JSON.stringify(ended));
  return undefined;
}

/** Whether writing or extending an LMDB file failed. */
function hasFailedInLmdb(operations: readonly Operation[]): boolean {
  const failed = new Set(
    operations.flatMap((one) => (one.kind === "end" && one.result < 0 ? [one.ticket] : [])),
  );
  return operations.some(
    (one) =>
      (one.kind === "write" || one.kind === "truncate") &&
      one.name.endsWith(".mdb") &&
      failed.has(one.ticket),
  );
}

function assertRefuses(filled: Filled, code: string): void {
  // Failures during opening are not always classified.
  const codes = new Set(filled.codes.filter((one) => filled.opened || one !== "failed"));
  if (filled.opened || codes.size > 0) assert.deepEqual([...codes], [code]);
  if (!filled.opened) return;
  assert.deepEqual([filled.lost, filled.corrupt], [[], []]);
  // A smaller commit may fit where a larger one did not.
  if (code === "failed") assert.equal(filled.acknowledgedLater, 0);
}

/** The room from which on a log is created. */
const roomToBegin = 24 * 1024 * 1024;

const spaces = [
  ...some(() => random.below(roomToBegin)),
  ...some(() => roomToBegin + random.below(roomToBegin)),
];
for (const space of [0, roomToBegin, ...spaces]) {
  test(`loses nothing when it fills a disk of ${space} bytes (SEED=${seed})`, async () => {
    const home = homeIn(join(folder, `space-${space}`));
    const trace = `${home}.trace`;
    const filled = await fill(home, { space }, trace);
    assert.equal(filled.opened, space >= roomToBegin);
    assertRefuses(filled, "full");
    assert.ok(!hasFailedInLmdb(operationsOf(traceOf(trace))), "LMDB never meets a full disk");
    assert.deepEqual(await looked(runner, home, 2, random), sound, "there is room again");
  });
}

// The first writes create the files; later ones are commits, moves and the journal's.
for (const first of [
  0,
  1,
  4,
  9,
  12,
  ...some(() => 20 + random.below(40)),
  ...some(() => 60 + random.below(500)),
]) {
  test(`loses nothing when writes fail from number ${first} on despite reported room (SEED=${seed})`, async () => {
    const home = homeIn(join(folder, `fails-${first}`));
    const filled = await fillOrDie(home, from("write", first, ENOSPC), `${home}.trace`);
    if (filled !== undefined) assertRefuses(filled, "failed");
    assert.deepEqual(await looked(runner, home, 2, random), sound, "there is room again");
  });
}

test("can open a log whose creation a power cut interrupted", async () => {
  const home = homeIn(join(folder, "made"));
  await runner.run(["write", home, "1", seed], home, `${home}.trace`, { killAt: 30 });
  const operations = operationsOf(traceOf(`${home}.trace`));
  const made = operations.findIndex(
    ({ kind, ...at }) => kind === "write" && "name" in at && at.name !== said,
  );
  const first = operations[made];
  assert.ok(first?.kind === "write");
  const halfMade = Array.from({ length: 100 }, (_, number) =>
    cutAt(new Map(), operations, made + 1 + (number % 5), seeded(`made ${number}`)),
  ).filter((files) => {
    const content = Buffer.from(files.get(first.name) ?? "").subarray(0, first.bytes.length);
    return content.length > 0 && !content.equals(first.bytes);
  });
  assert.ok(halfMade.length > 5);
  for (const [number, files] of halfMade.slice(0, 6).entries()) {
    assert.deepEqual(await looked(runner, homeIn(`${home}-${number}`, files), 2, random), sound);
  }
});

test(`opens and reads a log on a full disk (SEED=${seed})`, async () => {
  const home = homeIn(join(folder, "opened-full"));
  const killAt = 100 + random.below(900);
  await runner.run(["write-steadily", home, "1", seed], home, `${home}.trace`, { killAt });
  const full = join(folder, "opened-full-copy");
  cpSync(home, full, { recursive: true });
  const filled = await fill(full, { space: 0 }, `${full}.trace`);
  assert.ok(filled.opened, JSON.stringify(filled));
  assertRefuses(filled, "full");
  rmSync(join(full, "log", "lock.mdb"));
  const unlocked = await fill(full, { space: 0 }, `${full}.unlocked`);
  assert.deepEqual(
    [unlocked.opened, unlocked.codes],
    [false, ["full"]],
    "LMDB would die without room for its table of readers",
  );
  assert.deepEqual(await looked(runner, full, 3, random), sound, "there is room again");
});

for (const first of [
  0,
  1,
  2,
  3,
  5,
  8,
  ...some(() => 20 + random.below(40)),
  ...some(() => 60 + random.below(200)),
]) {
  test(`a single failure of flush ${first} is final (SEED=${seed})`, async () => {
    const home = homeIn(join(folder, `failed-${first}`));
    const trace = `${home}.trace`;
    const filled = await fill(home, from("flush", first, EIO, 1), trace);
    assertRefuses(filled, "failed");
    // A power cut now loses what the failed flush should have written.
    const operations = operationsOf(traceOf(trace));
    assert.ok(operations.some(({ kind }) => kind === "lose"));
    const left = cutAt(new Map(), operations, operations.length, random);
    assert.deepEqual(await looked(runner, homeIn(`${home}-cut`, left), 2, random), sound);
  });
}
