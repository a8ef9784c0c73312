// Follows the recipes of CONTRIBUTING.md, and each of them once with a deliberate fault.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test, type TestContext } from "node:test";
import { follow, recipesIn, type Recipe } from "./recipes.ts";

const page = readFileSync(join(import.meta.dirname, "..", "CONTRIBUTING.md"), "utf8");
const recipes = recipesIn(page);

/** A fault for each recipe, and the command that must find it: the first with this beginning. */
const faults: readonly (readonly [title: string, right: string, wrong: string, found: string])[] = [
  ["Add an event", "floor: event.floor", "floor: 0", "npm run check -- --only test"],
  ["Add an endpoint", 'access: "GUEST",\n', 'access: "ANONYMOUS",\n', "npm run check -- --only test"],
  ["Add a rule template", 'any("doors") === false', 'any("doors") === true', "npm run check -- --only test"],
  ["Add an adapter", "+  beacon: ()", "+  beakon: ()", "npm run check -- --only test scripts"],
  ["Add a board", '"baudRate": 19200', '"baudRate": 1', "npm start"],
];

test("the page has a recipe for each thing that is often added", () => {
  const titles = faults.map(([title]) => title);
  assert.deepEqual(
    recipes.map(({ title }) => title),
    titles,
  );
  for (const { title, commands, diffs } of recipes) assert.ok(commands.length * diffs.length > 0, title);
});

/** Types of nearly the whole tree take most of the time, so the recipes that check them share one run. */
const types = "npm run check -- --only types";

/** Each test runs whole steps of the check, which takes minutes on a busy machine. */
const timeout = 900_000;

// Run two at a time, because they mostly wait.
describe("recipes", { concurrency: 2, timeout: 8 * timeout }, () => {
  for (const recipe of recipes) {
    test(`${recipe.title}: the commands of the recipe pass`, { timeout }, async (t) => {
      const folder = temporaryFolder(t);
      const commands = recipe.commands.filter((command) => command !== types);
      const { failed, output } = await follow({ ...recipe, commands }, folder);
      assert.equal(failed, null, output);
      assert.deepEqual(findings(recipe, folder), [], "the recipe's files are formatted and without findings");
    });
  }

  test("the types of all recipes hold, in one tree", { timeout }, async (t) => {
    const typed = recipes.filter(({ commands }) => commands.includes(types));
    const before = typed.flatMap(({ commands }) => commands.slice(0, commands.indexOf(types)));
    const together = {
      title: "all",
      diffs: typed.flatMap(({ diffs }) => diffs),
      files: Object.assign({}, ...typed.map(({ files }) => files)) as Recipe["files"],
      commands: [...new Set(before), types],
    };
    assert.ok(typed.length > 1);
    const { failed, output } = await follow(together, temporaryFolder(t));
    assert.equal(failed, null, output);
  });

  for (const [title, right, wrong, found] of faults) {
    test(`${title}: finds the fault ${wrong.trim()}`, { timeout }, async (t) => {
      const recipe = recipes.find((each) => each.title === title);
      assert.ok(recipe);
      const command = recipe.commands.find((each) => each.startsWith(found)) ?? "";
      const installs = recipe.commands.filter((each) => each.endsWith("pnpm install"));
      const faulty = { ...withFault(recipe, right, wrong), commands: [...installs, command] };
      const { failed } = await follow(faulty, temporaryFolder(t));
      assert.equal(failed, command);
    });
  }
});

test("refuses a diff that does not apply to the tree", async (t) => {
  const diff = "--- a/package.json\n+++ b/package.json\n@@ -1,1 +1,1 @@\n-is not there\n+anything\n";
  const recipe = { title: "x", diffs: [diff], files: {}, commands: [] };
  await assert.rejects(follow(recipe, temporaryFolder(t)), /does not apply/);
});

function withFault({ title, diffs, files, commands }: Recipe, right: string, wrong: string): Recipe {
  const spoiled = JSON.stringify({ diffs, files }).replace(inner(right), inner(wrong));
  const faulty = JSON.parse(spoiled) as Pick<Recipe, "diffs" | "files">;
  assert.notDeepEqual(faulty, { diffs, files }, `the recipe has no ${right}`);
  return { title, commands, ...faulty };
}

/** Returns text as it appears within a JSON string. */
function inner(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Returns the findings of format and lint for the files that a recipe writes. */
function findings({ diffs, files }: Recipe, folder: string): string[] {
  const changed = diffs.flatMap((diff) =>
    [...diff.matchAll(/^\+\+\+ b\/(.+)$/gm)].map(([, path = ""]) => path),
  );
  const paths = [...Object.keys(files), ...changed];
  const code = paths.filter((path) => path.endsWith(".ts"));
  return [
    ...said(folder, "oxfmt", ["--check", ...paths]),
    ...(code.length > 0 ? said(folder, "oxlint", code) : []),
  ];
}

function said(folder: string, tool: string, args: readonly string[]): string[] {
  const program = join(folder, "node_modules", ".bin", tool);
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: "utf8" });
  return status === 0 ? [] : [stdout + stderr];
}

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "ledge-recipe-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
