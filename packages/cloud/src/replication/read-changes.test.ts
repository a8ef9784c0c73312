import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { ChangesError, readChanges } from "./read-changes.ts";

const head = { v: 1, share: "states", generation: 0, full: false, after: null };
const end = { next: "s.0.1", more: false };
const device = { device: { id: "lamp", timestamp: 1 } };
const bodyOf = (...lines: readonly unknown[]): string =>
  lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");

async function* pieces(text: string, size = text.length): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test("reads an answer in whatever pieces it comes", async () => {
  const body = bodyOf(head, device, { alarm: { id: "ä", timestamp: 2 } }, end);
  for (const size of [1, 2, 7, 1000]) {
    const read = await readChanges(pieces(body, size), null);
    assert.deepEqual([read.head.share, read.lines.length, read.end], ["states", 2, end]);
  }
});

test("takes nothing of an answer that is cut off, at any byte", async () => {
  const body = bodyOf(head, device, end);
  for (let length = 0; length < body.length; length++)
    await assert.rejects(readChanges(pieces(body.slice(0, length)), null), ChangesError, String(length));
});

for (const [what, lines] of [
  ["no head", [device, end]],
  ["a head of another version", [{ ...head, v: 2 }, end]],
  ["an unknown share", [{ ...head, share: "all" }, end]],
  ["a negative generation", [{ ...head, generation: -1 }, end]],
  ["no end", [head, device]],
  ["an empty cursor", [head, { ...end, next: "" }]],
  ["a cursor that is too long", [head, { ...end, next: "x".repeat(limits.changeCursorChars + 1) }]],
  ["a line that is no JSON", [head, "{", end]],
  ["a line of an unknown kind", [head, { user: { id: "ann", timestamp: 1 } }, end]],
  ["a device without an id", [head, { device: { timestamp: 1 } }, end]],
  ["a list in place of a device", [head, { device: [] }, end]],
  ["no cursor in its head", [{ ...head, after: undefined }, end]],
  ["a cursor that nobody sent", [{ ...head, after: "s.0.1" }, end]],
  ["a place of another kind", [{ ...head, full: true, from: { kind: "user", id: "x" } }, end]],
  [
    "a place without an id",
    [
      { ...head, full: true },
      { ...end, upto: { kind: "device", id: "" } },
    ],
  ],
  [
    "a place that is too long",
    [{ ...head, from: { kind: "device", id: "x".repeat(limits.idChars + 1) } }, end],
  ],
  ["a cursor that is a number", [head, { ...end, next: 7 }]],
  ["a time that is no whole number", [head, { device: { id: "lamp", timestamp: 1.5 } }, end]],
  ["null in place of a line", [head, null, end]],
  ["a line of two kinds of which one is wrong", [head, { event: device, alarm: 1 }, end]],
  ["a line after its end", [head, end, device]],
  ["a removal of another kind", [head, { removed: { kind: "user", id: "x", timestamp: 1 } }, end]],
] as const) {
  test(`refuses an answer with ${what}`, async () => {
    await assert.rejects(readChanges(pieces(bodyOf(...lines)), null), ChangesError);
  });
}

test("takes as many lines as a hub ever sends, and no more", async () => {
  const many = (count: number): unknown[] => [head, ...Array.from({ length: count }, () => device), end];
  const most = 2 * limits.changesAtOnce;
  assert.equal((await readChanges(pieces(bodyOf(...many(most))), null)).lines.length, most);
  await assert.rejects(readChanges(pieces(bodyOf(...many(most + 1))), null), /too many lines/);
});

test("takes a line that is nested as deep as it may be, and none that is deeper", async () => {
  const bodyOfDepth = (depth: number): string => {
    const state = "[".repeat(depth - 2) + "]".repeat(depth - 2);
    return bodyOf(head, `{"device":{"id":"lamp","timestamp":1,"state":${state}}}`, end);
  };
  const { changeLineDepth } = limits;
  assert.equal((await readChanges(pieces(bodyOfDepth(changeLineDepth)), null)).lines.length, 1);
  await assert.rejects(
    readChanges(pieces(bodyOfDepth(changeLineDepth + 1)), null),
    /nested more than 64 deep/,
  );
});

test("refuses a line that is too long before it has all of it", async () => {
  let given = 0;
  async function* endless(): AsyncGenerator<Buffer> {
    yield Buffer.from(bodyOf(head));
    for (;;) {
      given += 10_000;
      yield Buffer.alloc(10_000, "x");
    }
  }
  await assert.rejects(readChanges(endless(), null), /too long/);
  assert.ok(given <= limits.changeLineBytes + 20_000);
});

test("refuses an answer that is too large before it has all of it", async () => {
  let given = 0;
  async function* endless(): AsyncGenerator<Buffer> {
    yield Buffer.from(bodyOf(head));
    for (;;) {
      const chunk = Buffer.from(bodyOf({ device: { id: "lamp", timestamp: 1, more: "x".repeat(60_000) } }));
      given += chunk.length;
      yield chunk;
    }
  }
  await assert.rejects(readChanges(endless(), null), /too large/);
  assert.ok(given <= limits.changesBytes + 100_000);
});
