// docs/egress.md: a receiver gets what happens in a site, also what happened while it was down.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { playPage, shapeOf } from "./session.ts";

const root = join(import.meta.dirname, "..");
const page = readFileSync(join(root, "docs", "egress.md"), "utf8");

test("the page shows the receiver that it runs: twenty lines or so", () => {
  const program = readFileSync(join(root, "packages/cloud/examples/receive.mjs"), "utf8");
  assert.ok(page.includes(`\`\`\`js\n${program}\`\`\`\n`));
  assert.ok(program.split("\n").filter((line) => line !== "").length <= 23);
});

test("the session prints what the page shows, except for values", async () => {
  const { shown, played } = await playPage("egress");
  assert.ok(shown.length > 15, "the page has no session");
  assert.deepEqual(shapeOf(played, true), shapeOf(shown, true));
});
