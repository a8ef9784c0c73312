import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { test } from "node:test";
import { memoryLog } from "@ledge/log";
import type { Command, Reaction } from "@ledge/model";
import { limits } from "@ledge/model";
import type { TestKernel, TestKernelOptions } from "@ledge/testkit";
import { addLamp, Gate, openTestKernel } from "@ledge/testkit";
import type { Submission } from "./submission.ts";

const room = (name: string, id?: string) => ({ type: "CMD_ROOM", name, ...(id && { id }) });
const lamp = addLamp();
const quiet: Partial<Submission> = { origin: "device", quiet: true };
const windowMs = limits.telemetryWindowMs;

/** Opens a kernel over a disk that the gate slows down. */
function openSlow(options: TestKernelOptions = {}): TestKernel & { disk: Gate } {
  const disk = new Gate();
  return { disk, ...openTestKernel({ log: memoryLog({ flush: () => disk.pass() }), ...options }) };
}

/** Returns the commits of the log, each as the names or types of its events. */
function commits({ log }: TestKernel, after = 0): string[][] {
  return [...log.read(after)].map(({ events }) =>
    events.map((event) => (event as { name?: string }).name ?? event.type),
  );
}

/** Returns the current state of a promise: `pending`, `fulfilled` or `rejected`. */
async function stateOf(promise: Promise<unknown>): Promise<string> {
  const states = promise.then(
    () => "fulfilled",
    () => "rejected",
  );
  await setImmediate();
  return Promise.race([states, Promise.resolve("pending")]);
}

test("shows and answers nothing before it is on disk", async () => {
  const { kernel, submit, disk } = openSlow();
  disk.close();
  const answer = submit(room("Hall"));
  assert.equal(await stateOf(answer), "pending");
  assert.deepEqual([kernel.size("room"), kernel.timestamp, kernel.health.queued], [0, 0, 1]);
  disk.open();
  const outcome = await answer;
  assert.ok(outcome.accepted);
  assert.deepEqual([kernel.size("room"), kernel.timestamp, kernel.health.queued], [1, outcome.timestamp, 0]);
  assert.equal(kernel.log.last, outcome.timestamp);
});

test("commits the submissions of one turn together, and those during a commit in the next one", async () => {
  const home = openSlow();
  home.disk.close();
  const first = [home.submit(room("a")), home.submit(room("b"))];
  await setImmediate();
  const second = [home.submit(room("c")), home.submit(room("d"))];
  await setImmediate();
  const third = home.submit(room("e"));
  home.disk.step();
  await Promise.all(first);
  home.disk.open();
  await Promise.all([...second, third]);
  assert.deepEqual(commits(home), [
    ["a", "b"],
    ["c", "d", "e"],
  ]);
  assert.equal(home.kernel.health.commits, 2);
});

test("decides over the commit that is on its way to the disk", async () => {
  const home = openSlow();
  const id = await home.accept(room("a"));
  home.disk.close();
  const removal = home.submit({ type: "REMOVE_ROOM", id });
  await setImmediate();
  const rename = home.submit(room("b", id));
  assert.equal(home.kernel.size("room"), 1, "readers see what is durable");
  assert.equal(await stateOf(rename), "pending", "a refusal based on the commit in flight waits for it");
  home.disk.open();
  assert.ok((await removal).accepted);
  const refused = await rename;
  assert.ok(!refused.accepted);
  assert.equal(refused.rejection.rejected, "not-found");
});

test("answers a submission without effect at once, or after the commit that it relies on", async () => {
  const home = openSlow();
  const id = await home.accept(room("a"));
  home.clock.advance(500);
  const same = await home.submit(room("a", id));
  assert.ok(same.accepted);
  assert.deepEqual([same.timestamp, same.results], [home.kernel.timestamp, [{ id, events: 0 }]]);
  home.disk.close();
  const rename = home.submit(room("b", id));
  await setImmediate();
  const again = home.submit(room("b", id));
  assert.equal(await stateOf(again), "pending");
  home.disk.open();
  const renamed = await rename;
  const outcome = await again;
  assert.ok(renamed.accepted && outcome.accepted);
  assert.equal(outcome.timestamp, renamed.timestamp, "every answered timestamp is in the log");
  assert.equal(home.log.last, renamed.timestamp);
});

async function homeWithLamp(options: TestKernelOptions = {}) {
  const home = openSlow(options);
  const id = await home.accept(lamp);
  const since = home.kernel.timestamp;
  const report = (attributes: object, how: Partial<Submission> = quiet) =>
    home.submit({ type: "REPORT_DEVICE", id, attributes, at: 5 }, how);
  return { ...home, id, since, report };
}

test("holds quiet telemetry for the window of the first report only", async () => {
  const home = await homeWithLamp();
  const first = home.report({ brightness: 0.1 });
  home.clock.advance(windowMs - 1);
  const second = home.report({ brightness: 0.2 });
  assert.equal(await stateOf(first), "pending");
  assert.equal(home.clock.waiting, 2, "one window, beside the check of the clock");
  home.clock.advance(1);
  await Promise.all([first, second]);
  assert.deepEqual(commits(home, home.since), [["DeviceReported", "DeviceReported"]]);
  home.clock.advance(10 * windowMs);
  assert.equal(home.kernel.health.queued, 0);
});

test("commits earlier telemetry along with the first urgent event, in order", async () => {
  const home = await homeWithLamp();
  const told: number[] = [];
  const answers = [
    home.report({ brightness: 0.1 }).then(() => told.push(1)),
    home.report({ brightness: 0.2 }).then(() => told.push(2)),
    home.report({ isOn: true }, { origin: "device" }).then(() => told.push(3)),
    home.report({ brightness: 0.3 }).then(() => told.push(4)),
  ];
  await Promise.all(answers);
  assert.deepEqual(told, [1, 2, 3, 4]);
  const [commit] = [...home.log.read(home.since)];
  assert.deepEqual(
    commit?.events.map((event) => (event as unknown as { attributes: object }).attributes),
    [{ brightness: 0.1 }, { brightness: 0.2 }, { isOn: true }, { brightness: 0.3 }],
  );
});

test("gives a batch its timestamp when it opens", async () => {
  const home = await homeWithLamp();
  home.clock.advance(1000);
  const opened = home.clock.wall();
  const answer = home.report({ brightness: 0.1 });
  home.clock.advance(windowMs);
  assert.equal(((await answer) as { timestamp: number }).timestamp, opened);
});

test("answers telemetry without change, or refused, at once", async () => {
  const home = await homeWithLamp();
  const pending = home.report({ brightness: 0.1 });
  assert.ok((await home.report({ brightness: 0.1 })).accepted);
  const unknown = { type: "REPORT_DEVICE", id: "nowhere", attributes: {}, at: 5 };
  assert.equal((await home.submit(unknown, quiet)).accepted, false);
  assert.equal(await stateOf(pending), "pending");
});

test("treats telemetry that a reaction follows as urgent", async () => {
  const follow: Reaction = { name: "follow", on: ["DeviceReported"], react: () => [room("made")] };
  const home = await homeWithLamp({ reactions: [follow] });
  await home.report({ brightness: 0.1 });
  assert.deepEqual(commits(home, home.since), [["DeviceReported", "made"]]);
});

test("does not leave the timestamp of an abandoned batch to a later one", async () => {
  const home = openSlow();
  await home.submit(room("", "nowhere"));
  home.clock.advance(3_600_000);
  const outcome = await home.submit({ type: "SET_TIMER", id: "t", durationMs: 1000, late: "fire" });
  assert.ok(outcome.accepted);
  assert.equal(outcome.timestamp, home.clock.wall());
  assert.equal(home.kernel.get("timer", "t")?.due, home.clock.wall() + 1000);
});

test("writes the origin, cause, root and depth of the submission into the envelope", async () => {
  const home = openSlow();
  const how: Partial<Submission> = { origin: "user:u1", cause: "request:r", root: "100-2", depth: 2 };
  await home.submit(room("a"), how);
  const [event] = [...home.log.read()][0]?.events ?? [];
  const { origin, cause, root, depth, version } = event as NonNullable<typeof event>;
  assert.deepEqual({ origin, cause, root, depth, version }, { ...how, version: 1 });
});

test("refuses a submission as a whole, or each command on its own with `each`", async () => {
  const home = openSlow();
  const commands = [room("a"), room("x", "nowhere"), room("b")];
  const whole = await home.submit(commands);
  assert.ok(!whole.accepted);
  assert.deepEqual([whole.index, whole.rejection.rejected, home.log.last], [1, "not-found", 0]);
  const each = await home.submit(commands, { each: true });
  assert.ok(each.accepted);
  assert.deepEqual(
    each.results.map(({ rejection }) => rejection?.rejected),
    [undefined, "not-found", undefined],
  );
  assert.deepEqual(commits(home), [["a", "b"]]);
});

test("tells listeners of decisions at once with their place, and of commits once visible", async () => {
  const home = openSlow();
  const heard: string[] = [];
  const end = home.kernel.subscribe({
    decided: (timestamp, firstIndex, events) =>
      heard.push(`decided ${firstIndex} ${events.length} ${timestamp - home.clock.wall()}`),
    published: ({ events }) => heard.push(`published ${events.length} ${home.kernel.size("room")}`),
    failed: () => heard.push("failed"),
  });
  const answers = [home.submit([room("a"), room("b")]), home.submit(room("c")), home.submit(room("x", "no"))];
  assert.deepEqual(heard, ["decided 0 2 0", "decided 2 1 0"]);
  for (const answer of answers) void answer.then(() => heard.push("answered"));
  await Promise.all(answers);
  assert.deepEqual(heard.slice(2), ["published 3 3", "answered", "answered", "answered"]);
  end();
  await home.submit(room("d"));
  assert.equal(heard.length, 6);
});

test("decides what a listener submits after all listeners were called", async () => {
  const home = openSlow();
  const heard: string[] = [];
  home.kernel.subscribe({
    decided: (_timestamp, _index, [event]) => {
      if ((event as { name?: string }).name === "a") void home.submit(room("b"));
    },
    published: ({ events }) => {
      if ((events[0] as { name?: string }).name === "a") void home.submit(room("c"));
    },
  });
  home.kernel.subscribe({
    decided: (_timestamp, index, [event]) => heard.push(`${index} ${(event as { name?: string }).name}`),
  });
  await home.submit(room("a"));
  await setImmediate();
  assert.deepEqual(heard, ["0 a", "1 b", "0 c"]);
  assert.deepEqual(commits(home), [["a", "b"], ["c"]]);
});

test("counts sizes over the commit in flight, and after it has become visible", async () => {
  const sizes: string[] = [];
  const count: Reaction = {
    name: "count",
    on: ["RoomCreated"],
    react: (event, read) => {
      sizes.push(`${(event as { name?: string }).name} ${read.size("room")} ${[...read.all("room")].length}`);
      return [];
    },
  };
  const home = openSlow({ reactions: [count] });
  home.kernel.subscribe({
    published: ({ events }) => {
      if ((events[0] as { name?: string }).name === "a") void home.submit(room("c"));
    },
  });
  home.disk.close();
  const answers = [home.submit(room("a"))];
  await setImmediate();
  answers.push(home.submit(room("b")));
  home.disk.open();
  await Promise.all(answers);
  await setImmediate();
  assert.deepEqual(sizes, ["a 1 1", "b 2 2", "c 3 3"]);
  assert.deepEqual(commits(home), [["a"], ["b", "c"]]);
});

test("refuses submissions beyond the queue limit without losing queued ones", async () => {
  const home = openSlow();
  home.disk.close();
  const answers = Array.from({ length: limits.queueItems }, () => home.submit({ type: "FLY" }));
  const first = home.submit(room("a"));
  await setImmediate();
  const waiting = Array.from({ length: limits.queueItems - 1 }, (_, index) =>
    home.submit(room(`b${index}`, "no")),
  );
  assert.equal(home.kernel.health.queued, limits.queueItems);
  await assert.rejects(home.submit(room("c")), { name: "KernelError", code: "busy" });
  home.disk.open();
  assert.ok((await first).accepted);
  await Promise.all([...answers, ...waiting]);
  assert.ok((await home.submit(room("c"))).accepted);
});

test("moves events beyond the size of a batch to the next commit", async () => {
  const home = openSlow();
  const fans = 12;
  const notes = Array.from({ length: 1000 }, (_, index) => ({
    type: "NOTE_DROPPED",
    id: `a${index}`,
    dropped: 1,
  }));
  await Promise.all(Array.from({ length: fans }, () => home.submit(notes)));
  assert.deepEqual(
    commits(home).map(({ length }) => length),
    [limits.batchEvents, fans * 1000 - limits.batchEvents],
  );
});

test("holds commits that are a second ahead of the clock", async () => {
  const home = openSlow();
  const id = await home.accept(room("room"));
  for (let lead = 1; lead <= limits.clockLeadMs; lead++) await home.submit(room(`${lead}`, id));
  const [late, later] = [home.submit(room("late")), home.submit(room("later"))];
  assert.equal(await stateOf(late), "pending");
  assert.deepEqual([home.kernel.health.queued, home.clock.waiting], [2, 2], "they wait together");
  await home.clock.pass(1);
  await Promise.all([late, later]);
  assert.deepEqual(commits(home).at(-1), ["late", "later"]);
  assert.equal(home.kernel.timestamp - home.clock.wall(), limits.clockLeadMs);
});

/** Returns a reaction that follows each new room with `count` notes, and each of these with one more. */
function fanOut(count: number): Reaction {
  return {
    name: "fan out",
    on: ["RoomCreated", "ReportsDropped"],
    react: (event) => {
      const note = (id: string): Command => ({ type: "NOTE_DROPPED", id, dropped: 1 }) as Command;
      if (event.type === "RoomCreated") return Array.from({ length: count }, (_, index) => note(`a${index}`));
      return event.id.startsWith("a") ? [note(`b${event.id}`)] : [];
    },
  };
}

/** Whether an event is not about the rest of a cascade. */
const isNoCut = (type: string): boolean => !type.startsWith("Cascade");

test("continues a cascade over as many commits as it needs", async () => {
  const home = openSlow({ reactions: [fanOut(limits.cascadeCommands + 500)] });
  const answer = await home.submit(room("start"), { origin: "user:u1", cause: "request:r" });
  assert.deepEqual(
    commits(home).map((types) => types.filter(isNoCut).length),
    [1 + limits.cascadeCommands],
    "answered after the first",
  );
  await home.clock.pass(0);
  const [first, ...others] = [...home.log.read()];
  assert.ok(answer.accepted && first !== undefined);
  assert.deepEqual(
    others.map(({ events }) => events.filter(({ type }) => isNoCut(type)).length),
    [limits.cascadeCommands, 1000],
  );
  const all = [first, ...others].flatMap((commit) => commit.events);
  const events = all.filter(({ type }) => isNoCut(type));
  for (const event of events.slice(1)) {
    assert.deepEqual([event.origin, event.root], ["user:u1", "request:r"]);
    assert.equal(event.depth, event.id.startsWith("a") ? 1 : 2);
  }
  const of = (letter: string): string[] => events.map(({ id }) => id).filter((id) => id.startsWith(letter));
  const count = limits.cascadeCommands + 500;
  assert.deepEqual(
    of("a"),
    Array.from({ length: count }, (_, index) => `a${index}`),
  );
  assert.deepEqual(of("b").length, count);
});

test("resumes a cascade where the process ended, after any of its commits", async () => {
  const count = limits.cascadeCommands * 2 + 500;
  const reactions = [fanOut(count)];
  const home = openSlow({ reactions });
  await home.submit(room("start"), { origin: "user:u1", cause: "request:r" });
  await home.clock.pass(0);
  const whole = [...home.log.read()].map(({ timestamp }) => timestamp);
  assert.ok(whole.length > 3);
  for (const last of whole) {
    const log = memoryLog();
    for (const commit of home.log.read(0, last)) await log.append(commit);
    const again = openTestKernel({ log, reactions });
    await again.clock.pass(0);
    assert.equal(again.kernel.size("cascade"), 0);
    const notes = [...again.log.read()].flatMap(({ events }) =>
      events.filter(({ type }) => type === "ReportsDropped"),
    );
    assert.equal(notes.length, count * 2, `after ${last}`);
    for (const { id, origin, root, depth } of notes)
      assert.deepEqual([origin, root, depth], ["user:u1", "request:r", id.startsWith("a") ? 1 : 2]);
    await again.kernel.close();
  }
});

test("finishes accepted submissions and cascades when closing, and refuses new ones", async () => {
  const home = openSlow({ reactions: [fanOut(limits.cascadeCommands + 1)] });
  home.disk.close();
  const answers = [home.submit(room("a"))];
  await setImmediate();
  answers.push(home.submit(room("start")));
  const telemetry = home.submit({ type: "NOTE_DROPPED", id: "x", dropped: 1 }, quiet);
  const closed = home.kernel.close();
  assert.equal(home.kernel.close(), closed);
  await assert.rejects(home.submit(room("b")), { code: "closed" });
  assert.equal(home.kernel.health.state, "closed");
  assert.equal(await stateOf(closed), "pending");
  home.disk.open();
  await Promise.all([closed, telemetry, ...answers]);
  assert.equal(home.clock.waiting, 0, "no timer is left");
  const again = home.restart();
  assert.equal(again.kernel.size("room"), 2);
  assert.equal(again.kernel.size("adapter"), 2 * (limits.cascadeCommands + 1) + 1);
});

test("closes without waiting for the telemetry window", async () => {
  const home = await homeWithLamp();
  const telemetry = home.report({ brightness: 0.5 });
  await Promise.all([home.kernel.close(), telemetry]);
  assert.deepEqual(commits(home.restart(), home.since), [["DeviceReported"]]);
});

test("closes without opening a new telemetry window", async () => {
  const home = await homeWithLamp();
  for (let lead = 1; lead <= limits.clockLeadMs; lead++)
    await home.report({ isOn: lead % 2 === 1 }, { origin: "device" });
  const telemetry = home.report({ brightness: 0.5 });
  const closed = home.kernel.close();
  assert.equal(await stateOf(telemetry), "pending", "the timestamps are ahead of the clock");
  await home.clock.pass(1);
  assert.equal(await stateOf(telemetry), "fulfilled");
  await closed;
});

test("closes the log of an idle kernel", async () => {
  const home = openSlow();
  await home.accept(room("a"));
  await home.kernel.close();
  await assert.rejects(home.log.append({ timestamp: 1, events: [] }), { code: "closed" });
});
