// docs/platform.md: a client watches a home, Graph switches a lamp in it, and the client sees that.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { playPage, shapeOf } from "./session.ts";

const root = join(import.meta.dirname, "..");
const page = readFileSync(join(root, "docs", "platform.md"), "utf8");

test("the page shows the program that it runs: twelve lines", () => {
  const program = readFileSync(join(root, "packages/cloud/examples/watch.mjs"), "utf8");
  assert.ok(page.includes(`\`\`\`js\n${program}\`\`\`\n`));
  assert.equal(program.split("\n").filter((line) => line !== "").length, 12);
});

test("the session prints what the page shows, except for values", async () => {
  const { shown, played } = await playPage("platform");
  assert.ok(shown.length > 15, "the page has no session");
  assert.deepEqual(shapeOf(played, true), shapeOf(shown, true));
});
