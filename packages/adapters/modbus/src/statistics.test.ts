import assert from "node:assert/strict";
import { test } from "node:test";
import { exceptionFault, Fault } from "./fault.ts";
import { LineStatistics } from "./statistics.ts";

test("counts answers, refusals and silence by address, and for the line", () => {
  const statistics = new LineStatistics();
  const read = { kind: "read", table: "input", register: 0, count: 10 } as const;
  const write = { kind: "write", table: "coil", register: 0, values: [1], multiple: false } as const;
  statistics.record(2, read, undefined, 1000, 5);
  statistics.record(1, read, undefined, 1010, 5);
  statistics.record(1, write, undefined, 1020, 5);
  statistics.record(1, read, exceptionFault(2), 1030, 5);
  statistics.record(2, read, new Fault("timeout", "no answer"), 2030, 1000);
  statistics.record(2, read, new Fault("garbled", "noise"), 2040, 10);
  const none = { exceptions: 0, timeouts: 0, garbled: 0 };
  assert.deepEqual(statistics.shown(), {
    busyMs: 1030,
    requests: 6,
    answers: 4,
    exceptions: 1,
    timeouts: 1,
    garbled: 1,
    read: 20,
    units: [
      { address: 1, ...none, requests: 3, answers: 3, exceptions: 1, read: 10, lastAnswerAt: 1030 },
      { address: 2, ...none, requests: 3, answers: 1, timeouts: 1, garbled: 1, read: 10, lastAnswerAt: 1000 },
    ],
  });
});
