import assert from "node:assert/strict";
import { test } from "node:test";
import type { Commit, LoggedEvent, RuleConfig } from "@ledge/model";
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
  let passed = 0;
  for (const [id, { config }] of kernel.all("rule")) {
    const answer = tryIn(life.house, span, [config], { on: "recorded" });
    const { diff } = answer;
    const none = { onlyNew: [], onlyOld: [], onlyNewCount: 0, onlyOldCount: 0 };
    assert.deepEqual(diff, none, life.house.name(id));
    assert.deepEqual(tryIn(life.house, span, [config], { on: "recorded" }), answer);
    const few = tryIn(life.house, span, [config], { on: "recorded" }, (commit) => {
      const isHeeded = mayHeed(config, commit);
      if (!isHeeded) passed += 1;
      return isHeeded;
    });
    assert.deepEqual(few, answer, "what the hub passes over changes no answer");
    commands += answer.commandCount;
  }
  assert.ok(passed > 20, `${passed} commits passed over`);
  assert.ok(commands > 20, `${commands} commands`);
  await life.house.close();
});

/** As the hub's reader of the log chooses commits: packages/hub/src/past/tasks/heeded.ts. */
function mayHeed({ inputs, outputs }: RuleConfig, { events }: Commit): boolean {
  const [event, ...more] = events as readonly (LoggedEvent & { attributes?: object })[];
  if (event?.type !== "DeviceReported" || more.length > 0 || event.origin !== "device") return true;
  const named = [inputs, outputs].flatMap((fields) => Object.values(fields).flat());
  return named.includes(event.id) || "reachable" in (event.attributes ?? {});
}
