import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { pace } from "./pace.ts";
import { createStore } from "./store.ts";
import { createSync, type Sync, type SyncPorts } from "./sync.ts";
import type { PollAnswer } from "./wire.ts";

/** A hub that answers from a list: a number is the timestamp of an idle answer, `busy` the ms to wait. */
function followed(answers: (number | "refused" | "away" | { readonly busy: number })[]): {
  sync: Sync;
  asked: number[];
  pauses: number[];
  end: Promise<void>;
} {
  const store = createStore();
  const [asked, pauses]: [number[], number[]] = [[], []];
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const ports: SyncPorts = {
    poll: async (cursor): Promise<PollAnswer | "refused" | "away" | number> => {
      asked.push(cursor);
      const answer = answers.shift();
      if (typeof answer === "number") return { timestamp: answer, full: false, polls: [] };
      if (typeof answer === "object") return answer.busy;
      if (answer !== undefined) return answer;
      sync.stop();
      resolve();
      return "away";
    },
    pause: async (ms) => void pauses.push(ms),
    breathe: () => undefined,
    awaits: () => false,
    now: () => 0,
    random: () => 0,
  };
  const sync = createSync(store, ports);
  return { sync, asked, pauses, end };
}

/** Follows a home that always has news for `most` polls, with a command during one. @returns the pauses between (ms) */
async function pausesOfBusy(of: {
  readonly most: number;
  readonly hurriedIn: number;
  readonly awaits: boolean;
}): Promise<readonly number[]> {
  const { most, hurriedIn, awaits } = of;
  const pauses: number[] = [];
  const { promise: end, resolve } = Promise.withResolvers<void>();
  let [polls, now] = [0, 0];
  const sync: Sync = createSync(createStore(), {
    poll: async () => {
      now++;
      if (++polls > most) {
        sync.stop();
        resolve();
        return "away";
      }
      if (polls === hurriedIn) sync.hurry();
      return { timestamp: polls, full: false, polls: [{ rooms: {} }] };
    },
    pause: async (ms) => void pauses.push(ms),
    breathe: () => undefined,
    awaits: () => awaits,
    now: () => now,
    random: () => 0,
  });
  sync.start();
  await end;
  return pauses;
}

describe("following a hub", () => {
  test("asks with the cursor of the last answer", async () => {
    const { sync, asked, end } = followed([5, 7]);
    sync.start();
    await end;
    assert.deepEqual(asked, [0, 5, 7]);
  });

  test("backs off while the hub is away, keeps the cursor, and is live again at the first answer", async () => {
    const { sync, asked, pauses, end } = followed([5, "away", "away", "away", 6]);
    const seen: string[] = [];
    sync.connection.subscribe((value) => void seen.push(value));
    sync.start();
    await end;
    assert.deepEqual(asked, [0, 5, 5, 5, 5, 6]);
    assert.deepEqual(pauses.slice(1, 4), [250, 500, 1000]);
    assert.deepEqual(seen, ["starting", "live", "offline", "live"]);
  });

  test("stays live while the hub is asked too often, and waits as long as it says", async () => {
    const { sync, pauses, end } = followed([5, { busy: 3000 }, 6]);
    const seen: string[] = [];
    sync.connection.subscribe((value) => void seen.push(value));
    sync.start();
    await end;
    assert.equal(pauses[1], 3000);
    assert.deepEqual(seen, ["starting", "live"]);
  });

  test("ends when the key is refused, until it is started again", async () => {
    const { sync, asked, end } = followed(["refused", 9]);
    sync.start();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([sync.connection.value, asked], ["refused", [0]]);
    sync.start();
    assert.equal(sync.connection.value, "starting");
    await end;
    assert.deepEqual(asked, [0, 0, 9]);
  });

  test("starts once, however often it is told to", async () => {
    const { sync, asked, end } = followed([5]);
    sync.start();
    sync.start();
    await end;
    assert.deepEqual(asked, [0, 5]);
  });

  test("goes on at once for two polls after a command, also in a home that always has news", async () => {
    const most = pace.burst + 6;
    const pauses = await pausesOfBusy({ most, hurriedIn: pace.burst + 3, awaits: true });
    // The polls of the burst, and the two after the command, wait for nothing.
    assert.equal(pauses.length, most - pace.burst - pace.hurried);
    assert.ok(pauses.every((ms) => ms > 0));
  });

  test("goes on at once for one poll after a command whose outcome it brings", async () => {
    const most = pace.burst + 6;
    const pauses = await pausesOfBusy({ most, hurriedIn: pace.burst + 3, awaits: false });
    assert.equal(pauses.length, most - pace.burst - 1);
  });

  test("asks sooner after a command", async () => {
    const { sync, pauses, end } = followed([5, 6]);
    sync.hurry();
    sync.start();
    await end;
    assert.deepEqual(pauses.slice(0, 2), [500, 500]);
  });
});
