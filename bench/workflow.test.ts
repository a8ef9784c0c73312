// The form of the workflow, without a network: what GitHub would refuse, and what it is there for.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const text = readFileSync(join(import.meta.dirname, "..", ".github", "workflows", "ci.yml"), "utf8");

type Node = { [key: string]: Node } | string;

/** The block mappings and scalars of YAML that the workflow keeps to; lists stay as text. */
function mapping(lines: readonly string[], indent = 0): Record<string, Node> {
  const found: Record<string, Node> = {};
  for (let at = 0; at < lines.length; at++) {
    const [, spaces = "", key, value = ""] = /^( *)([\w-]+):(?: +(.*))?$/.exec(lines[at] ?? "") ?? [];
    if (key === undefined || spaces.length !== indent) continue;
    let end = at + 1;
    while (end < lines.length && (/^ */.exec(lines[end] ?? "")?.[0].length ?? 0) > indent) end++;
    const below = lines.slice(at + 1, end);
    const isList = below[0]?.trim().startsWith("- ") ?? false;
    assert.ok(!(key in found), `${key} stands twice`);
    if (below.length === 0) found[key] = value;
    else found[key] = isList ? below.join("\n") : mapping(below, indent + 2);
    at = end - 1;
  }
  return found;
}

const workflow = mapping(text.split("\n").filter((line) => line.trim() !== "" && !/^\s*#/.test(line)));
const job = ((workflow["jobs"] as Record<string, Node>)["test"] ?? {}) as Record<string, Node>;

test("it has only keys that GitHub knows", () => {
  const known = {
    workflow: ["name", "on", "permissions", "jobs"],
    job: ["strategy", "runs-on", "timeout-minutes", "container", "steps"],
    strategy: ["fail-fast", "matrix"],
    on: ["push", "pull_request"],
  };
  assert.deepEqual(Object.keys(workflow), known.workflow);
  assert.deepEqual(Object.keys(job), known.job);
  assert.deepEqual(Object.keys(job["strategy"] ?? {}), known.strategy);
  assert.deepEqual(Object.keys(workflow["on"] ?? {}), known.on);
});

test("it is indented by spaces, two at a time, and ends with a line break", () => {
  assert.doesNotMatch(text, /\t/);
  for (const line of text.split("\n")) assert.equal((/^ */.exec(line)?.[0].length ?? 0) % 2, 0, line);
  assert.ok(text.endsWith("\n"));
});

test("it runs npm test on both processors, with CI set, and may only read", () => {
  const { matrix } = job["strategy"] as { matrix: { runner: string } };
  assert.equal(matrix.runner, "[ubuntu-24.04, ubuntu-24.04-arm]");
  assert.equal(job["runs-on"], "${{ matrix.runner }}");
  assert.equal((workflow["permissions"] as Record<string, Node>)["contents"], "read");
  const { steps } = job as { steps: string };
  assert.match(steps, /^ +- uses: actions\/checkout@v\d+$/m);
  assert.match(steps, /^ +- run: npm test\n +env:\n +CI: "1"$/m);
});
