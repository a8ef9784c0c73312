import assert from "node:assert/strict";
import { test } from "node:test";
import type { AdapterErrorCode } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { FaultKind, PollVerdict } from "./fault.ts";
import { commandError, exceptionFault, Fault, pollVerdict } from "./fault.ts";

const exceptions: readonly [code: number, command: AdapterErrorCode, poll: PollVerdict][] = [
  [0x01, "unsupported", "misfit"],
  [0x02, "refused", "misfit"],
  [0x03, "refused", "misfit"],
  [0x04, "unreachable", "silent"],
  [0x05, "busy", "later"],
  [0x06, "busy", "later"],
  [0x08, "busy", "later"],
  [0x0a, "unreachable", "silent"],
  [0x0b, "unreachable", "silent"],
  [0x63, "refused", "misfit"],
];

for (const [code, command, poll] of exceptions) {
  test(`exception ${code} fails a command as ${command} and makes a poll ${poll}`, () => {
    const fault = exceptionFault(code);
    const error = commandError(fault);
    assert.ok(error instanceof AdapterError);
    assert.equal(error.code, command);
    assert.match(error.message, new RegExp(`exception ${code} \\(`));
    assert.equal(pollVerdict(fault), poll);
  });
}

const others: readonly [kind: Exclude<FaultKind, "exception">, command: AdapterErrorCode][] = [
  ["timeout", "timeout"],
  ["closed", "unreachable"],
  ["garbled", "timeout"],
  ["cancelled", "cancelled"],
  ["stopped", "stopped"],
];

for (const [kind, command] of others) {
  test(`${kind} fails a command as ${command}`, () => {
    const error = commandError(new Fault(kind, "so"));
    assert.ok(error instanceof AdapterError);
    assert.equal(error.code, command);
    assert.equal(pollVerdict(new Fault(kind, "so")), "silent");
  });
}

test("passes a bug on unchanged", () => {
  const bug = new TypeError("undefined is not a function");
  assert.equal(commandError(bug), bug);
});
