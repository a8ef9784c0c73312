import assert from "node:assert/strict";
import { test } from "node:test";
import { given, lamp, socket } from "@ledge/testkit";
import { seenId } from "./seen.ts";

const note = (at: Record<string, number>) => ({ type: "NOTE_SEEN", at });
const seen = (at: Record<string, number>, gone: string[] = []) => ({
  type: "DevicesSeen",
  id: seenId,
  at,
  gone,
});

test("NOTE_SEEN records when devices were heard of, over earlier records", () => {
  const home = given([lamp, socket, seen({ lamp: 5, socket: 6 })]);
  const after = home.when(note({ lamp: 9 })).then([seen({ lamp: 9 })]);
  assert.deepEqual(after.state("seen", seenId), { at: { lamp: 9, socket: 6 } });
});

test("NOTE_SEEN without devices records nothing", () => {
  given([lamp]).when(note({})).then([]);
});

test("NOTE_SEEN leaves out unknown devices and forgets removed ones", () => {
  given([lamp])
    .when(note({ lamp: 5, ghost: 6 }))
    .then([seen({ lamp: 5 })]);
  given([lamp])
    .when(note({ ghost: 6 }))
    .then([]);
  const gone = { type: "DeviceRemoved", id: "socket", groups: [] };
  const home = given([lamp, socket, seen({ lamp: 5, socket: 6 }), gone]);
  const after = home.when(note({ lamp: 9, socket: 9 })).then([seen({ lamp: 9 }, ["socket"])]);
  assert.deepEqual(after.state("seen", seenId), { at: { lamp: 9 } });
  home.when(note({})).then([seen({}, ["socket"])]);
});
