import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { lanesOf, randomTests, runPrograms, testFiles } from "./lanes.ts";
import { reporterFlag, testFlags } from "./run-tests.ts";
import { secondsOf } from "./test-costs.ts";
import { beyond, spentBy } from "./test-budgets.ts";
import type { Line } from "./test-reporter.ts";

test("most files share a process; what changes its process, kills or takes long runs alone", () => {
  const pure = ["packages/rules/src/engine.test.ts", "packages/adapters/modbus/src/map.test.ts"];
  const outward = [
    "packages/cloud/src/http/login.test.ts",
    "packages/adapters/modbus/src/adapter.test.ts",
    "packages/cloud/src/main.test.ts",
  ];
  const others = [
    "packages/kernel/src/kill.test.ts",
    "packages/hub/src/adapters/supervisor.test.ts",
    "packages/hub/src/adapters/environment.test.ts",
    "packages/adapters/modbus/src/modbus.peer.test.ts",
    "scripts/tidy.test.ts",
  ];
  const lanes = lanesOf([...pure, ...outward, ...others]);
  assert.deepEqual(Object.fromEntries(lanes.shared), {
    "packages/rules": ["packages/rules/src/engine.test.ts"],
    "packages/adapters/modbus": ["packages/adapters/modbus/src/map.test.ts"],
  });
  assert.deepEqual(Object.fromEntries(lanes.few), {
    "packages/cloud": ["packages/cloud/src/http/login.test.ts", "packages/cloud/src/main.test.ts"],
    "packages/adapters/modbus": ["packages/adapters/modbus/src/adapter.test.ts"],
  });
  assert.deepEqual(lanes.others, others);
});

test("every test file runs exactly once", () => {
  const files = testFiles([]);
  const { shared, few, others } = lanesOf(files);
  const all = [...[...shared.values()].flat(), ...[...few.values()].flat(), ...others];
  assert.deepEqual(all.toSorted(), files);
  assert.ok(files.length > 500 && others.length < files.length / 2, `${others.length} of ${files.length}`);
});

test("every file whose cost is known exists", () => {
  const files = new Set(testFiles([]));
  assert.deepEqual(
    Object.keys(secondsOf).filter((file) => !files.has(file)),
    [],
  );
});

test("only tests that run programs of the product need bundles", () => {
  assert.equal(runPrograms(["packages/hub/src/main.test.ts"]), true);
  assert.equal(runPrograms(["packages/cloud/src/cli.test.ts"]), true);
  assert.equal(runPrograms(["packages/hub/src/profile.test.ts", "scripts/fences.test.ts"]), false);
});

test("random tests are properties and simulations that run no program", () => {
  const files = randomTests(testFiles([]));
  assert.ok(files.includes("packages/kernel/src/poll.prop.test.ts"));
  assert.ok(files.includes("packages/rules/src/engine/month.sim.test.ts"));
  assert.ok(!files.includes("packages/hub/src/start/damage.test.ts"));
  assert.ok(files.length > 30, `${files.length} files`);
});

/** Runs texts of test files in one process. */
function together(...texts: readonly string[]): { readonly lines: readonly Line[]; readonly said: string } {
  const folder = mkdtempSync(join(tmpdir(), "ledge-group-"));
  try {
    const files = texts.map((text, index) => {
      const file = join(folder, `${index}.test.ts`);
      writeFileSync(file, `import { beforeEach, before, test } from "node:test";\n${text}`);
      return file;
    });
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const group = join(import.meta.dirname, "test-group.ts");
    const flags = [...testFlags, reporterFlag, group, ...files];
    const { stdout } = spawnSync(process.execPath, flags, { env, encoding: "utf8" });
    const printed = stdout.split("\n").filter((line) => line !== "");
    const isLine = (line: string): boolean => line.startsWith('{"type":');
    return {
      lines: printed.filter(isLine).map((line) => JSON.parse(line) as Line),
      said: printed.filter((line) => !isLine(line)).join(" "),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("hooks of a file run for its own tests only", () => {
  const { lines, said } = together(
    'before(() => console.log("A"));\nbeforeEach(() => console.log("a"));\ntest("one", () => console.log(1));',
    'before(() => console.log("B"));\nbeforeEach(() => console.log("b"));\ntest("two", () => console.log(2));',
  );
  assert.equal(said, "A a 1 B b 2");
  assert.deepEqual(
    lines.map(({ type }) => type),
    ["file", "file", "total"],
  );
});

test("a file that throws while it loads fails; other files of the process still run", () => {
  const { lines } = together(
    'test("one", () => {});\nthrow new Error("in the middle");',
    'import "./nowhere.ts";',
    'test("three", () => { throw new Error("wrong"); });\ntest("four", () => {});',
  );
  const failures = lines.flatMap((line) => (line.type === "fail" ? [line.name.replace(/^\S+\//, "")] : []));
  assert.deepEqual(failures, ["0.test.ts is loaded", "1.test.ts is loaded", "three"]);
  const total = lines.find((line) => line.type === "total");
  assert.deepEqual([total?.tests, total?.passed], [5, 2]);
});

test("the totals count processes and their processor time", () => {
  const { lines } = together(
    `import { once } from "node:events";
    import { spawn } from "node:child_process";
    test("starts two", async () => {
      const work = "while (process.cpuUsage().user < 150_000) continue;";
      await Promise.all([1, 2].map(() => once(spawn(process.execPath, ["-e", work]), "close")));
    });`,
  );
  const total = lines.find((line) => line.type === "total");
  assert.equal(total?.processes, 2);
  assert.ok((total?.cpuMs ?? 0) >= 300, `${total?.cpuMs} ms`);
});

test("a package over its budget is named, also one without a budget", () => {
  const part = { milliseconds: 10, cpuMs: 5 };
  const spent = spentBy([
    { suite: "packages/hub", processes: 3, runs: 0, ...part },
    { suite: "packages/kernel", processes: 0, runs: 100, ...part },
    { suite: "packages/hub", processes: 4, runs: 10, ...part },
  ]);
  assert.deepEqual(spent[0], { suite: "packages/hub", milliseconds: 20, cpuMs: 10, processes: 7, runs: 10 });
  assert.deepEqual(beyond(spent, { "packages/hub": { processes: 7, runs: 10 } }), [
    "packages/kernel: 100 runs of properties exceed the budget of 0 in scripts/test-budgets.ts",
  ]);
  assert.deepEqual(beyond(spent, { "packages/hub": { processes: 6, runs: 10 } }).length, 2);
});
