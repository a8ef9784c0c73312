import assert from "node:assert/strict";
import { test } from "node:test";
import { given } from "@ledge/testkit";

const issued = {
  type: "CommandIssued",
  id: "c",
  device: "lamp",
  attributes: { isOn: true },
  absolute: true,
  group: "g1",
};

test("a command that was issued is under way", () => {
  const { type: _, ...content } = issued;
  assert.deepEqual(given([issued]).state("command", "c"), { ...content, issuedAt: 1 });
});

for (const [command, event] of [
  [{ type: "NOTE_COMMAND_DONE" }, { type: "CommandSucceeded" }],
  [
    { type: "NOTE_COMMAND_FAILED", code: "timeout", message: "no answer" },
    { type: "CommandFailed", code: "timeout", message: "no answer" },
  ],
  [{ type: "EXPIRE_COMMAND" }, { type: "CommandExpired" }],
] as const) {
  test(`${command.type} ends a command once, and names the device`, () => {
    const ended = { ...event, id: "c", device: "lamp" };
    const after = given([issued])
      .when({ ...command, id: "c" })
      .then([ended]);
    assert.equal(after.state("command", "c"), undefined);
    given([issued, ended])
      .when({ ...command, id: "c" })
      .then([]);
    given()
      .when({ ...command, id: "c" })
      .then([]);
  });
}

const message = "the device sleeps";
const deferred = { type: "CommandDeferred", id: "c", device: "lamp", message };

test("a command to a device that sleeps waits, and ends when the device has answered", () => {
  const after = given([issued]).when({ type: "NOTE_COMMAND_DEFERRED", id: "c", message }).then([deferred]);
  assert.equal(after.state("command", "c")?.waits, message);
  given([issued, deferred]).when({ type: "NOTE_COMMAND_DEFERRED", id: "c", message }).then([]);
  given([issued, deferred])
    .when({ type: "NOTE_COMMAND_DONE", id: "c" })
    .then([{ type: "CommandSucceeded", id: "c", device: "lamp" }]);
});

test("of the commands that wait for a device only the newest for each attribute stays", () => {
  const newer = { ...issued, id: "d", attributes: { isOn: false, brightness: 1 } };
  const other = { ...issued, id: "e", attributes: { isOn: true }, device: "socket" };
  given([issued, deferred, other, { ...deferred, id: "e", device: "socket" }, newer])
    .when({ type: "NOTE_COMMAND_DEFERRED", id: "d", message })
    .then([
      { type: "CommandSucceeded", id: "c", device: "lamp" },
      { ...deferred, id: "d" },
    ]);
  const part = { ...issued, id: "f", attributes: { brightness: 0.5 } };
  given([newer, { ...deferred, id: "d" }, part])
    .when({ type: "NOTE_COMMAND_DEFERRED", id: "f", message })
    .then([{ ...deferred, id: "f" }]);
});
