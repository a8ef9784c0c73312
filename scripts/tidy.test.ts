import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { recipesIn } from "./recipes.ts";
import * as tidy from "./tidy.ts";

const root = join(import.meta.dirname, "..");
const files = checkedOut();
const links = tidy.linksTo((path) => existsSync(join(root, path)));

/** Rules that hold for every file, each with a file that violates it. */
const rules: readonly [title: string, rule: tidy.Rule, path: string, badText: string][] = [
  ["no code file has more than 500 lines", tidy.fileLength, "a.ts", "\n".repeat(501)],
  ["every file name says what is in the file", tidy.fileName, "packages/x/stringUtils.ts", ""],
  ["only files that compose a package are at its top", tidy.inItsRoom, "packages/hub/src/space.ts", ""],
  ["every test runs", tidy.noSkippedTest, "a.test.ts", 'test.skip("x", () => {});'],
  ["every test runs, options included", tidy.noSkippedTest, "a.test.ts", 'test("x", { skip: true }, f);'],
  ["no file has markers for unfinished work", tidy.noMarkers, "README.md", "Some text. TODO: the rest."],
  ["no file contains a path of one machine", tidy.noMachinePath, "a.ts", 'open("/home/anna/ledge/x");'],
  ["no file contains a registry address", tidy.noRegistry, "a.md", "from https://registry.example.org/x"],
  [
    "no lock contains a tarball address",
    tidy.noRegistry,
    "pnpm-lock.yaml",
    "  tarball: https://example.org/x.tgz",
  ],
  ["every test file asserts something", tidy.assertsSomething, "a.test.ts", 'test("x", () => run());'],
  ["every relative link leads to a file", links, "docs/a.md", "See [this](../nowhere/b.md#part)."],
  [
    "every decision has all its parts",
    tidy.decisionShape,
    "docs/adr/0001-x.md",
    "## Status\n## Context\n## Decision",
  ],
  [
    "every decision is numbered",
    tidy.decisionShape,
    "docs/adr/x.md",
    "Status\nContext\nDecision\nConsequences",
  ],
];

for (const [title, rule, path, badText] of rules) {
  test(title, () => {
    assert.equal(rule({ path, text: badText }).length, 1, "the rule misses the bad sample");
    assert.deepEqual(files.flatMap(rule), []);
  });
}

test("ignores links in code and links elsewhere", () => {
  const text = "`[a](b.md)`\n\n```\n[a](b.md)\n```\n[here](#part) and [there](https://example.org/)";
  assert.deepEqual(links({ path: "docs/a.md", text }), []);
});

/** scripts/recipes.test.ts follows them, which takes minutes. */
test("the diffs of every recipe apply to the tree", () => {
  const recipes = recipesIn(readFileSync(join(root, "CONTRIBUTING.md"), "utf8"));
  assert.ok(recipes.length > 0);
  for (const { title, diffs } of recipes) {
    const args = ["-c", "safe.directory=*", "apply", "--check", "-"];
    const { stderr } = spawnSync("git", args, { cwd: root, input: diffs.join(""), encoding: "utf8" });
    assert.equal(stderr, "", title);
  }
});

test("every file listed as composing a package exists", () => {
  const listed = Object.entries(tidy.composing).flatMap(([folder, stems]) =>
    stems.map((stem) => `${folder}/${stem}.ts`),
  );
  assert.deepEqual(
    listed.filter((path) => !existsSync(join(root, path))),
    [],
  );
});

test("every decision has a number of its own, in its file's name and its title", () => {
  const decisions = files.filter(({ path }) => /^docs\/adr\/\d/.test(path));
  const numbers = decisions.map(({ path }) => Number(path.slice("docs/adr/".length).split("-")[0]));
  assert.deepEqual(numbers, [...new Set(numbers)]);
  assert.deepEqual(
    decisions.map(({ text }) => Number(/^# (\d+)\. /.exec(text)?.[1])),
    numbers,
  );
});

test("the pages that a reader looks for exist", () => {
  const wanted = ["README", "ARCHITECTURE", "CHANGELOG", "CONTRIBUTING", "SECURITY", "docs/glossary"];
  const missing = [...wanted.map((name) => `${name}.md`), "LICENSE"].filter(
    (path) => !existsSync(join(root, path)),
  );
  assert.deepEqual(missing, []);
});

test("the architecture is short enough to read in one sitting, and the change log names a version", () => {
  const lines = page("ARCHITECTURE.md").split("\n").length - 1;
  assert.ok(lines <= 200, `ARCHITECTURE.md has ${lines} lines, at most 200`);
  assert.match(page("CHANGELOG.md"), /^## \[?(?:Unreleased|v?\d+\.\d+\.\d+)/m);
});

const licences: readonly [licence: string, isGpl: boolean][] = [
  ["MIT", false],
  ["(MIT OR GPL-3.0-or-later)", false],
  ["BSD-3-Clause AND MIT", false],
  ["GPL-3.0-only", true],
  ["LGPL-2.1", true],
  ["MIT AND AGPL-3.0", true],
  ["GNU General Public License v3", true],
];

for (const [licence, isGpl] of licences) {
  test(`${licence} ${isGpl ? "is" : "is not"} a GPL licence`, () => {
    assert.equal(tidy.isGpl(licence), isGpl);
  });
}

test("the dependency tree has no package with a GPL licence", () => {
  const manifests = globSync("node_modules/.pnpm/*/node_modules/{*,@*/*}/package.json", { cwd: root });
  assert.ok(manifests.length > 0, "the dependency tree has moved");
  const found = manifests.filter((path) => tidy.isGpl(licenceOf(JSON.parse(page(path)))));
  assert.deepEqual(found, []);
});

/** Returns the licence. Old packages have an object, or a list of objects, instead of a name. */
function licenceOf(manifest: { license?: unknown; licenses?: unknown }): string {
  return JSON.stringify(manifest.license ?? manifest.licenses ?? "");
}

/** Returns what git tracks or would track, text files only. */
function checkedOut(): readonly tidy.File[] {
  // In a container the checkout may belong to another user, which git refuses by default.
  const args = ["-c", "safe.directory=*", "ls-files", "-coz", "--exclude-standard"];
  const paths = execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\0");
  return paths
    .filter((path) => path !== "" && existsSync(join(root, path)))
    .map((path) => ({ path, text: page(path) }))
    .filter(({ text }) => !text.includes("\0"));
}

function page(path: string): string {
  return readFileSync(join(root, path), "utf8");
}
