import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isWellFormed } from "@ledge/testkit";
import Type from "typebox";
import lock from "../events.lock.json" with { type: "json" };
import { eventDefinitions } from "./aggregates.ts";
import type { EventDefinition } from "./event.ts";
import { defineEvent } from "./event.ts";
import { extendedLock, lockCommand, lockMissing, lockOf, lockProblems } from "./events-lock.ts";

describe("events.lock.json", () => {
  test("has no event that the definitions dropped or changed", () => {
    assert.deepEqual(lockProblems(lock, eventDefinitions.values()), []);
  });

  test("has all events", () => {
    const missing = lockMissing(lock, eventDefinitions.values());
    assert.deepEqual(missing, [], `not in packages/model/events.lock.json; to add them: ${lockCommand}`);
  });
});

test("the replacement of each personal field fits the field's schema", () => {
  for (const { type, schema, personal = {} } of eventDefinitions.values())
    for (const [field, shown] of Object.entries(personal)) {
      const held = schema.properties[field] ?? assert.fail(`${type} has no ${field}`);
      assert.ok(isWellFormed(held, shown), `${type}: ${field}`);
    }
});

const Made = defineEvent("Made", 1, { name: Type.String(), size: Type.Integer() });
const Moved = defineEvent("Moved", 2, { to: Type.String() });
const locked = lockOf([Moved, Made]);

test("lockOf lists the fields of each event, sorted by name", () => {
  assert.deepEqual(locked, {
    "Made@1": { name: { type: "string" }, size: { type: "integer" } },
    "Moved@2": { to: { type: "string" } },
  });
  assert.deepEqual(Object.keys(locked), ["Made@1", "Moved@2"]);
  assert.deepEqual([lockProblems(locked, [Made, Moved]), lockMissing(locked, [Made, Moved])], [[], []]);
});

const problems: readonly [string, EventDefinition | undefined, string][] = [
  ["a removed event", undefined, "Made is gone: logs hold it"],
  ["a lost field", defineEvent("Made", 1, { name: Type.String() }), "Made@1 has lost its field size"],
  [
    "a changed field",
    defineEvent("Made", 1, { name: Type.String({ maxLength: 5 }), size: Type.Integer() }),
    "Made@1 has changed its field name",
  ],
  [
    "a field that becomes optional",
    defineEvent("Made", 1, { name: Type.String(), size: Type.Optional(Type.Integer()) }),
    "Made@1 has changed its field size",
  ],
  [
    "a new required field",
    defineEvent("Made", 1, { name: Type.String(), size: Type.Integer(), colour: Type.String() }),
    "Made@1 demands a new field colour: logs hold events without it",
  ],
];
for (const [what, made, problem] of problems) {
  test(`lockProblems refuses ${what}`, () => {
    assert.deepEqual(lockProblems(locked, made === undefined ? [Moved] : [made, Moved]), [problem]);
  });
}

test("lockProblems refuses a lower version", () => {
  const older = defineEvent("Moved", 1, { to: Type.String() });
  assert.deepEqual(lockProblems(locked, [Made, older]), ["Moved@2 is newer than its definition"]);
});

test("descriptions may change", () => {
  const made = defineEvent("Made", 1, { name: Type.String({ description: "new" }), size: Type.Integer() });
  assert.deepEqual([lockProblems(locked, [made, Moved]), lockMissing(locked, [made, Moved])], [[], []]);
});

test("new events, versions and optional fields are additions", () => {
  const made = defineEvent("Made", 2, { title: Type.String() });
  const moved = defineEvent("Moved", 2, { to: Type.String(), by: Type.Optional(Type.String()) });
  const Ended = defineEvent("Ended", 1, {});
  const news = [made, moved, Ended];
  assert.deepEqual(lockProblems(locked, news), []);
  assert.deepEqual(lockMissing(locked, news), ["Ended@1", "Made@2", "Moved@2.by"]);
  assert.deepEqual(extendedLock(locked, news), {
    "Ended@1": {},
    "Made@1": locked["Made@1"],
    "Made@2": { title: { type: "string" } },
    "Moved@2": { to: { type: "string" }, by: { type: "string", optional: true } },
  });
  assert.deepEqual(lockMissing(extendedLock(locked, news), news), []);
});

test("extendedLock keeps what is locked, whatever the definitions say", () => {
  const made = defineEvent("Made", 1, { name: Type.Integer() });
  assert.deepEqual(extendedLock(locked, [made]), locked);
});
