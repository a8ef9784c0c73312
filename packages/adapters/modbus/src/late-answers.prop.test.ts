import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { expectedKey, LateAnswers } from "./late-answers.ts";
import type { Request } from "./request.ts";
import { answerBytes, functionCode } from "./request.ts";
import { withCrc } from "./rtu-frames.ts";

const unit = 7;

/** Returns a device's answer to a request; every register of a read holds the request's number. */
function answerTo(request: Request, serial: number, refusal: boolean): Buffer {
  const code = functionCode(request);
  if (refusal) return withCrc(Buffer.of(unit, code | 0x80, 2));
  if (request.kind === "write") {
    const frame = Buffer.of(unit, code, 0, 0, 0, 1);
    frame.writeUInt16BE(request.register, 2);
    return withCrc(frame);
  }
  const data = Buffer.alloc(answerBytes(request) - 5, serial & 0xff);
  return withCrc(Buffer.concat([Buffer.of(unit, code, data.length), data]));
}

const reads = fc.record({
  kind: fc.constant("read" as const),
  table: fc.constantFrom("coil", "discrete", "holding", "input"),
  register: fc.constantFrom(0, 10, 65_530),
  count: fc.integer({ min: 1, max: 4 }),
});
const writes = fc.record({
  kind: fc.constant("write" as const),
  table: fc.constantFrom("coil", "holding"),
  register: fc.constantFrom(0, 10),
  values: fc.constant([1]),
  multiple: fc.constant(false),
});
/** The delay of an answer: 0 in time, n after n more requests, -1 never. */
const fate = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 6 }) },
  { weight: 1, arbitrary: fc.constant(-1) },
);
const steps = fc.array(fc.record({ request: fc.oneof(reads, writes), fate, refusal: fc.boolean() }), {
  maxLength: 60,
});

/**
 * The device answers in order, sometimes late: an accepted answer must belong to its very request. A delayed
 * answer delays those behind it.
 */
test("no request accepts the late answer to another", () => {
  let answered = 0;
  let lates = 0;
  fc.assert(
    fc.property(steps, (script) => {
      const late = new LateAnswers();
      const held: { serial: number; due: number; frame: Buffer }[] = [];
      let serial = 0;
      let heldUntil = 0;

      /** @returns the number of the request whose answer was accepted, 0 for none. */
      const exchange = (request: Request, delay: number, refusal: boolean): number => {
        serial += 1;
        heldUntil = Math.max(heldUntil, serial + Math.max(0, delay));
        if (delay >= 0) held.push({ serial, due: heldUntil, frame: answerTo(request, serial, refusal) });
        const awaited = { key: expectedKey(request), code: functionCode(request) };
        while (held[0] !== undefined && held[0].due <= serial) {
          const answer = held.shift();
          if (answer === undefined) break;
          if (answer.serial !== serial) lates += 1;
          if (late.accept(unit, answer.frame, awaited, 0)) return answer.serial;
        }
        late.owe(unit, request, 0);
        return 0;
      };

      for (const step of script) {
        const probe = late.probeBefore(unit, step.request, 0);
        if (probe !== undefined) {
          const before = serial + 1;
          const taken = exchange(probe, step.fate, false);
          assert.ok(taken === 0 || taken === before, `probe ${before} took the answer to ${taken}`);
          if (taken === 0) continue;
        }
        const before = serial + 1;
        const taken = exchange(step.request, step.fate, step.refusal);
        assert.ok(taken === 0 || taken === before, `request ${before} took the answer to ${taken}`);
        if (taken > 0) answered += 1;
      }

      // Once the device answers in time again, every request gets its answer, whatever was lost before.
      for (const { frame } of held.splice(0)) late.accept(unit, frame, undefined, 0);
      heldUntil = 0;
      for (const { request } of script) {
        const probe = late.probeBefore(unit, request, 0);
        if (probe !== undefined) assert.equal(exchange(probe, 0, false), serial);
        assert.equal(exchange(request, 0, false), serial);
      }
    }),
    { numRuns: 1000 },
  );
  assert.ok(answered > 300, `${answered} requests were answered`);
  assert.ok(lates > 150, `${lates} answers came late`);
});

test("a probe differs in form from owed answers and applies only to that device and form", () => {
  const read: Request = { kind: "read", table: "holding", register: 0, count: 2 };
  const late = new LateAnswers();
  late.owe(unit, read, 0);
  const probe = late.probeBefore(unit, read, 0);
  assert.deepEqual(probe, { kind: "read", table: "holding", register: 0, count: 1 });
  assert.equal(late.probeBefore(unit + 1, read, 0), undefined);
  assert.equal(late.probeBefore(unit, { ...read, count: 3 }, 0), undefined);
});

test("forgets owed answers after ten seconds, or when the clock was set back", () => {
  const read: Request = { kind: "read", table: "coil", register: 5, count: 1 };
  const late = new LateAnswers();
  late.owe(unit, read, 1000);
  assert.deepEqual(late.probeBefore(unit, read, 10_999), {
    kind: "read",
    table: "coil",
    register: 5,
    count: 9,
  });
  assert.equal(late.probeBefore(unit, read, 11_000), undefined);
  assert.equal(late.probeBefore(unit, read, 999), undefined);
});
