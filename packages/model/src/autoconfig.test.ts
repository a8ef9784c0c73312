import assert from "node:assert/strict";
import { test } from "node:test";
import { given } from "@ledge/testkit";
import { unlockedRwx } from "./device-access.ts";
import { limits } from "./limits.ts";

const started = (id = "run", name = "Plan"): { type: string; id: string; name: string } => ({
  type: "AutoConfigStarted",
  id,
  name,
});
const hall = { type: "RoomCreated", id: "hall", name: "Hall", order: 0 };
const attic = { type: "RoomCreated", id: "attic", name: "Attic", order: 1 };
const renamed = { type: "RoomRenamed", id: "hall", name: "Entry" };
const removed = { type: "RoomRemoved", id: "hall" };
const was = { name: "Hall", order: 0 };
const is = { name: "Entry", order: 0 };
const done = (...changes: object[]): { type: string; id: string } & Record<string, unknown> => ({
  type: "AutoConfigStepDone",
  id: "run",
  object: "room",
  name: "x",
  changes,
});
const change = (before: object | null, after: object | null, id = "hall"): object => ({
  kind: "room",
  id,
  before,
  after,
});
const undo = { type: "UNDO_AUTO_CONFIG", id: "run" };

test("notes the changes and new objects of a step, and nothing without any", () => {
  const step = { type: "NOTE_AUTO_CONFIG_STEP", id: "run", object: "room", name: "x", paired: null };
  const note = { ...step, changed: [{ kind: "room", id: "hall" }], creates: ["room"] };
  const made = change(null, { name: "Attic", order: 1 }, "attic");
  given([started(), hall])
    .and([attic, renamed])
    .when(note)
    .then([done(change(was, is), made)]);
  // Made and renamed by somebody else, just before.
  given([started(), hall, attic, renamed]).and([]).when(note).then([]);
});

test("notes a device that the step paired as made by it", () => {
  const lamp = { type: "DeviceAdded", id: "lamp", name: "Lamp", class: "LIGHT", capabilities: ["DEVICE"] };
  const step = { type: "NOTE_AUTO_CONFIG_STEP", id: "run", object: "room", name: "x", paired: "lamp" };
  const after = { name: "Lamp", room: [], zones: [], visible: true, rwx: unlockedRwx };
  given([started(), { ...lamp, manufacturer: null, model: null, extras: {} }])
    .when({ ...step, changed: [], creates: [] })
    .then([done({ kind: "device", id: "lamp", before: null, after })]);
});

test("keeps the first and last form of each object in a run", () => {
  const { changes } = given([
    started(),
    hall,
    done(change(was, is)),
    done(change(is, { name: "Porch", order: 0 })),
    done(change(null, was, "attic")),
    done(change(was, null, "attic")),
  ]).state("autoconfig", "run") ?? { changes: [] };
  assert.deepEqual(changes, [change(was, { name: "Porch", order: 0 })]);
});

test("undoes a run if its objects are unchanged, and restores removed rooms", () => {
  const run = [started(), hall, renamed, done(change(was, is))];
  const undone = given(run)
    .when(undo)
    .then([{ type: "AutoConfigUndone", id: "run" }]);
  assert.equal(undone.state("autoconfig", "run")?.state, "undone");
  given([...run, { type: "RoomRenamed", id: "hall", name: "Other" }])
    .when(undo)
    .then({ rejected: "wrong-state", message: "room Entry has changed since", field: "id" });
  given([...run, removed])
    .when(undo)
    .then({ rejected: "wrong-state", field: "id" });
  given([...run, { type: "AutoConfigUndone", id: "run" }])
    .when(undo)
    .then({ rejected: "wrong-state", field: "id" });
  given([started(), hall, removed, done(change(was, null))])
    .when(undo)
    .then([{ type: "AutoConfigUndone", id: "run" }, hall]);
  given().when(undo).then({ rejected: "not-found", field: "id" });
});

test("refuses to undo a removed device, and says what to do", () => {
  const gone = { kind: "device", id: "lamp", before: { name: "Lamp" }, after: null };
  given([started(), done(gone)])
    .when(undo)
    .then({
      rejected: "wrong-state",
      message: "device Lamp was removed, which cannot be undone: pair it again",
      field: "id",
    });
});

test("forgets the oldest runs, and ends an interrupted run when the next begins", () => {
  const ended = (id: string): object => ({ type: "AutoConfigEnded", id, problem: null });
  const runs = Array.from({ length: limits.autoConfigRuns - 1 }, (_, index) => `run-${index}`);
  const events = runs.flatMap((id) => [started(id), ended(id)]) as ReturnType<typeof started>[];
  const start = { type: "START_AUTO_CONFIG", name: "Plan" };
  given(events)
    .when(start)
    .then([started("new-1")]);
  given([...events, started("last")])
    .when(start)
    .then([
      started("new-1"),
      { type: "AutoConfigForgotten", id: "run-0" },
      { type: "AutoConfigEnded", id: "last", problem: "the hub was stopped meanwhile" },
    ]);
});

test("ends a run once", () => {
  const end = { type: "END_AUTO_CONFIG", id: "run", problem: "no room" };
  const ended = { type: "AutoConfigEnded", id: "run", problem: "no room" };
  const after = given([started()]).when(end).then([ended]);
  assert.deepEqual(after.state("autoconfig", "run")?.state, "stopped");
  given([started(), ended])
    .when({ ...end, problem: null })
    .then([]);
});
