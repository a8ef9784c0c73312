import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reaction } from "@ledge/model";
import { trialOver } from "@ledge/testkit";
import { scenes } from "../test-house.ts";
import { Life } from "../test-month.ts";
import { catalogue } from "../templates/index.ts";
import type { WhatIfAnswer } from "./outcome.ts";
import { whatIf } from "./what-if.ts";

const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
const steps = Number(process.env["STEPS"] ?? 200);

test(`a rule tried as it was gives the commands that it gave (SEED=${seed})`, async () => {
  const life = await Life.begin(seed);
  const { kernel, hub } = life.house;
  for (let step = 0; step < steps / 4; step++) await life.step();
  const from = kernel.timestamp;
  for (let step = 0; step < steps; step++) await life.step();
  const to = kernel.timestamp;
  const log = hub.log;
  const open = (reactions: readonly Reaction[]) => trialOver(log, from, reactions);
  let commands = 0;
  for (const [id, { config }] of kernel.all("rule")) {
    const isOver = (): boolean => false;
    const of = { catalogue, rules: [config], replaces: [], from, to, on: "recorded", reactions: [scenes] } as const;
    const answer: WhatIfAnswer = whatIf({ ...of, isOver }, open, log.read(from, to));
    assert.deepEqual(answer.diff, { onlyNew: [], onlyOld: [], onlyNewCount: 0, onlyOldCount: 0 }, life.house.name(id));
    commands += answer.commandCount;
  }
  assert.ok(commands > 20, `${commands} commands`);
  await life.house.close();
});
