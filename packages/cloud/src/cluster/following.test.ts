import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { memoryBus } from "@ledge/fleet";
import { createLogger } from "@ledge/host/logger";
import { type FollowingKernel, openFollower } from "@ledge/kernel";
import { memoryLog } from "@ledge/log";
import { limits } from "@ledge/model";
import { SimulatedClock, until } from "@ledge/testkit";
import type { CloudStates } from "../model/states.ts";
import { Following } from "./following.ts";
import { testLink } from "./test-nodes.ts";

function follow(
  writer: () => Promise<string | undefined>,
  readOn: () => Promise<boolean> = async () => false,
  onFatal: (error: Error) => void = assert.fail,
): { following: Following; clock: SimulatedClock } {
  const clock = new SimulatedClock();
  const following = new Following({
    readOn,
    take: async () => undefined,
    lead: () => assert.fail(),
    writer,
    link: testLink(),
    bus: memoryBus({ after: (ms, callback) => clock.after(ms, callback), onError: () => assert.fail() }),
    clock,
    logger: createLogger("silent"),
    onFatal,
  });
  return { following, clock };
}

test("changes that wait for a process that writes look it up together, and give up", async () => {
  let lookups = 0;
  const { following, clock } = follow(async () => {
    lookups++;
    // The database is away for a while.
    if (lookups % 2 === 0) throw new Error("no answer");
    return undefined;
  });
  const waiting = Array.from({ length: 100 }, () => following.submit({ origin: "system", commands: [] }));
  const settled = Promise.allSettled(waiting);
  await clock.pass(1000);
  assert.ok(lookups > 5 && lookups < 15, `${lookups}`);
  await clock.pass(limits.writerAbsentMs);
  for (const outcome of await settled)
    assert.match(
      String(outcome.status === "rejected" && outcome.reason),
      /no process of the cloud writes now/,
    );
  assert.equal(clock.waiting, 0);
});

/** Returns a kernel that follows, with an empty log. */
const kernelOf = (
  { following, clock }: ReturnType<typeof follow>,
  log = memoryLog(),
): FollowingKernel<CloudStates> =>
  openFollower<CloudStates>({
    log,
    aggregates: [],
    categories: [],
    reactions: [],
    epochEvent: "",
    clock,
    newId: randomUUID,
    timeTrusted: () => true,
    onFatal: assert.fail,
    pause: async () => {},
    release: "test",
    follows: (asked) => following.submit(asked),
  });

test("a read that waits until this process shows everything leaves no timer", async () => {
  const follower = follow(async () => undefined);
  const { following, clock } = follower;
  const kernel = kernelOf(follower);
  await following.begin(kernel, () => true);
  const before = clock.waiting;
  for (let count = 0; count < 3; count++) await following.fresh();
  assert.equal(kernel.health.state, "following");
  assert.equal(clock.waiting, before);
  following.stop();
  await kernel.close();
});

test("a process that its database does not answer says so after a while, and goes on with the next answer", async () => {
  const { promise: silence, resolve: answer } = Promise.withResolvers<void>();
  let isSilent = false;
  const follower = follow(
    async () => undefined,
    async () => {
      if (isSilent) await silence;
      return false;
    },
  );
  const { following, clock } = follower;
  const kernel = kernelOf(follower);
  await following.begin(kernel, () => true);
  await clock.pass(3 * limits.followMs);
  assert.ok(following.behindMs <= limits.followMs, `${following.behindMs}`);
  isSilent = true;
  await clock.pass(limits.followSilenceMs - limits.followMs);
  assert.equal(kernel.health.state, "following");
  await clock.pass(3 * limits.followMs);
  assert.equal(kernel.health.state, "read-only");
  assert.match(kernel.health.reason ?? "", /^the database has not answered for 1\d s$/);
  await assert.rejects(kernel.submit({ origin: "system", commands: [] }), { code: "read-only" });
  // Nobody waits for what does not come.
  await following.fresh();
  answer();
  await clock.pass(2 * limits.followMs);
  assert.equal(kernel.health.state, "following");
  assert.ok(following.behindMs <= limits.followMs, `${following.behindMs}`);
  following.stop();
  await kernel.close();
});

test("a process that ends while it reads the log ends well", async () => {
  const { promise: gate, resolve: answer } = Promise.withResolvers<boolean>();
  const faults: Error[] = [];
  const follower = follow(
    async () => undefined,
    () => gate,
    (error) => void faults.push(error),
  );
  const { following, clock } = follower;
  const log = memoryLog();
  const kernel = kernelOf(follower, log);
  await following.begin(kernel, () => true);
  await clock.pass(limits.followMs);
  following.stop();
  await kernel.close();
  await log.close();
  answer(true);
  await clock.pass(limits.followMs);
  assert.deepEqual([faults, clock.waiting], [[], 0]);
});

test("two readings never overlap, also when a change and a read wait for the same one", async () => {
  const writer = testLink();
  const call = async (): Promise<object> => ({ outcome: { accepted: true, timestamp: 5 } });
  writer.handle({ call, passed: () => assert.fail(), upgraded: () => assert.fail() });
  const address = await writer.listen("127.0.0.1", 0);
  const log = memoryLog();
  let [running, peak, isStored] = [0, 0, false];
  let open = Promise.resolve();
  const readOn = async (): Promise<boolean> => {
    const isFound = isStored;
    running += 1;
    peak = Math.max(peak, running);
    await open;
    await setImmediate();
    running -= 1;
    return isFound;
  };
  const follower = follow(async () => address, readOn);
  const { following } = follower;
  const kernel = kernelOf(follower, log);
  try {
    await following.begin(kernel, () => true);
    await until("nobody reads", () => running === 0);
    const gate = Promise.withResolvers<void>();
    open = gate.promise;
    const submitted = following.submit({ origin: "system", commands: [] });
    await until("the change is answered, and read", () => running === 1);
    const fresh = following.fresh();
    await log.append({ timestamp: 5, events: [] });
    isStored = true;
    gate.resolve();
    await Promise.all([submitted, fresh]);
    assert.equal(kernel.timestamp, 5);
    assert.equal(peak, 1);
  } finally {
    following.stop();
    await kernel.close();
    await writer.close();
  }
});
