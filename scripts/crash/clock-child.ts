/*
 * A kernel over the durable log with a wrong wall clock: `<folder> <offset> <step> <cursor>`, in ms. The clock is
 * off by `offset`, and after a while by `step` more. It prints its acknowledged commits, one `<timestamp> <room>`
 * per line, until it is killed.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { type Kernel, openKernel, systemClock } from "@ledge/kernel";
import { openLmdbLog } from "@ledge/log";
import { aggregates, categories, EpochOpened } from "@ledge/model";
import { PollClient, pollOnce } from "@ledge/testkit";

const viewer = { role: 64, user: null, since: 0 };
const trustedSince = Date.UTC(2020, 0, 1);
const commitsBeforeStep = 15;

async function openUnder(folder: string, wall: () => number): Promise<Kernel> {
  return openKernel({
    log: await openLmdbLog({ folder }),
    aggregates,
    categories,
    reactions: [],
    epochEvent: EpochOpened.type,
    clock: { ...systemClock, wall },
    newId: randomUUID,
    timeTrusted: () => wall() > trustedSince,
    onFatal: (error) => {
      throw error;
    },
    pause: () => setImmediate(),
    release: "crash",
  });
}

async function main(): Promise<void> {
  const [folder = "", ...numbers] = process.argv.slice(2);
  const [offset = 0, step = 0, cursor = 0] = numbers.map(Number);
  let off = offset;
  const kernel = await openUnder(folder, () => Date.now() + off);
  const kept = await pollOnce((request) => kernel.poll(request), {
    viewer,
    cursors: { ts: cursor },
    language: "en",
  });
  assert.equal(kept.full, cursor === 0, "a client's cursor survives the restart");
  assert.ok(kept.timestamp >= cursor);
  const client = new PollClient();
  for (let number = 0; ; number++) {
    if (number === commitsBeforeStep) off += step;
    const command = { type: "CMD_ROOM", name: `room ${number}` };
    const outcome = await kernel.submit({ commands: [command], origin: "system" });
    assert.ok(outcome.accepted);
    const [result] = outcome.results;
    assert.ok(result?.rejection === undefined);
    const { full, timestamp } = await client.poll(kernel, viewer);
    assert.equal(full, number === 0, "a client gets the changes and no more");
    assert.equal(timestamp, kernel.timestamp);
    if (number % 10 === 9) {
      const other = new PollClient();
      await other.poll(kernel, viewer);
      assert.deepEqual(client.known, other.known);
    }
    writeSync(1, `${timestamp} ${result?.id}\n`);
  }
}

await main();
