import { test } from "node:test";
import assert from "node:assert/strict";
import { givenCloud } from "./test-given.ts";

const begin = {
  command: "RestartHubCommand",
  owner: "ada",
  target: { hubId: "hub" },
  input: { instance: "i1" },
  correlationId: "c1",
};
const started = { type: "OperationStarted", id: "o1", ...begin };
const progressed = (percent: number) => ({ type: "OperationProgressed", id: "o1", percent });
const succeeded = { type: "OperationSucceeded", id: "o1", result: { done: true } };
const error = { code: "E_HUB_TIMEOUT", message: "late" };

test("an operation goes from NotStarted by Running to one of three ends", () => {
  const open = givenCloud([started]).state("operation", "o1");
  assert.deepEqual([open?.state, open?.percentComplete, open?.result], ["NotStarted", 0, null]);
  givenCloud([started])
    .when({ type: "NOTE_OPERATION_PROGRESS", id: "o1", percent: 0 })
    .then([progressed(0)]);
  const running = givenCloud([started, progressed(40)]);
  assert.equal(running.state("operation", "o1")?.state, "Running");
  const done = running
    .when({ type: "NOTE_OPERATION_DONE", id: "o1", result: { done: true } })
    .then([succeeded]);
  assert.equal(done.state("operation", "o1")?.percentComplete, 100);
  const failed = { type: "OperationFailed", id: "o1", error };
  givenCloud([started]).when({ type: "NOTE_OPERATION_FAILED", id: "o1", error }).then([failed]);
  givenCloud([started])
    .when({ type: "CANCEL_OPERATION", id: "o1" })
    .then([{ type: "OperationCanceled", id: "o1" }]);
});

test("progress never goes back", () => {
  givenCloud([started, progressed(40)])
    .when({ type: "NOTE_OPERATION_PROGRESS", id: "o1", percent: 40 })
    .then([]);
  givenCloud([started, progressed(40)])
    .when({ type: "NOTE_OPERATION_PROGRESS", id: "o1", percent: 10 })
    .then([]);
});

test("an ended operation stays as it is, and cannot be canceled", () => {
  for (const command of [
    { type: "NOTE_OPERATION_PROGRESS", id: "o1", percent: 99 },
    { type: "NOTE_OPERATION_DONE", id: "o1", result: 2 },
    { type: "NOTE_OPERATION_FAILED", id: "o1", error },
  ])
    givenCloud([started, succeeded]).when(command).then([]);
  givenCloud([started, succeeded])
    .when({ type: "CANCEL_OPERATION", id: "o1" })
    .then({ rejected: "wrong-state", field: "operationId" });
});

test("only what has ended can be dropped", () => {
  givenCloud([started]).when({ type: "DROP_OPERATION", id: "o1" }).then([]);
  const gone = givenCloud([started, succeeded])
    .when({ type: "DROP_OPERATION", id: "o1" })
    .then([{ type: "OperationDropped", id: "o1" }]);
  assert.equal(gone.state("operation", "o1"), undefined);
});

test("an id is used once, and unknown ones are not found", () => {
  givenCloud([started])
    .when({ type: "START_OPERATION", id: "o1", ...begin })
    .then({ rejected: "wrong-state", field: "operationId" });
  for (const type of ["CANCEL_OPERATION", "DROP_OPERATION"])
    givenCloud([]).when({ type, id: "o2" }).then({ rejected: "not-found", field: "operationId" });
});
