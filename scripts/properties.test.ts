// A failing property prints its seed and path within a minute.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { impatient, patience } from "./properties.ts";
import { reporterFlag, testFlags } from "./run-tests.ts";
import type { Line } from "./test-reporter.ts";

const root = join(import.meta.dirname, "..");
const plugins = [impatient({ runMs: 100, shrinkMs: 200 })];
const never = (): Promise<void> => new Promise(() => {});
const saysWhere = /\{ seed: -?\d+, path: "[\d:]+", endOnFailure: true \}/;

test("a run and shrinking have less than a minute together", () => {
  assert.ok(patience.runMs + patience.shrinkMs <= 50_000);
});

test("a property that shrinks without end fails in time", async () => {
  const began = performance.now();
  const isWrong = fc.asyncProperty(fc.array(fc.bigInt(), { minLength: 100, maxLength: 1000 }), async () => {
    await sleep(1);
    throw new Error("wrong");
  });
  await assert.rejects(fc.assert(isWrong, { plugins }), saysWhere);
  assert.ok(performance.now() - began < 30_000);
});

test("a synchronous property that shrinks without end fails in time", () => {
  const isWrong = fc.property(fc.array(fc.bigInt(), { minLength: 100, maxLength: 1000 }), () => {
    for (const end = performance.now() + 2; performance.now() < end;) continue;
    throw new Error("wrong");
  });
  assert.throws(() => fc.assert(isWrong, { plugins }), saysWhere);
});

test("a run that hangs fails its property with seed and path", async () => {
  const hangs = fc.asyncProperty(fc.nat(100), (number) => (number > 50 ? never() : Promise.resolve()));
  await assert.rejects(fc.assert(hangs, { plugins }), saysWhere);
});

test("a run that hangs while shrinking leaves the counterexample found before", async () => {
  const hangs = fc.asyncProperty(fc.nat(1000), async (number) => {
    if (number > 500) throw new Error("wrong");
    if (number > 250) await never();
  });
  await assert.rejects(fc.assert(hangs, { plugins }), saysWhere);
});

test("a slow property that holds makes all its runs", async () => {
  let tries = 0;
  const holds = fc.asyncProperty(fc.nat(), async () => {
    tries += 1;
    await sleep(10);
  });
  await fc.assert(holds, { plugins, numRuns: 60 });
  assert.equal(tries, 60);
});

test("the reporter prints seed and path of a failing property, and counts its runs", () => {
  const folder = mkdtempSync(join(tmpdir(), "ledge-property-"));
  try {
    const file = join(folder, "wrong.test.ts");
    const fastCheck = JSON.stringify(import.meta.resolve("fast-check"));
    writeFileSync(
      file,
      `import { test } from "node:test";
      import fc from ${fastCheck};
      test("wrong", () => fc.assert(fc.property(fc.nat(), (n) => n < 0)));`,
    );
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { stdout } = spawnSync(process.execPath, [...testFlags, reporterFlag, file], {
      cwd: root,
      env,
      encoding: "utf8",
    });
    const lines = stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Line]));
    const failure = lines.find((line) => line.type === "fail");
    assert.equal(failure?.name, "wrong");
    assert.match(failure?.why ?? "", saysWhere);
    const total = lines.find((line) => line.type === "total");
    assert.deepEqual([total?.tests, total?.passed], [1, 0]);
    assert.ok((total?.runs ?? 0) >= 1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("tests with a seed of their own name it in their title", () => {
  const files = globSync("{packages,scripts}/**/*.test.ts", { cwd: root, exclude: ["**/node_modules/**"] });
  const silent = files.filter((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const isSeeded = text.includes('env["SEED"]') && file !== "scripts/properties.test.ts";
    return isSeeded && !/(?:test|describe)\(\s*`[^`]*\(SEED=\$\{seed\}\)/.test(text);
  });
  assert.deepEqual(silent, []);
});
