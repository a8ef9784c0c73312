import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reaction } from "@ledge/model";
import { openTestKernel } from "@ledge/testkit";

const throwing: Reaction = {
  name: "throwing",
  on: ["TimerFired"],
  react: ({ id }) => {
    if (id === "bad") throw new Error("no way");
    return [];
  },
};

test("reports a timer whose reactions throw, without holding up the others", async () => {
  const errors: string[] = [];
  const { kernel, clock, accept } = openTestKernel({
    reactions: [throwing],
    onError: ({ message }) => errors.push(message),
  });
  for (const id of ["first", "bad", "last"])
    await accept({ type: "SET_TIMER", id, durationMs: 1000, late: "fire" });
  await clock.pass(2000);
  assert.deepEqual(
    [...kernel.all("timer")].map(([id]) => id),
    ["bad"],
  );
  assert.deepEqual(errors, ["no way"]);
  assert.equal(kernel.health.state, "serving");
});
