import assert from "node:assert/strict";
import { test } from "node:test";
import { categories } from "@ledge/model";
import type { PollAnswer } from "./poll-client.ts";
import { PollClient } from "./poll-client.ts";

const delta = (type: string, field: string, objects: object, timestamp = 5) => ({
  type,
  timestamp,
  [field]: objects,
});
const rooms = (objects: object) => delta("ROOM_DELTA", "rooms", objects);
const devices = (objects: object) => delta("DEVICE_DELTA", "devices", objects);
const answer = (full: boolean, ...polls: PollAnswer["polls"]): PollAnswer => ({
  type: "POLL_DELTA",
  timestamp: 5,
  full,
  polls,
});
const everything = (changes: Record<string, object> = {}): PollAnswer["polls"] =>
  categories.map(({ type, field }) => delta(type, field, changes[field] ?? {}));

test("applies deltas, forgets deleted objects, and starts over at a full answer", () => {
  const client = new PollClient();
  client.apply(answer(true, ...everything({ rooms: { a: 1, b: 2 } })));
  client.apply(answer(false, devices({ d: 5 }), rooms({ a: null, c: 3 })));
  assert.deepEqual([client.known["rooms"], client.known["devices"]], [{ b: 2, c: 3 }, { d: 5 }]);
  client.apply(answer(true, ...everything({ rooms: { z: 9 } })));
  assert.deepEqual([client.known["rooms"], client.known["devices"]], [{ z: 9 }, {}]);
  assert.deepEqual([client.cursor, client.fulls], [5, 2]);
});

for (const [what, wrong] of [
  ["another type", { ...answer(false), type: "DELTA" }],
  ["no timestamp", { ...answer(false), timestamp: undefined }],
  ["categories out of order", answer(false, rooms({ a: 1 }), devices({ d: 1 }))],
  ["a category twice", answer(false, rooms({ a: 1 }), rooms({ b: 1 }))],
  ["an unknown category", answer(false, delta("CAR_DELTA", "cars", { a: 1 }))],
  ["an unchanged category", answer(false, rooms({}))],
  ["a delta with another timestamp", answer(false, delta("ROOM_DELTA", "rooms", { a: 1 }, 4))],
  ["a delta with too many fields", answer(false, { ...rooms({ a: 1 }), more: 1 })],
  ["missing categories in a full answer", answer(true, rooms({ a: 1 }))],
  ["a deletion in a full answer", answer(true, ...everything({ rooms: { a: null } }))],
] as const) {
  test(`refuses an answer with ${what}`, () => {
    assert.throws(() => new PollClient().apply(wrong as PollAnswer), assert.AssertionError);
  });
}
