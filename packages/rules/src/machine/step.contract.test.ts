import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { seededRandom } from "@ledge/testkit";
import { transition } from "xstate";
import { toDirectedGraph } from "xstate/graph";
import { isIdle, machineOf, resolve, standing, step } from "./step.ts";
import { RandomRule } from "../testdata/view.ts";
import { catalogue } from "../templates/index.ts";

const walks = 60;
/** More walks follow, up to this many, until every state was reached. */
const mostWalks = 1000;
const steps = 60;

/** Returns the names of the states in a snapshot's value: `on` and `on.waiting` alike. */
function statesIn(value: unknown, path = ""): string[] {
  if (typeof value === "string") return [path === "" ? value : `${path}.${value}`];
  return Object.entries(value as object).flatMap(([name, inner]) => {
    const here = path === "" ? name : `${path}.${name}`;
    return [here, ...statesIn(inner, here)];
  });
}

function allStates(node: ReturnType<typeof toDirectedGraph>): string[] {
  return node.children.flatMap((child) => [child.id.replace(/^rule\./, ""), ...allStates(child)]);
}

for (const template of catalogue.templates) {
  describe(template.configType, () => {
    const machine = machineOf(template.chart);

    test("steps like xstate's own transition, and random walks reach every state", () => {
      const reached = new Set<string>();
      const states = allStates(toDirectedGraph(machine.machine));
      const isDone = (): boolean => states.every((state) => reached.has(state));
      for (let walk = 0; walk < walks || (walk < mostWalks && !isDone()); walk++) {
        const random = seededRandom(walk + 1);
        const rule = new RandomRule(template, random);
        let snapshot = machine.initial;
        let timers = new Set<string>();
        for (let at = 0; at < steps; at++) {
          const event = rule.event([...timers]);
          const mine = step(machine, snapshot, event);
          const [theirs, done] = transition(machine.machine, snapshot, event as never);
          const actions = done as readonly { type: string; params: unknown }[];
          assert.deepEqual(standing(mine.snapshot), standing(theirs as never));
          assert.equal(mine.snapshot === snapshot, theirs === snapshot, `${event.type} changes nothing`);
          const running = new Set<string>();
          for (const { type, params } of actions) {
            const { event: ends, sendId } = params as { event: { type: string }; sendId: string };
            if (type === "xstate.raise") running.add(ends.type);
            else if (type === "xstate.cancel") running.delete(sendId);
          }
          assert.deepEqual(new Set(mine.timers.map(({ name }) => name)), running);
          const wanted = actions.filter(({ type }) => type === "out");
          assert.deepEqual(
            mine.effects,
            wanted.flatMap(({ params }) => (params as { effects: object[] }).effects),
          );
          for (const { durationMs } of mine.timers) assert.ok(Number.isSafeInteger(durationMs), event.type);
          timers = new Set(
            [...timers].filter((name) => name !== event.type && !mine.cancelled.includes(name)),
          );
          for (const { name } of mine.timers) timers.add(name);
          snapshot = mine.snapshot;
          for (const state of statesIn(snapshot.value)) reached.add(state);
          // The logged part of a snapshot is enough to continue.
          const written = JSON.parse(JSON.stringify(standing(snapshot))) as ReturnType<typeof standing>;
          assert.deepEqual(written, standing(snapshot), "all of it survives JSON");
          if (random(4) === 0) snapshot = resolve(machine, written);
        }
        const off = step(machine, snapshot, { ...rule.event([]), type: "rule.off" });
        assert.equal(off.snapshot.value, "off");
        assert.ok(isIdle(off.snapshot));
        assert.deepEqual(
          [...timers].filter((name) => !off.cancelled.includes(name)),
          [],
          "rule.off cancels every timer",
        );
      }
      assert.deepEqual(
        states.filter((state) => !reached.has(state)),
        [],
        "states that no walk has reached",
      );
    });

    test("has a delay for every timer, and a late policy only for its own timers", () => {
      const named = JSON.stringify(template.chart.states, (key, value: unknown) =>
        typeof value === "function" ? 0 : value,
      );
      const used = [...named.matchAll(/"after":\{"(\w+)"/g)].map(([, name]) => name ?? "");
      assert.deepEqual(
        used.filter((name) => !(name in (template.chart.delays ?? {}))),
        [],
      );
      for (const name of Object.keys(template.lateOf ?? {}))
        assert.ok(name in (template.chart.delays ?? {}), name);
    });
  });
}
