import assert from "node:assert/strict";
import { test } from "node:test";
import type { Commit } from "@ledge/model";
import fc from "fast-check";
import { type EventLog, LogError } from "./event-log.ts";
import { type MemoryLog, memoryLog } from "./memory-log.ts";

/** The text sizes of commits, grouped by block. */
const shape = fc.array(fc.array(fc.nat(60), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 });
const damage = fc.oneof(
  fc.record({
    kind: fc.constant("flip" as const),
    at: fc.double({ min: 0, max: 0.999999, noNaN: true }),
    bit: fc.nat(7),
  }),
  fc.record({ kind: fc.constant("tear" as const), at: fc.double({ min: 0, max: 0.999999, noNaN: true }) }),
);

async function logOf(blocks: readonly (readonly number[])[]): Promise<{ log: MemoryLog; commits: Commit[] }> {
  const log = memoryLog();
  const commits: Commit[] = [];
  for (const block of blocks) {
    const of = block.map((size) => {
      const timestamp = (commits.at(-1)?.timestamp ?? 0) + 1 + size;
      const event = {
        type: "Noted",
        id: "x",
        version: 1,
        origin: "device",
        depth: 0,
        text: "ä".repeat(size),
      } as const;
      commits.push({ timestamp, events: [event] });
      return log.append({ timestamp, events: [event] });
    });
    await Promise.all(of);
  }
  return { log, commits };
}

/** Reads commits until the end or the damage, and whether the log reported damage. */
function readAll(log: EventLog): { read: Commit[]; isDamaged: boolean } {
  const read: Commit[] = [];
  try {
    for (const commit of log.read()) read.push(commit);
  } catch (error) {
    assert.ok(error instanceof LogError && error.code === "damaged", String(error));
    return { read, isDamaged: true };
  }
  return { read, isDamaged: false };
}

test("never reads damage as a commit, nor a damaged log as whole", async () => {
  await fc.assert(
    fc.asyncProperty(shape, fc.array(damage, { minLength: 1, maxLength: 3 }), async (blocks, damages) => {
      const { log, commits } = await logOf(blocks);
      const whole = log.stats().fileBytes;
      for (const { at, ...one } of damages) {
        const left = log.stats().fileBytes;
        if (one.kind === "tear") log.tear(Math.floor(at * left));
        else if (left > 0) log.damage(Math.floor(at * left), one.bit);
      }

      const { read, isDamaged } = readAll(log);
      assert.deepEqual(read, commits.slice(0, read.length));
      // Two flips of the same bit leave a whole log.
      assert.ok(isDamaged || (read.length === commits.length && log.stats().fileBytes === whole));
      assert.equal(log.verify().damage.length > 0, isDamaged);
    }),
  );
});

test("opens a damaged log with a prefix, reports the cut, and accepts commits again", async () => {
  await fc.assert(
    fc.asyncProperty(shape, damage, async (blocks, one) => {
      const { log, commits } = await logOf(blocks);
      const at = Math.floor(one.at * log.stats().fileBytes);
      if (one.kind === "tear") log.tear(at);
      else log.damage(at, one.bit);

      let opened: MemoryLog;
      try {
        opened = log.clone();
      } catch (error) {
        assert.ok(error instanceof LogError && error.code === "damaged", String(error));
        return;
      }
      const { read, isDamaged } = readAll(opened);
      assert.deepEqual(read, commits.slice(0, read.length));
      if (isDamaged) return;
      assert.equal(opened.last, read.at(-1)?.timestamp ?? 0);
      if (one.kind === "flip") assert.equal(opened.recovered === undefined, read.length === commits.length);
      await opened.append({ timestamp: opened.last + 1, events: [] });
      assert.deepEqual(opened.clone().verify().damage, []);
    }),
  );
});
