// The form of the workflows, without a network: what GitHub would refuse, and what they are there for.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { groups } from "./groups.ts";

const root = join(import.meta.dirname, "..");
const folder = join(root, ".github", "workflows");

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

interface Workflow {
  readonly text: string;
  readonly whole: Record<string, Node>;
  readonly job: Record<string, Node>;
}

function workflow(name: string, job: string): Workflow {
  const text = readFileSync(join(folder, name), "utf8");
  const whole = mapping(text.split("\n").filter((line) => line.trim() !== "" && !/^\s*#/.test(line)));
  return { text, whole, job: (whole["jobs"] as Record<string, Record<string, Node>>)[job] ?? {} };
}

const workflows = { "ci.yml": workflow("ci.yml", "test"), "nightly.yml": workflow("nightly.yml", "long") };

/** Those with a matrix come first. */
const jobs: Readonly<Record<keyof typeof workflows, readonly string[]>> = {
  "ci.yml": ["test", "compare"],
  "nightly.yml": ["long"],
};

const known = {
  workflow: ["name", "on", "permissions", "jobs"],
  job: ["strategy", "runs-on", "timeout-minutes", "container", "steps"],
  strategy: ["fail-fast", "matrix"],
  on: { "ci.yml": ["push", "pull_request"], "nightly.yml": ["schedule", "workflow_dispatch"] },
};

for (const [name, { text, whole, job }] of Object.entries(workflows)) {
  test(`${name} has only keys that GitHub knows`, () => {
    assert.deepEqual(Object.keys(whole), known.workflow);
    assert.deepEqual(Object.keys(job), known.job);
    assert.deepEqual(Object.keys(job["strategy"] ?? {}), known.strategy);
    const [, ...others] = jobs[name as keyof typeof workflows];
    assert.deepEqual(Object.keys(whole["jobs"] ?? {}).slice(1), others);
    for (const other of others)
      assert.deepEqual(Object.keys(workflow(name, other).job), known.job.slice(1), other);
    assert.deepEqual(Object.keys(whole["on"] ?? {}), known.on[name as keyof typeof workflows]);
  });

  test(`${name} is indented by spaces, two at a time, and ends with a line break`, () => {
    assert.doesNotMatch(text, /\t/);
    for (const line of text.split("\n")) assert.equal((/^ */.exec(line)?.[0].length ?? 0) % 2, 0, line);
    assert.ok(text.endsWith("\n"));
  });

  test(`${name} may only read, and begins with a checkout`, () => {
    assert.equal((whole["permissions"] as Record<string, Node>)["contents"], "read");
    assert.match((job as { steps: string }).steps, /^ +- uses: actions\/checkout@v\d+$/m);
  });
}

test("ci.yml runs npm test on both processors with CI set", () => {
  const { job } = workflows["ci.yml"];
  const { matrix } = job["strategy"] as { matrix: { runner: string } };
  assert.equal(matrix.runner, "[ubuntu-24.04, ubuntu-24.04-arm]");
  assert.equal(job["runs-on"], "${{ matrix.runner }}");
  assert.match((job as { steps: string }).steps, /^ +- run: npm test\n +env:\n +CI: "1"$/m);
});

test("ci.yml compares the change with what it is based on, both on one ARM machine", () => {
  const { job } = workflow("ci.yml", "compare");
  assert.equal(job["runs-on"], "ubuntu-24.04-arm");
  const { steps = "" } = job as { steps?: string };
  assert.equal(steps.match(/uses: actions\/checkout@v\d+$/gm)?.length, 2);
  const [, path = "", only = ""] = /bench -- --against (\w+) --only (\S+)$/m.exec(steps) ?? [];
  assert.match(steps, new RegExp(`^ +path: ${path}$`, "m"));
  const names = new Set(groups.map(({ name }) => name));
  for (const name of only.split(",")) assert.ok(names.has(name), name);
});

/** Long command -> the test that is its short form. */
const shortForms: Readonly<Record<string, string>> = {
  properties: "packages/kernel/src/poll.prop.test.ts",
  "rules:month": "packages/rules/src/engine/month.sim.test.ts",
  "rules:kills": "scripts/rules-kills.test.ts",
  fuzz: "scripts/fuzz/fuzz.test.ts",
  "fuzz:rules": "packages/rules/src/custom/fuzz.test.ts",
  "fuzz:signalr": "scripts/fuzz/signalr-fuzz.test.ts",
  "fuzz:zigbee": "packages/adapters/zigbee/src/map/garbage.prop.test.ts",
  "zigbee:day": "scripts/zigbee-day/day.test.ts",
  crash: "scripts/crash/crash.test.ts",
  "push:slow": "packages/cloud/src/push/slow-readers.test.ts",
  soak: "scripts/soak/soak.test.ts",
  load: "scripts/load/load.test.ts",
  flood: "packages/hub/src/network/flood.test.ts",
};

test("nightly.yml runs every long command, and npm test a short form of each", () => {
  const { job } = workflows["nightly.yml"];
  const { matrix } = job["strategy"] as { matrix: { command: string } };
  const commands = [...matrix.command.matchAll(/^ +- ([\w:]+)/gm)].map(([, command = ""]) => command);
  assert.deepEqual(commands, Object.keys(shortForms));
  assert.match((job as { steps: string }).steps, /^ +- run: npm run -s \$\{\{ matrix\.command \}\}$/m);
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: object };
  for (const [command, file] of Object.entries(shortForms)) {
    assert.ok(command in scripts, command);
    assert.ok(existsSync(join(root, file)), file);
  }
});
