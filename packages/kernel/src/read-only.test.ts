import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { test } from "node:test";
import { memoryLog, NoRoomError } from "@ledge/log";
import { aggregates, limits, roles } from "@ledge/model";
import { Gate, openTestKernel, PollClient } from "@ledge/testkit";
import { EvolveError } from "./decide.ts";

const room = (name: string) => ({ type: "CMD_ROOM", name });
const refused = { name: "KernelError", code: "read-only" };
const owner = { role: roles.OWNER_ADMIN, user: "owner", since: 0 };

test("finishes accepted submissions when suspended, refuses new ones, and serves again when resumed", async () => {
  const disk = new Gate();
  const home = openTestKernel({ log: memoryLog({ flush: () => disk.pass() }) });
  const heard: string[] = [];
  home.kernel.subscribe({ stateChanged: (state) => heard.push(state) });
  disk.close();
  const taken = [home.submit(room("a"))];
  await setImmediate();
  taken.push(home.submit(room("b")));
  home.kernel.suspend("the disk is full");
  home.kernel.suspend("a second call is ignored");
  await assert.rejects(home.submit(room("c")), refused);
  disk.open();
  for (const answer of taken) assert.ok((await answer).accepted);
  assert.deepEqual([home.kernel.health.state, home.kernel.health.reason], ["read-only", "the disk is full"]);
  home.kernel.resume();
  assert.deepEqual([home.kernel.health.state, home.kernel.health.reason], ["serving", null]);
  await home.accept(room("c"));
  assert.equal(home.kernel.size("room"), 3);
  assert.deepEqual(heard, ["read-only", "serving"]);
});

test("fires a timer that came due while read-only after it resumes", async () => {
  const home = openTestKernel();
  await home.accept({ type: "SET_TIMER", id: "t", durationMs: 1000, late: "fire" });
  home.kernel.suspend("the disk is full");
  await home.clock.pass(5000);
  assert.ok(home.kernel.get("timer", "t"));
  home.kernel.resume();
  await home.clock.pass(0);
  assert.equal(home.kernel.get("timer", "t"), undefined);
});

test("serves again after a commit without room, and keeps nothing of it", async () => {
  const home = openTestKernel();
  const client = new PollClient();
  await home.accept(room("kept"));
  home.log.failNext("no-room");
  await assert.rejects(home.submit(room("lost")), refused);
  assert.deepEqual([home.kernel.health.state, home.fatal], ["read-only", []]);
  home.kernel.resume();
  await home.accept(room("next"));
  await client.poll(home.kernel, owner);
  const names = Object.values(client.known["rooms"] ?? {}).map((found) => (found as { name: string }).name);
  assert.deepEqual(names, ["kept", "next"]);
});

test("ends the process over a log broken by a full disk only when there is room again", async () => {
  const home = openTestKernel();
  home.log.failNext("full");
  await assert.rejects(home.submit(room("lost")), refused);
  await home.clock.pass(60_000);
  assert.deepEqual([home.kernel.health.state, home.fatal.length], ["read-only", 0]);
  home.kernel.resume();
  assert.deepEqual([home.kernel.health.state, home.fatal.length], ["failed", 1]);
});

test("ends the process when a write fails for another reason while read-only", async () => {
  const disk = new Gate();
  const home = openTestKernel({ log: memoryLog({ flush: () => disk.pass() }) });
  disk.close();
  const taken = home.submit(room("a"));
  await setImmediate();
  home.kernel.suspend("the disk is full");
  home.log.failNext("failed");
  disk.open();
  await assert.rejects(taken, { name: "KernelError", code: "failed" });
  assert.deepEqual([home.kernel.health.state, home.fatal.length], ["failed", 1]);
});

test("closes without a snapshot when there is no room for one", async () => {
  const home = openTestKernel({ snapshotCommits: 1, hasRoom: () => Promise.resolve(false) });
  home.log.saveSnapshot = () => assert.fail("no snapshot may be written");
  await home.accept(room("a"));
  await home.clock.pass(0);
  await home.kernel.close();
  assert.equal(home.kernel.health.state, "closed");
});

test("closes when the disk turns out too full for the snapshot", async () => {
  const told: Error[] = [];
  const home = openTestKernel({ onError: (error) => told.push(error) });
  await home.accept(room("a"));
  home.log.saveSnapshot = () => Promise.reject(new NoRoomError("full"));
  await home.kernel.close();
  assert.deepEqual([home.kernel.health.state, told.map(({ message }) => message)], ["closed", ["full"]]);
});

test("foresees the result of a submission without applying it", async () => {
  const home = openTestKernel();
  const id = await home.accept(room("Hall"));
  home.kernel.suspend("the disk is full");
  const rename = { type: "CMD_ROOM", id, name: "Attic" };
  const { outcome, events } = home.kernel.foresee({ commands: [rename], origin: "system" });
  assert.ok(outcome.accepted);
  assert.deepEqual(
    events.map(({ type }) => type),
    ["RoomRenamed"],
  );
  assert.equal(home.kernel.get("room", id)?.name, "Hall");
  const unknown = { type: "CMD_ROOM", id: "nowhere", name: "x" };
  assert.equal(home.kernel.foresee({ commands: [unknown], origin: "system" }).outcome.accepted, false);
  assert.equal(home.log.last, home.kernel.timestamp);
});

/** The room aggregate of a release that cannot rename rooms to "Cellar". */
const refusing = aggregates.map((decider) =>
  decider.kind === "room"
    ? {
        ...decider,
        evolve(state: never, event: never, timestamp: number) {
          if ((event as { name?: string }).name === "Cellar") throw new RangeError("no cellars");
          return decider.evolve(state, event, timestamp);
        },
      }
    : decider,
);

test("names an event that cannot be applied, and opens with the state before its commit", async () => {
  const home = openTestKernel();
  const id = await home.accept(room("Hall"));
  const before = home.kernel.timestamp;
  await home.submit([room("Attic"), { type: "CMD_ROOM", id, name: "Cellar" }]);
  const { timestamp } = home.kernel;
  await home.accept(room("Porch"));
  const log = home.log.clone();
  const error = await Promise.resolve()
    .then(() => openTestKernel({ log, clock: home.clock, aggregates: refusing }))
    .catch((thrown: unknown) => thrown);
  assert.ok(error instanceof EvolveError);
  assert.deepEqual(error.place, { timestamp, index: 1, type: "RoomRenamed" });
  assert.match(error.message, new RegExp(`^the event ${timestamp}-1, RoomRenamed, .*no cellars`));

  const readOnly = { state: "safe-mode", reason: error.message, before: timestamp } as const;
  const safe = openTestKernel({ log, clock: home.clock, aggregates: refusing, readOnly });
  assert.deepEqual([safe.kernel.health.state, safe.kernel.health.reason], ["safe-mode", error.message]);
  assert.deepEqual([safe.kernel.timestamp, safe.kernel.size("room")], [before, 1]);
  const bytes = log.stats().fileBytes;
  await assert.rejects(safe.submit(room("x")), refused);
  safe.kernel.resume();
  assert.equal(safe.kernel.health.state, "safe-mode");
  await safe.clock.pass(limits.osTimerMs);
  await safe.kernel.close();
  assert.equal(log.stats().fileBytes, bytes);
});
