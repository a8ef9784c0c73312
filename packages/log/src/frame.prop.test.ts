import assert from "node:assert/strict";
import { test } from "node:test";
import type { Commit, LoggedEvent } from "@ledge/model";
import fc from "fast-check";
import { blockOf, nextFrame, origin, type Position } from "./block.ts";
import { encodeFrame, frameEvents, frameHash, noHash, previousHash } from "./frame.ts";

const events = fc.array(
  fc
    .record({ type: fc.string(), id: fc.string({ unit: "binary" }), more: fc.jsonValue() })
    .map((fields): LoggedEvent => ({ ...fields, version: 1, origin: "device", depth: 0 })),
  { maxLength: 5 },
);
const commits = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 2 ** 40 }), events), { minLength: 1, maxLength: 8 })
  .map((steps) => {
    let timestamp = 0;
    return steps.map(([step, of]): Commit => {
      const whole = { timestamp: (timestamp += step), events: of };
      // A commit with an even timestamp has lost some of its events.
      if (timestamp % 2 === 1 || of.length === 0) return whole;
      return { ...whole, indexes: of.map((_, place) => place * 2 + 1) };
    });
  });

/** Values that JSON, JavaScript objects and UTF-8 treat differently. Always tried. */
const edges = [
  [-0, 1e21, 5e-324, Number.MAX_VALUE, null, true, "", [], {}],
  ["\ud800", "\udc00\ud800", "\ud83d\ude00", "\u2028\ufeff\u0000", "ÿ", "\u0800"],
  JSON.parse('{"__proto__": 1, "constructor": {"toJSON": 2}, "4294967295": 3, "2": 4, "1": 5, "01": 6}'),
].map((more: unknown): Commit => {
  const event = { type: "Noted", id: "\udfff", version: 1, origin: "device", depth: 0, more } as const;
  return { timestamp: Number.MAX_SAFE_INTEGER - 1, events: [event] };
});

test("decodes chained frames to the commits that were encoded", () => {
  fc.assert(
    fc.property(commits, (all) => {
      const frames: Buffer[] = [];
      let hash = noHash;
      for (const [index, commit] of all.entries()) {
        const frame = encodeFrame(commit, index + 1, hash);
        hash = frameHash(frame, { start: 0, end: frame.length });
        frames.push(frame);
      }
      const block = blockOf(all[0]?.timestamp ?? 0, Buffer.concat(frames));

      let previous: Position = origin;
      let before = noHash;
      let offset = 0;
      for (const { timestamp, ...expected } of all) {
        const frame = nextFrame(block, offset, previous);
        if (typeof frame === "string") assert.fail(frame);
        assert.equal(frame.timestamp, timestamp);
        assert.equal(JSON.stringify(frameEvents(block.bytes, frame)), JSON.stringify(expected));
        assert.deepEqual(Buffer.from(before), previousHash(block.bytes, frame));
        before = frameHash(block.bytes, frame);
        previous = frame;
        offset = frame.end;
      }
      assert.equal(offset, block.bytes.length);
    }),
    { examples: edges.map((commit): [Commit[]] => [[commit]]) },
  );
});

test("reads random bytes as a problem, without an exception", () => {
  const magic = Buffer.from("LDG1");
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), fc.nat(220), (bytes, asFrame, offset) => {
      const block = blockOf(1, Buffer.concat([asFrame ? magic : Buffer.alloc(0), bytes]));
      const found = nextFrame(block, Math.min(offset, block.bytes.length), undefined);
      assert.equal(typeof found, "string");
    }),
  );
});
