import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "@ledge/testkit";
import { HostileNetwork } from "./test-hostile.ts";

const cases = Number(process.env["CASES"] ?? 500);
const seed = Number(process.env["SEED"] ?? Date.now() % 100_000);

test(`client and server go on after malformed frames (SEED=${seed})`, async () => {
  const network = await HostileNetwork.start();
  const outcomes = new Set<string>();
  try {
    for (let number = 0; number < cases; number++) {
      const { outcome, shown, problems } = await network.try(seededRandom(seed + number));
      assert.deepEqual(problems, [], `seed ${seed}, case ${number}: ${shown}`);
      outcomes.add(outcome);
    }
  } finally {
    await network.close();
  }
  for (const outcome of ["server", "client done", "client abort", "client garbled"])
    assert.ok(outcomes.has(outcome), outcome);
});
