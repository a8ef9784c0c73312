import assert from "node:assert/strict";
import { test } from "node:test";
import type { RuleDiagram } from "@ledge/model";
import { openRuleHome } from "@ledge/testkit/templates";
import { type Box, layoutOf } from "./layout.ts";

const holds = (outer: Box, inner: Box): boolean =>
  outer.x <= inner.x &&
  outer.y <= inner.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

test("draws the machine of every template: each state in its parent, and beside the others", async () => {
  const home = await openRuleHome();
  for (const { configType } of home.templates("en")) {
    const of = home.diagram(configType);
    const { boxes, arrows, width, height } = layoutOf(of, ({ on, guard }) => `${on} ${guard}`);
    assert.equal(arrows.length, of.transitions.length, configType);
    assert.ok(
      arrows.every(({ points }) => points.length > 1),
      configType,
    );
    const whole = { x: 0, y: 0, width, height } as Box;
    for (const [index, { id, parent }] of of.states.entries()) {
      const [box, outer] = [boxes[index], boxes.find((other) => other.id === parent)];
      assert.ok(box && holds(outer ?? whole, box), `${configType} ${id}`);
      const beside = boxes.filter((other) => other.id !== id && parentOf(of, other.id) === parent);
      assert.ok(!beside.some((other) => overlap(box, other)), `${configType} ${id}`);
    }
  }
});

function parentOf({ states }: RuleDiagram, id: string): string | null | undefined {
  return states.find((state) => state.id === id)?.parent;
}

const state = (id: string, parent: string | null, more: object = {}): RuleDiagram["states"][number] => ({
  id,
  name: id.split(".").at(-1) ?? "",
  parent,
  initial: false,
  parallel: false,
  current: false,
  ...more,
});
const arrow = (from: string, to: string) => ({ from, to, on: "x", after: null, guard: null });

test("leads an arrow to a state with others within it to the one that is entered first", () => {
  const states = [
    state("off", null, { current: true }),
    state("on", null),
    state("on.b", "on"),
    state("on.a", "on", { initial: true }),
  ];
  const transitions = [arrow("off", "on"), arrow("on", "off"), arrow("on.a", "on.a"), arrow("on.a", "gone")];
  const { boxes, arrows } = layoutOf(
    { type: "RULE_DIAGRAM", configType: "X", states, transitions },
    () => "x",
  );
  assert.equal(arrows.length, 3);
  const [first] = arrows;
  const entered = boxes.find(({ id }) => id === "on.a");
  const end = first?.points.at(-1);
  assert.ok(entered && end);
  assert.ok(
    Math.abs(end.y - entered.y) < 1 || Math.abs(end.y - entered.y - entered.height) < 1,
    "at its edge",
  );
  assert.deepEqual(
    boxes.filter(({ isCurrent }) => isCurrent).map(({ id }) => id),
    ["off"],
  );
  assert.deepEqual(
    boxes.filter(({ isWhole }) => isWhole).map(({ id }) => id),
    ["on"],
  );
});
