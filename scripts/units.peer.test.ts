// The units in systemd/, as far as systemd judges them itself.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

const root = join(import.meta.dirname, "..");
const unitNamed = (name: string): string => readFileSync(join(root, "systemd", `${name}.service`), "utf8");
const unit = unitNamed("ledge");
const folder = mkdtempSync(join(tmpdir(), "ledge-units-"));

after(() => rmSync(folder, { recursive: true }));

/** What `systemd-analyze` says of a unit, and its exit code. */
function analyze(text: string, ...args: string[]): { code: number | null; said: string } {
  const file = join(folder, "ledge.service");
  // Neither Node nor the page is where a board has them.
  const here = text.replace("/usr/bin/node", process.execPath).replace(/^Documentation=.*$/m, "");
  writeFileSync(file, here);
  const { status, stdout, stderr } = spawnSync("systemd-analyze", [...args, file], { encoding: "utf8" });
  return { code: status, said: `${stdout}${stderr}` };
}

const security = ["security", "--offline=true", "--threshold=20", "--no-pager"];

for (const name of ["ledge", "ledge-cloud"]) {
  const text = unitNamed(name);

  test(`systemd reads ${name} without a complaint, and would complain`, () => {
    assert.deepEqual(analyze(text, "verify", "--man=no"), { code: 0, said: "" });
    assert.match(
      analyze(text.replace("Restart=on-failure", "Restart=often"), "verify", "--man=no").said,
      /often/,
    );
  });

  test(`systemd rates the exposure of ${name} at 2.0 or better, and would rate a careless one worse`, () => {
    const { code, said } = analyze(text, ...security);
    assert.equal(code, 0, said.split("\n").slice(-4).join("\n"));
    assert.notEqual(analyze(text.replace("CapabilityBoundingSet=\n", ""), ...security).code, 0);
  });

  test(`${name} has in sight and in reach what its process needs`, () => {
    for (const denied of [/^ProcSubset=pid/m, /^MemoryDenyWriteExecute=yes/m, /^PrivateNetwork=yes/m])
      assert.doesNotMatch(text, denied);
    assert.match(text, /^RestrictAddressFamilies=.*AF_NETLINK/m);
  });

  test(`${name} starts a file of the bundle with options that it takes`, () => {
    const [, file = "", options = ""] =
      /^ExecStart=\S+ \/opt\/ledge\/lib\/(\S+)\.mjs (.*)$/m.exec(text) ?? [];
    const program = file === "hub" ? "packages/hub/src/main.ts" : "packages/cloud/src/main.ts";
    const { stdout } = spawnSync(process.execPath, [join(root, program), "--help"], { encoding: "utf8" });
    const taken = options.split(" ").filter((word) => word.startsWith("--"));
    assert.ok(taken.length > 1);
    for (const option of taken) assert.ok(stdout.includes(option), option);
  });
}

test("serial lines are in the hub's reach", () => assert.doesNotMatch(unit, /^PrivateDevices=yes/m));

test("drivers of what is plugged in while the hub runs are loaded before, so that the unit's names of them count", () => {
  const allowed = [...unit.matchAll(/^DeviceAllow=char-(\S+) rw$/gm)].map(([, name]) => name);
  assert.deepEqual(allowed, ["ttyACM", "ttyUSB", "ttyAMA", "ttyS"]);
  const modules = readFileSync(join(root, "systemd", "ledge.modules"), "utf8");
  const loaded = modules.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  // ttyACM is of the first, ttyUSB of the second; the others are built in.
  assert.deepEqual(loaded, ["cdc-acm", "usbserial"]);
  const rules = readFileSync(join(root, "systemd", "65-ledge-serial.rules"), "utf8");
  const [, group = "-"] = /GROUP="(\w+)"/.exec(rules) ?? [];
  assert.match(unit, new RegExp(`^SupplementaryGroups=.*\\b${group}\\b`, "m"));
});

test("the units and the start script give the processes as many threads, and these one arena", () => {
  const start = readFileSync(join(root, "scripts", "start.mjs"), "utf8");
  for (const [name, value] of [
    ["UV_THREADPOOL_SIZE", "8"],
    ["MALLOC_ARENA_MAX", "1"],
  ]) {
    const [inUnit, inCloud] = ["ledge", "ledge-cloud"].map(
      (one) => new RegExp(`^Environment=${name}=(\\d+)$`, "m").exec(unitNamed(one))?.[1],
    );
    const [, atStart] = new RegExp(`${name}: "(\\d+)"`).exec(start) ?? [];
    assert.deepEqual([inUnit, inCloud, atStart], [value, value, value], name);
  }
});
