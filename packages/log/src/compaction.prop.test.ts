import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { Commit, LoggedEvent } from "@ledge/model";
import { indexIn } from "@ledge/model";
import fc from "fast-check";
import type { EventLog } from "./event-log.ts";
import { type MemoryLog, memoryLog } from "./memory-log.ts";

/**
 * The number of events of each commit, grouped by block. Below, one or more compactions: how far they go, as a
 * part of the log, and which events stay.
 */
const history = fc.array(fc.array(fc.nat(4), { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 8 });
/** fast-check's doubles are mostly close to 0. */
const partOf = fc.nat(99).map((percent) => percent / 100);
const compaction = fc.record({ part: partOf, stays: fc.nat(7) });
const compactions = fc.array(compaction, { minLength: 1, maxLength: 3 });

async function logOf(blocks: readonly (readonly number[])[]): Promise<{ log: MemoryLog; commits: Commit[] }> {
  const log = memoryLog();
  const commits: Commit[] = [];
  for (const block of blocks) {
    const of = block.map((count) => {
      const timestamp = (commits.at(-1)?.timestamp ?? 0) + 1 + count;
      const events = Array.from({ length: count }, (_, index): LoggedEvent => {
        return { type: "Noted", id: `${timestamp}-${index}`, version: 1, origin: "device", depth: 0 };
      });
      commits.push({ timestamp, events });
      return log.append({ timestamp, events });
    });
    await Promise.all(of);
  }
  return { log, commits };
}

/** The reference and the id of each event. */
function linesOf(commit: Commit): string[] {
  return commit.events.map(({ id }, place) => `${commit.timestamp}-${indexIn(commit, place)} ${id}`);
}

const contentOf = (log: EventLog): string[] => [...log.read()].flatMap(linesOf);

async function compactAll(
  log: MemoryLog,
  steps: readonly { part: number; stays: number }[],
): Promise<Set<string>> {
  const gone = new Set<string>();
  for (const { part, stays } of steps) {
    const horizon = await log.boundary(Math.floor(log.last * part), Number.MAX_SAFE_INTEGER, setImmediate);
    const keep = (timestamp: number, index: number): boolean => {
      const isKept = (timestamp * 3 + index * 5 + stays) % 8 > 2;
      if (!isKept) gone.add(`${timestamp}-${index}`);
      return isKept;
    };
    await log.compact({
      horizon,
      keep,
      base: { timestamp: horizon, format: "x", rows: [] },
      pause: setImmediate,
    });
  }
  return gone;
}

test("keeps the remaining events under their own references, in a whole chain", async () => {
  await fc.assert(
    fc.asyncProperty(history, compactions, async (blocks, steps) => {
      const { log, commits } = await logOf(blocks);
      const before = contentOf(log);
      const gone = await compactAll(log, steps);
      const left = before.filter((line) => !gone.has(line.split(" ")[0] as string));
      for (const one of [log, log.clone()]) {
        assert.deepEqual(contentOf(one), left);
        assert.deepEqual(one.verify().damage, []);
        assert.equal(one.last, commits.at(-1)?.timestamp);
        await one.append({ timestamp: one.last + 1, events: [] });
        assert.deepEqual(one.clone().verify().damage, []);
      }
    }),
  );
});

test("finds every flipped bit of a compacted log, and reads nothing wrong", async () => {
  await fc.assert(
    fc.asyncProperty(history, compactions, partOf, fc.nat(7), async (blocks, steps, at, bit) => {
      const { log } = await logOf(blocks);
      await compactAll(log, steps);
      const whole = contentOf(log);
      log.damage(Math.floor(at * log.blockBytes), bit);
      assert.ok(log.verify().damage.length > 0);
      const lines: string[] = [];
      assert.throws(
        () => {
          for (const commit of log.read()) lines.push(...linesOf(commit));
        },
        { name: "LogError", code: "damaged" },
      );
      assert.deepEqual(lines, whole.slice(0, lines.length));
    }),
  );
});
