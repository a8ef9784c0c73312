import assert from "node:assert/strict";
import { test } from "node:test";
import type { LoggedEvent } from "@ledge/model";
import { limits } from "@ledge/model";
import { CommandChains } from "./command-chains.ts";

const issued = (id: string, envelope: object = {}): LoggedEvent => ({
  type: "CommandIssued",
  id,
  version: 1,
  origin: "user:u",
  depth: 0,
  ...envelope,
});

test("gives a command's chain its event, its root and its depth", () => {
  const chains = new CommandChains();
  const room = { ...issued("r"), type: "RoomCreated" };
  const caused = { cause: "request:c", depth: 2 };
  chains.follow(5, 3, [
    room,
    issued("a"),
    issued("b", caused),
    issued("c", { ...caused, root: "request:d" }),
  ]);
  assert.equal(chains.get("r"), undefined);
  const origin = "user:u";
  assert.deepEqual(chains.get("a"), { origin, cause: "5-4", root: "5-4", depth: 1 });
  assert.deepEqual(chains.get("b"), { origin, cause: "5-5", root: "request:c", depth: 3 });
  assert.deepEqual(chains.get("c"), { origin, cause: "5-6", root: "request:d", depth: 3 });
});

test("follows the other requests to a device by their request id", () => {
  const chains = new CommandChains();
  const asked = (type: string, request: string): LoggedEvent =>
    ({ ...issued("d"), type, request }) as LoggedEvent;
  const applied = asked("ConfigurationApplied", "three");
  chains.follow(7, 0, [asked("ConfigurationRequested", "one"), asked("UpgradeRequested", "two"), applied]);
  assert.deepEqual(
    ["one", "two", "three", "d"].map((id) => chains.get(id)?.cause),
    ["7-0", "7-1", undefined, undefined],
  );
});

test("remembers the newest chains up to the limit", () => {
  const chains = new CommandChains();
  for (let n = 0; n < limits.commandChains; n++) chains.follow(n, 0, [issued(`c${n}`)]);
  assert.ok(chains.get("c0"));
  chains.follow(9, 0, [issued("one more")]);
  assert.deepEqual([chains.get("c0"), chains.get("c1")?.cause], [undefined, "1-0"]);
  assert.ok(chains.get("one more"));
});
