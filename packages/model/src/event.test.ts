import assert from "node:assert/strict";
import { test } from "node:test";
import { eventProblems } from "@ledge/testkit";
import { aggregates, eventDefinitions } from "./aggregates.ts";
import type { DomainEvent, LoggedEvent } from "./event.ts";
import { envelopeFields, eventIn, eventRef, indexIn, parseEventRef } from "./event.ts";
import { upcasters } from "./upcasters.ts";

test("a reference names the commit and the event's index in it", () => {
  assert.equal(eventRef(1_768_471_200_000, 17), "1768471200000-17");
  assert.deepEqual(parseEventRef("1768471200000-17"), { timestamp: 1_768_471_200_000, index: 17 });
  for (const text of [
    "",
    "1",
    "1-",
    "-1",
    "1-2-3",
    "1.5-2",
    "a-b",
    "1e3-4",
    " 1-2",
    "12345678901234567-0",
    "1-1234567890",
  ]) {
    assert.equal(parseEventRef(text), undefined, text);
  }
});

test("events keep their indexes when compaction removes others", () => {
  const [one, other] = ["one", "other"].map((id): LoggedEvent => ({
    type: "Noted",
    id,
    version: 1,
    origin: "system",
    depth: 0,
  })) as [LoggedEvent, LoggedEvent];
  const whole = { timestamp: 1, events: [one, other] };
  const partial = { ...whole, indexes: [2, 5] };
  assert.deepEqual([indexIn(whole, 1), indexIn(partial, 1)], [1, 5]);
  assert.deepEqual([eventIn(whole, 1), eventIn(whole, 2)], [other, undefined]);
  assert.deepEqual(
    [2, 5, 0, 1].map((index) => eventIn(partial, index)),
    [one, other, undefined, undefined],
  );
});

test("no event has a field with an envelope's name", () => {
  for (const { type, schema } of eventDefinitions.values()) {
    for (const name of envelopeFields) assert.ok(!(name in schema.properties), `${type} has a field ${name}`);
  }
});

test("event types are in CamelCase and unique, with versions from 1", () => {
  const all = aggregates.flatMap(({ events }) => events);
  assert.equal(eventDefinitions.size, all.length);
  for (const { type, version } of all) {
    assert.match(type, /^([A-Z][a-z]+)+$/);
    assert.ok(Number.isSafeInteger(version) && version >= 1);
  }
});

test("every older version has an upcaster", () => {
  const needed = [...eventDefinitions.values()].flatMap(({ type, version }) =>
    Array.from({ length: version - 1 }, (_, index) => `${type}@${index + 1}`),
  );
  assert.deepEqual(Object.keys(upcasters).toSorted(), needed.toSorted());
});

test("eventProblems finds what is wrong with an event", () => {
  const sound = { type: "RoomCreated", id: "r", name: "Hall", order: 1 };
  assert.deepEqual(eventProblems(sound), []);
  const cases: readonly [DomainEvent, RegExp][] = [
    [{ ...sound, order: "1" } as DomainEvent, /RoomCreated\/order must be integer/],
    [{ ...sound, extra: 1 } as DomainEvent, /declares no extra/],
    [{ ...sound, origin: "device" } as DomainEvent, /reserved name origin/],
    [{ ...sound, name: undefined } as DomainEvent, /name|written down/],
    [{ type: "Unheard", id: "x" }, /is not declared/],
  ];
  for (const [event, problem] of cases) {
    assert.match(eventProblems(event).join("\n"), problem);
  }
});
