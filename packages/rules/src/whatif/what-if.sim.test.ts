import assert from "node:assert/strict";
import { test } from "node:test";
import { Life } from "../testdata/month.ts";
import { tryIn } from "./test-what-if.ts";

// A fixed month by default: rules that act at the same instant may act in another order in a trial.
const seed = Number(process.env["SEED"] ?? 24);
const steps = Number(process.env["STEPS"] ?? 150);

test(`a trial of an unchanged rule gives the recorded commands (SEED=${seed})`, async () => {
  const life = await Life.begin(seed);
  const { kernel } = life.house;
  for (let step = 0; step < steps / 3; step++) await life.step();
  const from = kernel.timestamp;
  for (let step = 0; step < steps; step++) await life.step();
  const span = { from, to: kernel.timestamp };
  let commands = 0;
  for (const [id, { config }] of kernel.all("rule")) {
    const answer = tryIn(life.house, span, [config], { on: "recorded" });
    const { diff } = answer;
    const none = { onlyNew: [], onlyOld: [], onlyNewCount: 0, onlyOldCount: 0 };
    assert.deepEqual(diff, none, life.house.name(id));
    assert.deepEqual(tryIn(life.house, span, [config], { on: "recorded" }), answer);
    commands += answer.commandCount;
  }
  assert.ok(commands > 20, `${commands} commands`);
  await life.house.close();
});
