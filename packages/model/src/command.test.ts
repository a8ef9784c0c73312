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
