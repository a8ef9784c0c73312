import assert from "node:assert/strict";
import { test } from "node:test";
import type { LoggedEvent } from "@ledge/model";
import { upcastWith } from "./upcast.ts";

const stored = (type: string, version: number): LoggedEvent => ({
  type,
  id: "x",
  version,
  origin: "system",
  depth: 0,
});
const next = (event: LoggedEvent): LoggedEvent => ({ ...event, version: event.version + 1 });

test("applies entries one after the other until none matches", () => {
  const seen: string[] = [];
  const upcast = upcastWith({
    "RoomNamed@1": (event) => (seen.push("1 to 2"), next(event)),
    "RoomNamed@2": (event) => (seen.push("2 to 3"), next(event)),
  });
  assert.deepEqual(upcast([stored("RoomNamed", 1)]), [stored("RoomNamed", 3)]);
  assert.deepEqual(upcast([stored("RoomNamed", 2)]), [stored("RoomNamed", 3)]);
  assert.deepEqual(seen, ["1 to 2", "2 to 3", "2 to 3"]);
});

test("returns an event that no entry matches as the same object", () => {
  const upcast = upcastWith({ "RoomNamed@1": next });
  const current = [stored("RoomNamed", 2), stored("toString", 1), stored("RoomNamed@1", 1)];
  assert.equal(upcast(current), current);
  assert.equal(upcastWith({})(current), current);

  const mixed = [stored("Other", 1), stored("RoomNamed", 1)];
  const result = upcast(mixed);
  assert.equal(result[0], mixed[0]);
  assert.deepEqual(result[1], stored("RoomNamed", 2));
  assert.deepEqual(mixed[1], stored("RoomNamed", 1), "the given array is unchanged");
});

test("refuses an entry that returns no newer version, instead of looping forever", () => {
  const upcast = upcastWith({ "RoomNamed@1": (event) => event });
  assert.throws(() => upcast([stored("RoomNamed", 1)]), /RoomNamed@1.*version 1/);
});

test("refuses a key of another form", () => {
  for (const key of ["RoomNamed", "RoomNamed@", "@1", "RoomNamed@one"]) {
    assert.throws(() => upcastWith({ [key]: next }), /<type>@<version>/);
  }
});
