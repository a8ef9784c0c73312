import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { test } from "node:test";
import { LogError, memoryLog, NoRoomError } from "@ledge/log";
import type { AnyDecider, Command, DomainEvent, Reaction } from "@ledge/model";
import { aggregates, defineEvent, limits, roles } from "@ledge/model";
import type { TestKernel, TestKernelOptions } from "@ledge/testkit";
import { Gate, openTestKernel, PollClient } from "@ledge/testkit";
import type { KernelErrorCode } from "./submission.ts";

const room = (name: string, id?: string) => ({ type: "CMD_ROOM", name, ...(id && { id }) });
const owner = { role: roles.OWNER_ADMIN, user: "owner", since: 0 };

const Broken = defineEvent("Broken", 1, {});

/**
 * An aggregate beside the model's. It throws in `decide`, or creates an event that throws in `evolve`, or an
 * unknown event.
 */
const faulty = {
  kind: "fault",
  commands: ["THROW", "BREAK", "UNKNOWN"],
  events: [Broken],
  target: () => "f",
  decide({ type }: { type: string }): DomainEvent[] {
    if (type === "THROW") throw new RangeError("thrown by a decider");
    return [{ type: type === "BREAK" ? "Broken" : "Unheard", id: "f" }];
  },
  evolve(): never {
    throw new TypeError("broken");
  },
} as unknown as AnyDecider;

function open(options: TestKernelOptions = {}): TestKernel & { disk: Gate; heard: string[] } {
  const disk = new Gate();
  const log = memoryLog({ flush: () => disk.pass() });
  const home = openTestKernel({ log, aggregates: [...aggregates, faulty], ...options });
  const heard: string[] = [];
  home.kernel.subscribe({
    published: ({ events }) => heard.push(`published ${events.length}`),
    failed: (events) => heard.push(`failed ${events.length}`),
  });
  return { disk, heard, ...home };
}

function rejects(promise: Promise<unknown>, code: KernelErrorCode): Promise<void> {
  return assert.rejects(promise, { name: "KernelError", code });
}

/** Makes the next write fail while a commit is in flight, another is decided on top of it, and more is queued. */
async function failMidway(code: "full" | "failed", options: TestKernelOptions = {}) {
  const home = open(options);
  const id = await home.accept(room("kept"));
  const { timestamp } = home.kernel;
  home.clock.advance(10_000);
  home.log.failNext(code);
  home.disk.close();
  const answers = [home.submit(room("lost", id))];
  await setImmediate();
  answers.push(home.submit(room("lost too")), home.submit({ type: "REMOVE_ROOM", id }));
  home.disk.open();
  return { ...home, id, before: timestamp, answers };
}

for (const [code, state, refusal, ends] of [
  ["failed", "failed", "failed", 1],
  ["full", "read-only", "read-only", 0],
] as const) {
  test(`shows nothing of a write that ends with ${code} and refuses further submissions`, async () => {
    const { kernel, log, answers, fatal, heard, submit, id, before } = await failMidway(code);
    const client = new PollClient();
    for (const answer of answers) await rejects(answer, refusal);
    assert.deepEqual(heard, ["published 1", "failed 3"]);
    assert.deepEqual([kernel.health.state, kernel.health.queued, fatal.length], [state, 0, ends]);
    assert.match(kernel.health.reason ?? "", /made to fail/);
    await rejects(submit(room("more")), refusal);
    assert.equal(fatal.length, ends, "onFatal is called at most once");

    assert.deepEqual([kernel.get("room", id)?.name, kernel.size("room")], ["kept", 1]);
    const answer = await client.poll(kernel, owner);
    assert.deepEqual([answer.timestamp, kernel.timestamp, log.last], [before, before, before]);
    assert.deepEqual(Object.keys(client.known["rooms"] ?? {}), [id]);
  });
}

test("restarts without a failed commit and with its timestamps free again", async () => {
  const home = await failMidway("failed");
  for (const answer of home.answers) await rejects(answer, "failed");
  home.clock.stepWall(-10_000);
  const again = home.restart();
  assert.deepEqual([again.kernel.timestamp, again.kernel.get("room", home.id)?.name], [home.before, "kept"]);
  const outcome = await again.submit(room("next", home.id));
  assert.ok(outcome.accepted);
  assert.equal(outcome.timestamp, home.before + 1);
});

test("closes the log without a snapshot after a full disk and after a broken one", async () => {
  for (const code of ["full", "failed"] as const) {
    const { kernel, log, answers } = await failMidway(code);
    await Promise.allSettled(answers);
    const size = log.stats().fileBytes;
    await kernel.close();
    assert.equal(kernel.health.state, "closed");
    assert.equal(log.stats().fileBytes, size);
    await assert.rejects(log.append({ timestamp: 1, events: [] }), { code: "closed" });
  }
});

test("ends closing when a write fails, and rejects the pending submissions", async () => {
  const home = open();
  home.disk.close();
  const answers = [home.submit(room("a"))];
  await setImmediate();
  answers.push(home.submit(room("b")));
  const closed = home.kernel.close();
  home.log.failNext("failed");
  home.disk.open();
  for (const answer of answers) await rejects(answer, "failed");
  await closed;
  assert.deepEqual([home.fatal.length, home.kernel.health.state], [1, "closed"]);
});

test("a throwing decider fails only its own submission", async () => {
  const home = open();
  const answers = [
    home.submit(room("a")),
    home.submit([room("b"), { type: "THROW" }]),
    home.submit(room("c")),
  ];
  await assert.rejects(answers[1] as Promise<unknown>, {
    name: "RangeError",
    message: "thrown by a decider",
  });
  await Promise.all([answers[0], answers[2]]);
  assert.deepEqual(
    [...home.kernel.all("room")].map(([, { name }]) => name),
    ["a", "c"],
  );
  assert.deepEqual([home.kernel.health.state, home.fatal], ["serving", []]);
});

test("does not leave the timestamp of a batch to a later one when a decider throws", async () => {
  const home = open();
  await assert.rejects(home.submit({ type: "THROW" }), RangeError);
  home.clock.advance(3_600_000);
  const outcome = await home.submit(room("a"));
  assert.ok(outcome.accepted);
  assert.equal(outcome.timestamp, home.clock.wall());
});

for (const type of ["BREAK", "UNKNOWN"]) {
  test(`ends the process at an event that cannot be applied (${type}), but keeps the commit in flight`, async () => {
    const home = open();
    home.disk.close();
    const inFlight = home.submit(room("a"));
    await setImmediate();
    const waiting = home.submit(room("b"));
    await assert.rejects(home.submit({ type }), { name: "EvolveError" });
    await rejects(waiting, "failed");
    await rejects(home.submit(room("c")), "failed");
    assert.deepEqual(
      [home.fatal.map(({ name }) => name), home.kernel.health.state],
      [["EvolveError"], "failed"],
    );
    home.disk.open();
    assert.ok((await inFlight).accepted);
    assert.deepEqual(
      [...home.kernel.all("room")].map(([, { name }]) => name),
      ["a"],
    );
    assert.deepEqual(home.heard, ["failed 1", "published 1"]);
    assert.equal(home.restart().kernel.size("room"), 1);
  });
}

test("fails the commit in flight too when its write fails while the process must end", async () => {
  const home = open();
  home.disk.close();
  home.log.failNext("failed");
  const inFlight = home.submit(room("a"));
  await setImmediate();
  await assert.rejects(home.submit({ type: "BREAK" }), { name: "EvolveError" });
  home.disk.open();
  await rejects(inFlight, "failed");
  assert.deepEqual([home.fatal.length, home.kernel.size("room"), home.heard], [1, 0, ["failed 1"]]);
});

test("ends the process when publishing a commit throws", async () => {
  const throwing = aggregates.map((decider) =>
    decider.kind === "room" && decider.delta
      ? {
          ...decider,
          delta: {
            ...decider.delta,
            readMask: (): never => {
              throw new TypeError("mask");
            },
          },
        }
      : decider,
  );
  const home = open({ aggregates: throwing });
  await rejects(home.submit(room("a")), "failed");
  assert.deepEqual(
    [home.fatal.map(({ message }) => message), home.kernel.health.state],
    [["mask"], "failed"],
  );
});

test("refuses a commit that is too large and goes on", async () => {
  const home = open();
  await home.accept(room("a"));
  const value = "x".repeat(limits.commitBytes);
  const store = { type: "STORE_VALUE", id: "sim", key: "k", value };
  const beside = home.submit(room("b"));
  await rejects(home.submit(store), "failed");
  await rejects(beside, "failed");
  assert.deepEqual([home.kernel.health.state, home.fatal, home.kernel.health.queued], ["serving", [], 0]);
  await home.accept(room("c"));
  assert.deepEqual(
    [...home.kernel.all("room")].map(([, { name }]) => name),
    ["a", "c"],
  );
  assert.deepEqual(home.heard, ["published 1", "failed 2", "published 1"]);
});

/**
 * Returns a reaction that follows a room with more commands than one commit takes. The last ones carry values of
 * this many characters.
 */
function many(lastChars: number): Reaction {
  const count = limits.cascadeCommands + 10;
  const store = (at: number): Command => {
    const value = "x".repeat(at < limits.cascadeCommands ? 0 : lastChars);
    return { type: "STORE_VALUE", id: `a${at}`, key: "k", value } as Command;
  };
  return {
    name: "many",
    on: ["RoomCreated"],
    react: () => Array.from({ length: count }, (_, at) => store(at)),
  };
}

test("resumes a cascade that a full disk stopped when there is room again", async () => {
  const home = open({ reactions: [many(1)] });
  home.disk.close();
  const answer = home.submit(room("a"));
  await setImmediate();
  home.log.append = () => Promise.reject(new NoRoomError("no room"));
  home.disk.open();
  assert.ok((await answer).accepted);
  await home.clock.pass(0);
  assert.deepEqual([home.kernel.health.state, home.kernel.size("cascade")], ["read-only", 1]);
  Reflect.deleteProperty(home.log, "append");
  home.kernel.resume();
  await home.clock.pass(0);
  assert.deepEqual(
    [home.kernel.size("adapter"), home.kernel.size("cascade")],
    [limits.cascadeCommands + 10, 0],
  );
});

test("drops a cascade that is too large for a commit, and goes on", async () => {
  // Ten such values fit into one commit as commands, but not together with their events.
  const home = open({ reactions: [many(Math.floor(limits.commitBytes / 10) - 20_000)] });
  const heavy = { type: "STORE_VALUE", id: "sim", key: "k", value: "x".repeat(limits.commitBytes / 2) };
  home.disk.close();
  const answer = home.submit(room("a"));
  await setImmediate();
  const beside = home.submit(heavy, { quiet: true });
  home.disk.open();
  assert.ok((await answer).accepted);
  await rejects(beside, "failed");
  await home.clock.pass(0);
  assert.deepEqual([home.kernel.size("cascade"), home.kernel.size("adapter")], [0, limits.cascadeCommands]);
  await home.accept(room("b"));
});

test("fires timers again when the commit of their firing was lost", async () => {
  const home = open();
  await home.accept({ type: "SET_TIMER", id: "t", durationMs: 1000, late: "fire" });
  const large = { type: "STORE_VALUE", id: "sim", key: "k", value: "x".repeat(limits.commitBytes) };
  const lost = home.submit(large, { quiet: true });
  home.clock.advance(1000);
  await rejects(lost, "failed");
  assert.ok(home.kernel.get("timer", "t"));
  await home.clock.pass(0);
  assert.deepEqual([home.kernel.get("timer", "t"), home.kernel.health.state], [undefined, "serving"]);
});

test("ends closing when the last commit is too large", async () => {
  const home = open();
  const store = { type: "STORE_VALUE", id: "sim", key: "k", value: "x".repeat(limits.commitBytes) };
  const lost = home.submit(store);
  await Promise.all([home.kernel.close(), rejects(lost, "failed")]);
  assert.equal(home.kernel.health.state, "closed");
});

for (const [code, state, ends] of [
  ["full", "read-only", 0],
  ["failed", "failed", 1],
  ["damaged", "failed", 1],
] as const) {
  test(`a snapshot that ends with ${code} turns the kernel ${state}`, async () => {
    const home = open({ snapshotCommits: 2 });
    home.log.saveSnapshot = () => Promise.reject(new LogError(code, "no snapshot"));
    await home.accept(room("a"));
    await home.accept(room("b"));
    await home.clock.pass(0);
    assert.deepEqual([home.kernel.health.state, home.kernel.health.reason], [state, "no snapshot"]);
    assert.equal(home.fatal.length, ends);
  });
}

test("goes on unchanged when there was no room for a snapshot", async () => {
  const home = open({ snapshotCommits: 1 });
  home.log.saveSnapshot = () => Promise.reject(new NoRoomError("no room"));
  await home.accept(room("a"));
  await home.clock.pass(0);
  assert.deepEqual([home.kernel.health.state, home.fatal], ["serving", []]);
});

test("keeps the commit in flight when a snapshot fails", async () => {
  const home = open({ snapshotCommits: 1 });
  const snapshot = new Gate();
  snapshot.close();
  home.log.saveSnapshot = async () => {
    await snapshot.pass();
    throw new LogError("failed", "no snapshot");
  };
  await home.accept(room("a"));
  home.disk.close();
  const inFlight = home.submit(room("b"));
  await setImmediate();
  const waiting = home.submit(room("c"));
  snapshot.open();
  await rejects(waiting, "failed");
  assert.deepEqual([home.kernel.health.state, home.fatal.length], ["failed", 1]);
  home.disk.open();
  assert.ok((await inFlight).accepted);
  assert.deepEqual([home.kernel.size("room"), home.heard], [2, ["published 1", "failed 1", "published 1"]]);
});

test("writes the next snapshot after one failed", async () => {
  const home = open();
  await home.accept(room("a"));
  home.log.saveSnapshot = () => Promise.reject(new Error("once"));
  await assert.rejects(home.kernel.sync(), { message: "once" });
  Reflect.deleteProperty(home.log, "saveSnapshot");
  await home.kernel.sync();
});
