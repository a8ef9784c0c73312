import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { readPoll } from "./read-poll.ts";
import type { PollAnswer } from "./wire.ts";

type Objects = Record<string, unknown>;

/** Writes an answer as a hub does, a tab before each object. */
function written(timestamp: number, sections: readonly (readonly [name: string, of: Objects])[]): string {
  const polls = sections.map(([name, of]) => {
    const entries = Object.entries(of).map(
      ([id, object]) => `\t${JSON.stringify(id)}:${JSON.stringify(object)}`,
    );
    return `{"type":"${name.toUpperCase()}","timestamp":${timestamp},"${name}":{${entries.join()}}}`;
  });
  return `{"type":"POLL_DELTA","timestamp":${timestamp},"full":true,"polls":[${polls.join()}]}`;
}

/** What an answer says of each category, its sections together. */
function said({ timestamp, full, polls }: PollAnswer): object {
  const of: Record<string, Objects> = {};
  for (const section of polls)
    for (const [name, objects] of Object.entries(section))
      if (typeof objects === "object")
        of[name] = Object.fromEntries([...Object.entries(of[name] ?? {}), ...Object.entries(objects)]);
  return { timestamp, full, of };
}

const noTurn = (): undefined => undefined;

describe("reading a poll's answer", () => {
  test("finds in parts of any length what the whole text says", async () => {
    const objects = fc.dictionary(fc.string(), fc.oneof(fc.constant(null), fc.object()));
    const name = fc.constantFrom("devices", "groups", "rooms", "alarms");
    const sections = fc.uniqueArray(fc.tuple(name, objects), { selector: ([of]) => of });
    await fc.assert(
      fc.asyncProperty(sections, fc.integer({ min: 1, max: 300 }), async (of, length) => {
        const text = written(7, of);
        assert.deepEqual(said(await readPoll(text, noTurn, length)), said(JSON.parse(text) as PollAnswer));
      }),
      { numRuns: 200 },
    );
  });

  test("gives the page its turn between parts, and none while it reads a short answer", async () => {
    const text = written(7, [
      ["devices", { a: { name: "Attic" }, b: { name: "Bath" }, c: { name: "Cellar" } }],
    ]);
    let turns = 0;
    const breathe = async (): Promise<void> => void turns++;
    await readPoll(text, breathe, 30);
    assert.equal(turns, 2);
    await readPoll(text, breathe);
    assert.equal(turns, 2);
  });

  test("reads an answer without tabs, as of an older hub, at once", async () => {
    const text = written(7, [["devices", { a: { name: "Attic" }, b: null }]]).replaceAll("\t", "");
    assert.deepEqual(await readPoll(text, noTurn, 1), JSON.parse(text));
  });

  for (const text of ["", "{", "\t", "{\t", '{"polls":[{"devices":{\t"a":{},\t"b"', '{"devices":{\t}'])
    test(`refuses ${JSON.stringify(text)}`, async () => {
      await assert.rejects(readPoll(text, noTurn, 1), SyntaxError);
    });
});
