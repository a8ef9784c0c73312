import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { ledge, temporaryFolder, TestHome } from "../testdata/hub-process.ts";

const files = temporaryFolder();
after(() => files.remove());
const good = fileURLToPath(new URL("../../../../docs/custom-rules/afterglow.json", import.meta.url));
const source = readFileSync(good, "utf8");

function file(name: string, text: string): string {
  const path = join(files.path, name);
  writeFileSync(path, text);
  return path;
}

const bad = file("bad.json", source.replace('"op": "on"', '"op": "toggle"'));
const failing = file("failing.json", source.replace('"pass": 1,', '"pass": 0,'));
const nowhere = ["--data", join(files.path, "nowhere")];

test("rule lint and rule test need no hub", async () => {
  const lint = await ledge("rule", "lint", good, ...nowhere);
  assert.deepEqual([lint.code, lint.stdout], [0, `${good}: CUSTOM_AFTERGLOW is a custom rule\n`]);
  const tested = await ledge("rule", "test", good, ...nowhere);
  assert.equal(tested.code, 0);
  assert.match(tested.stdout, /^ok {6}the lamps follow[^]*1 of 1 tests passed\n$/);
  const json = await ledge("rule", "test", good, "--json");
  assert.deepEqual(JSON.parse(json.stdout), {
    ok: true,
    results: [{ test: "the lamps follow, and glow for a while", ok: true }],
  });
});

test("lint and test report faults with path, line and an exit code", async () => {
  const lint = await ledge("rule", "lint", bad);
  assert.equal(lint.code, 3);
  assert.match(lint.stderr, /bad.json: machine\.states\.lit\.entry\.params\.op: .*no toggle \(line \d+\)\n$/);
  const json = await ledge("rule", "lint", bad, "--json");
  assert.deepEqual([json.code, (JSON.parse(json.stdout) as { ok: boolean }).ok], [3, false]);
  assert.equal((await ledge("rule", "lint", failing)).code, 0, "tests are another matter");
  const tested = await ledge("rule", "test", failing);
  assert.equal(tested.code, 1);
  assert.match(
    tested.stdout,
    /^not ok {2}the lamps.*\n +tests\.0\.steps\.2\.commands: .*\(line \d+\)\n0 of 1 tests/,
  );
  for (const args of [
    ["lint"],
    ["lint", bad, good],
    ["test", join(files.path, "none")],
    ["install"],
    ["export"],
  ])
    assert.equal((await ledge("rule", ...args, ...nowhere)).code, 2, args.join(" "));
});

const home = new TestHome();

test("installs a rule and exports it byte for byte", async () => {
  const data = ["--data", home.folder];
  const odd = file("odd.json", `\t${source}\r\n `);
  const installed = await ledge("rule", "install", odd, ...data);
  assert.equal(installed.code, 0, installed.stderr);
  assert.match(installed.stdout, /^CUSTOM_AFTERGLOW is installed, version 1\n/);
  const exported = await ledge("rule", "export", "CUSTOM_AFTERGLOW", ...data);
  assert.equal(exported.stdout, readFileSync(odd, "utf8"));
  const out = join(files.path, "out.json");
  assert.equal((await ledge("rule", "export", "CUSTOM_AFTERGLOW", "--out", out, ...data)).code, 0);
  assert.deepEqual(readFileSync(out), readFileSync(odd));
  assert.equal((await ledge("rule", "export", "CUSTOM_NONE", ...data)).code, 3);
  const refused = await ledge("rule", "install", bad, ...data);
  assert.equal(refused.code, 3);
  assert.match(refused.stderr, /no toggle \(line/);
});
