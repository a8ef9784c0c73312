// Deletes the platform 1.0 API from a copy of the tree, with the lines that name it, and checks the rest.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { follow } from "./recipes.ts";

const name = "platform1";
const own = `packages/cloud/src/${name}`;
/** The only files outside the folder whose code names it. */
const naming = [
  "packages/cloud/src/http/app.ts",
  "packages/cloud/src/run.ts",
  "packages/cloud/src/settings.ts",
];

/** It checks all types of the copy and runs many tests there. */
const timeout = 900_000;

test("the 1.0 API can be deleted with the lines that name it, and the rest runs", { timeout }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "ledge-without-platform1-"));
  t.after(() => rmSync(folder, { recursive: true }));
  await follow({ title: "copy", diffs: [], files: {}, commands: [] }, folder);
  rmSync(join(folder, own), { recursive: true });
  const code = globSync(["packages/**/src/**/*.ts", "scripts/**/*.ts", "bench/**/*.ts"], { cwd: folder });
  const left = code.filter((path) => !path.includes("node_modules") && textOf(folder, path).includes(name));
  assert.deepEqual(left.toSorted(), [...naming, `scripts/${name}-deleted.test.ts`]);
  for (const path of naming) {
    const lines = textOf(folder, path).split("\n");
    writeFileSync(join(folder, path), lines.filter((line) => !line.includes(name)).join("\n"));
  }
  // Remove the variable that tells a nested test runner about the outer one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const suites = ["graph/registers.test.ts", "http/graph.test.ts", "push/site-source.test.ts"];
  for (const args of [
    ["--only", "types"],
    ["--only", "test", ...suites.map((path) => `packages/cloud/src/${path}`)],
  ]) {
    const { status, stdout } = spawnSync(process.execPath, ["scripts/check.ts", ...args], {
      cwd: folder,
      env,
      encoding: "utf8",
    });
    assert.equal(status, 0, stdout.slice(-5000));
  }
});

function textOf(folder: string, path: string): string {
  return readFileSync(join(folder, path), "utf8");
}
