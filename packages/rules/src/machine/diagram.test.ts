import assert from "node:assert/strict";
import { test } from "node:test";
import { isRejection } from "@ledge/model";
import { parseCustomRule } from "../custom/source.ts";
import { changed, stairsSource } from "../custom/test-sources.ts";
import { diagram } from "./diagram.ts";
import { catalogue } from "../templates/index.ts";

test("diagram draws a custom rule with its guards in words and marks its current state", () => {
  const parsed = parseCustomRule(stairsSource);
  assert.ok(!isRejection(parsed));
  assert.equal(
    diagram(parsed.template, [{ on: { lit: "dim" } }]),
    `stateDiagram-v2
  [*] --> off
  off --> on: rule.on
  on --> off: rule.off
  state on {
    [*] --> on__dark
    state "dark" as on__dark
    on__dark --> on__lit: in.motion [in.motion.value and in.motion.news and ((seen(lux) == 0) or (max(lux) < cfg.maxLux))]
    state "lit" as on__lit
    state on__lit {
      [*] --> on__lit__bright
      state "bright" as on__lit__bright
      on__lit__bright --> on__lit__dim: after cfg.timeout
      state "dim" as on__lit__dim
      on__lit__dim --> on__dark: after 10000 ms
    }
    on__lit --> on__lit__bright: in.motion [any(motion)]
  }
  on --> on: out.lights
  classDef current stroke-width:4px,font-weight:bold
  class on__lit__dim current
`,
  );
});

test("diagram escapes the text of a guard in a label", () => {
  const evil = '%%{init: {"theme": "dark"}}%% <img src=x>\u2028click a';
  const guard = { type: "expr", params: { expr: { "==": [evil, { var: "in.motion.device" }] } } };
  const parsed = parseCustomRule(changed("machine/states/dark/always", { guard, target: "lit" }));
  assert.ok(!isRejection(parsed));
  const drawn = diagram(parsed.template);
  assert.match(drawn, /init, /);
  assert.doesNotMatch(drawn, /%%|<img|\u2028/);
});

for (const template of catalogue.templates) {
  test(`diagram draws each state of ${template.configType} that an arrow leads to`, () => {
    const lines = diagram(template, ["off"]).split("\n");
    const named = new Set(lines.flatMap((line) => /state "(?:.+)" as (\w+)$/.exec(line)?.[1] ?? []));
    for (const line of lines) {
      const [, from = "", to = "", label = ""] = /^\s*(\S+) --> (\S+?)(?:: (.+))?$/.exec(line) ?? [];
      for (const id of [from, to])
        assert.ok(["", "[*]", "on", "off"].includes(id) || named.has(id), `${line}: ${id}`);
      assert.ok(!/[:;]/.test(label), line);
    }
    assert.equal(
      lines.filter((line) => line.endsWith("{")).length,
      lines.filter((line) => line.trim() === "}").length,
    );
    assert.ok(lines.includes("  class off current"));
  });
}
