import assert from "node:assert/strict";
import { test } from "node:test";
import type { Move, TestKernel } from "@ledge/testkit";
import { commandOf, homeReactions, openTestKernel } from "@ledge/testkit";
import fc from "fast-check";

/**
 * Checks the invariants of scenes and of the rules that list them after each command of a random history, on
 * what clients see after each commit, also after refused commands.
 */

const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);

const name: fc.Arbitrary<Move["name"]> = fc.constantFrom(
  "add device",
  "remove device",
  "add scene",
  "change scene",
  "turn scene",
  "turn scene",
  "turn scene",
  "remove scene",
  "add rule",
  "change rule",
  "turn rule",
  "settle command",
);
const move: fc.Arbitrary<Move> = fc.record({ name, pick: fc.nat(20), value: fc.nat(500) });

function check({ kernel }: TestKernel): void {
  const scenes = [...kernel.all("scene")].map(([, state]) => state);
  const factory = scenes.filter(({ category }) => category === "FACTORY");
  assert.deepEqual([factory.length, new Set(factory.map(({ icon }) => icon)).size], [2, 2]);
  assert.equal(factory.filter(({ isOn }) => isOn).length, 1, "exactly one of HOME and AWAY is on");
  for (const { id, isOn, requiredIds, presets } of scenes) {
    for (const required of requiredIds) {
      const other = kernel.get("scene", required);
      assert.ok(other, "a required scene exists");
      if (isOn) assert.ok(other.isOn, "the requirements of a scene that is on are on");
    }
    const holdsPresets = Object.keys(presets).length > 0;
    assert.equal(
      kernel.get("activator", id) !== undefined,
      holdsPresets,
      "a scene with presets has an activator",
    );
    for (const target of Object.values(presets).flatMap(({ targetIds }) => targetIds)) {
      assert.ok(kernel.get("device", target), "targets exist");
    }
  }
  assert.ok(kernel.size("activator") <= scenes.length);
  for (const [, { scenes: listed, is_on }] of kernel.all("rule")) {
    if (listed.length === 0) continue;
    const lit = listed.some((id) => kernel.get("scene", id)?.isOn);
    assert.equal(is_on, lit, "a rule that lists scenes is on exactly while one of them is");
  }
}

test(`scenes and rules keep their invariants through random commands (SEED=${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 10, maxLength: 60, size: "max" }), async (moves) => {
      const home = openTestKernel({ reactions: homeReactions });
      await home.accept({ type: "ADD_FACTORY_SCENES" });
      for (const it of moves) {
        const command = commandOf(it, home.kernel);
        if (command !== undefined) await home.submit(command);
        check(home);
      }
      check(home.restart({ release: "another" }));
    }),
    { seed, numRuns: 200 },
  );
});
