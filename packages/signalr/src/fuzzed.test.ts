// A short form of the fuzzer of both encodings.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { seededRandom } from "@ledge/testkit";
import type { HubOptions } from "./api.ts";
import { openTestHub, type TestHub } from "./test-hub.ts";
import { FuzzedConnection, type TriedFrame } from "./testdata/fuzzed-connection.ts";
import { fuzzedMethods } from "./testdata/fuzzed-hub.ts";
import type { Chance } from "./testdata/mutated-frames.ts";

const seed = 7;

function chance(number: number): Chance {
  const below = seededRandom(seed * 1_000_003 + number);
  return {
    below,
    chance: (probability) => below(1_000_000) < probability * 1_000_000,
    pick: (list) => list[below(list.length)] as (typeof list)[number],
  };
}

/** Serves the hub that frames call. */
async function serve(options: Partial<HubOptions> = {}): Promise<TestHub> {
  const served: { world?: TestHub } = {};
  const world = await openTestHub({
    ...fuzzedMethods(() => served.world?.hub.connections.size ?? 0),
    ...options,
  });
  served.world = world;
  after(() => world[Symbol.asyncDispose]());
  return world;
}

async function fuzz(world: TestHub, isBinary: boolean, count: number): Promise<readonly TriedFrame[]> {
  const connection = new FuzzedConnection(world.url.replace("http", "ws"), isBinary);
  const tried: TriedFrame[] = [];
  for (let number = 0; number < count; number++) tried.push(await connection.try(chance(number), number));
  assert.equal(await connection.countOfAll(), 1, "no connection is left");
  return tried;
}

const problemsIn = (tried: readonly TriedFrame[]): readonly string[] =>
  tried.flatMap(({ problems, shown }) => problems.map((problem) => `${problem}: ${shown}`));

for (const [name, isBinary] of [
  ["JSON", false],
  ["MessagePack", true],
] as const) {
  test(`a hub does with mutated frames of ${name} what its reader says (seed ${seed})`, async () => {
    const world = await serve();
    const tried = await fuzz(world, isBinary, 500);
    assert.deepEqual(problemsIn(tried), []);
    assert.deepEqual(world.errors, []);
    const outcomes = new Set(tried.map(({ outcome }) => outcome));
    assert.ok(outcomes.has("read") && outcomes.has("refused"), [...outcomes].join(" "));
    // A record of JSON ends at the next separator, so only lengths leave the hub waiting.
    if (isBinary) assert.ok(outcomes.has("waits"));
  });

  test(`frames of ${name} show a hub that reads otherwise`, async () => {
    const world = await serve({ maxDepth: 3 });
    const tried = await fuzz(world, isBinary, 100);
    assert.match(
      problemsIn(tried).join("\n"),
      /ended with: the message is nested too deeply; the reader says/,
    );
  });
}
