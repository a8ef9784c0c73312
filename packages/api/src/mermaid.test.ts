import assert from "node:assert/strict";
import { test } from "node:test";
import type { RuleDiagram } from "@ledge/model";
import { mermaid } from "./mermaid.ts";

type State = RuleDiagram["states"][number];
type Transition = RuleDiagram["transitions"][number];

function state(id: string, more: Partial<State> = {}): State {
  const [name = "", ...around] = id.split(".").toReversed();
  const parent = around.length === 0 ? null : around.toReversed().join(".");
  return { id, name, parent, initial: false, parallel: false, current: false, ...more };
}

function arrow(from: string, to: string, more: Partial<Transition> = {}): Transition {
  return { from, to, on: null, after: null, guard: null, ...more };
}

const lamp: RuleDiagram = {
  type: "RULE_DIAGRAM",
  configType: "LAMP",
  states: [
    state("off", { initial: true }),
    state("on", { parallel: true }),
    state("on.a-b"),
    state("on.a-b.dim", { initial: true, current: true }),
    state("on.c"),
  ],
  transitions: [
    arrow("off", "on", { on: "rule.on" }),
    arrow("on.a-b", "on.a-b", { on: "in.motion", guard: "any(motion)" }),
    arrow("on.a-b.dim", "on.c", { after: 10_000 }),
    arrow("on.c", "on.a-b", { after: "cfg.timeout" }),
    arrow("on", "off"),
  ],
};

test("mermaid draws states within states, regions side by side, and the current state", () => {
  assert.equal(
    mermaid(lamp),
    `stateDiagram-v2
  [*] --> off
  off --> on: rule.on
  state on {
    state "a-b" as on__a_2db
    state on__a_2db {
      [*] --> on__a_2db__dim
      state "dim" as on__a_2db__dim
      on__a_2db__dim --> on__c: after 10000 ms
    }
    on__a_2db --> on__a_2db: in.motion [any(motion)]
    --
    state "c" as on__c
    on__c --> on__a_2db: after cfg.timeout
  }
  on --> off
  classDef current stroke-width:4px,font-weight:bold
  class on__a_2db__dim current
`,
  );
});

test("mermaid escapes the text of a guard in a label", () => {
  const guard = '%%{init: {"theme": "dark"}}%% <img src=x>\u2028click a; b';
  const drawn = mermaid({ ...lamp, transitions: [arrow("on", "off", { guard })] });
  assert.match(drawn, /init, /);
  assert.doesNotMatch(drawn, /%%|<img|\u2028|;/);
});
