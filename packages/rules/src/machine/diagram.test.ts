import assert from "node:assert/strict";
import { test } from "node:test";
import { isRejection } from "@ledge/model";
import { parseCustomRule } from "../custom/source.ts";
import { changed, stairsSource } from "../custom/test-sources.ts";
import { catalogue } from "../templates/index.ts";
import { diagram, ruleDiagram } from "./diagram.ts";

const empty = { get: () => undefined, all: () => [].values() };

test("diagram lists the states and transitions of a custom rule and marks its current state", () => {
  const parsed = parseCustomRule(stairsSource);
  assert.ok(!isRejection(parsed));
  const { states, transitions, configType } = diagram(parsed.template, [{ on: { lit: "dim" } }]);
  assert.equal(configType, parsed.template.configType);
  const rest = { initial: false, parallel: false, current: false };
  assert.deepEqual(states, [
    { id: "off", name: "off", parent: null, ...rest, initial: true },
    { id: "on", name: "on", parent: null, ...rest },
    { id: "on.dark", name: "dark", parent: "on", ...rest, initial: true },
    { id: "on.lit", name: "lit", parent: "on", ...rest },
    { id: "on.lit.bright", name: "bright", parent: "on.lit", ...rest, initial: true },
    { id: "on.lit.dim", name: "dim", parent: "on.lit", ...rest, current: true },
  ]);
  const dark = "in.motion.value and in.motion.news and ((seen(lux) == 0) or (max(lux) < cfg.maxLux))";
  const [always, never] = [{ after: null }, { guard: null }];
  assert.deepEqual(transitions, [
    { from: "off", to: "on", on: "rule.on", ...always, ...never },
    { from: "on", to: "off", on: "rule.off", ...always, ...never },
    { from: "on.dark", to: "on.lit", on: "in.motion", ...always, guard: dark },
    { from: "on.lit.bright", to: "on.lit.dim", on: null, after: "cfg.timeout", ...never },
    { from: "on.lit.dim", to: "on.dark", on: null, after: 10_000, ...never },
    { from: "on.lit", to: "on.lit.bright", on: "in.motion", ...always, guard: "any(motion)" },
    { from: "on", to: "on", on: "out.lights", ...always, ...never },
  ]);
});

test("ruleDiagram draws a source that is not installed, and names the line of its mistake", () => {
  const drawn = ruleDiagram(catalogue, empty, { source: stairsSource });
  assert.ok(drawn !== undefined && !isRejection(drawn));
  assert.ok(drawn.states.every(({ current }) => !current));
  const wrong = changed("machine/states/dark/always", { target: "nowhere" });
  const refused = ruleDiagram(catalogue, empty, { source: wrong });
  assert.ok(refused !== undefined && isRejection(refused));
  assert.match(refused.field ?? "", /^machine\.states\.dark\.always/);
  assert.match(refused.message, /\(line \d+\)$/);
});

for (const template of catalogue.templates) {
  test(`diagram has each state of ${template.configType} that a transition or a state names`, () => {
    const { states, transitions } = diagram(template, ["off"]);
    const ids = states.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    for (const { from, to } of transitions)
      assert.ok(ids.includes(from) && ids.includes(to), `${from} ${to}`);
    for (const [index, { id, parent, parallel }] of states.entries()) {
      if (parent !== null) assert.ok(ids.indexOf(parent) < index && ids.includes(parent), id);
      const inner = states.filter((state) => state.parent === id);
      const first = inner.filter(({ initial }) => initial).length;
      assert.equal(first, inner.length > 0 && !parallel ? 1 : 0, id);
    }
    assert.deepEqual(
      states.filter(({ current }) => current).map(({ id }) => id),
      ["off"],
    );
  });
}
