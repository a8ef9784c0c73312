import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { collectGarbage } from "@ledge/testkit";
import { Section } from "./answer.ts";
import { Arena } from "./arena.ts";

/**
 * Makes a section write this many runs.
 * @returns one of the chunks that held them
 */
function written(section: Section, runs: number): WeakRef<object> {
  section.clear();
  const fragments = Array.from({ length: runs }, () => new Arena().add('"a":1'));
  for (const fragment of fragments) section.add(fragment);
  const end = section.write(new Uint8Array(0), Buffer.alloc(section.bytes + 1), 0);
  assert.equal(end, section.bytes);
  section.clear();
  return new WeakRef(fragments.at(-1)?.chunk ?? {});
}

for (const runs of [17, 1024, 1025, 1500])
  test(`releases the chunks of an answer of ${runs} runs when the next answer begins`, async () => {
    const section = new Section();
    const chunk = written(section, runs);
    // A WeakRef keeps its target alive until the end of the turn.
    await turn();
    collectGarbage();
    assert.equal(chunk.deref(), undefined);
    assert.equal(section.bytes, 0);
  });
