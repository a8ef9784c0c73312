import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { catalogue } from "../templates/index.ts";

test("docs/rules.md lists exactly the templates that clients can use", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/rules.md"), "utf8");
  const listed = [...page.matchAll(/^\| `(\w+)`\s*\| (.*?)\s*\| (\w+)\s*\| (\w*)\s*\|$/gm)];
  const offered = catalogue.templates.filter(({ internal }) => !internal);
  assert.deepEqual(
    listed.map(([, ...cells]) => cells),
    offered.map((of) => [of.configType, of.texts.en.summary, of.class, of.feature ?? ""]),
  );
});
