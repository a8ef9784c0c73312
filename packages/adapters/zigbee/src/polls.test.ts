import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedClock } from "@ledge/testkit";
import { Chores } from "./chores.ts";
import { unitsOf } from "./map/index.ts";
import { nodeFacts, testIeee } from "./map/test-node.ts";
import { Node } from "./nodes.ts";
import { Polls } from "./polls.ts";

const everyMs = 600_000;
const facts = nodeFacts([
  { device: 0x0051, in: [0x0b04], values: { haElectricalMeasurement: { powerFactor: 90 } } },
]);

/** A plug with a power factor. Each read of it waits for its answer. */
function stage() {
  const clock = new SimulatedClock();
  const answers: (() => void)[] = [];
  const once = (): Promise<void> => new Promise((resolve) => void answers.push(resolve));
  const polls = new Polls({ clock, chores: new Chores(() => {}), sending: { once } });
  const plug = new Node(facts);
  plug.units = unitsOf(facts);
  plug.kept.set(testIeee, null);
  return { clock, answers, polls, plug };
}

test("reads a value again and again, and the next time after the answer", async () => {
  const { clock, answers, polls, plug } = stage();
  polls.begin(plug);
  for (const reads of [1, 2, 3]) {
    await clock.pass(everyMs);
    assert.equal(answers.length, reads);
    assert.equal(clock.waiting, 0);
    answers.at(-1)?.();
    await clock.pass(0);
    assert.equal(clock.waiting, 1);
  }
});

for (const [what, end] of [
  ["the network is down", (polls: Polls) => polls.stop()],
  ["the device has left", (polls: Polls) => polls.forget(testIeee)],
] as const)
  test(`reads nothing more when ${what}, although a read is under way`, async () => {
    const { clock, answers, polls, plug } = stage();
    polls.begin(plug);
    await clock.pass(everyMs);
    end(polls);
    answers[0]?.();
    await clock.pass(0);
    assert.equal(clock.waiting, 0);
    await clock.pass(everyMs);
    assert.equal(answers.length, 1);
  });

test("keeps one course of reads when it begins anew while a read is under way", async () => {
  const { clock, answers, polls, plug } = stage();
  polls.begin(plug);
  await clock.pass(everyMs);
  polls.stop();
  polls.begin(plug);
  await clock.pass(everyMs / 2);
  answers[0]?.();
  await clock.pass(everyMs / 2);
  assert.equal(answers.length, 2, "the late answer did not put the read off");
});
