// Checks the units in systemd/ with systemd's own tools.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { imageConfig } from "./board/oci.ts";

const root = join(import.meta.dirname, "..");
const unitNamed = (name: string): string => readFileSync(join(root, "systemd", `${name}.service`), "utf8");
const unit = unitNamed("ledge");
const folder = mkdtempSync(join(tmpdir(), "ledge-units-"));

after(() => rmSync(folder, { recursive: true }));

/** Returns the output of `systemd-analyze` for a unit, and its exit code. */
function analyze(text: string, ...args: string[]): { code: number | null; said: string } {
  // Of a template, one process.
  const file = join(folder, text.includes("%i") ? "ledge@1.service" : "ledge.service");
  // Node and the page are at other paths than on a board.
  const here = text.replace("/usr/bin/node", process.execPath).replace(/^Documentation=.*$/m, "");
  writeFileSync(file, here);
  const { status, stdout, stderr } = spawnSync("systemd-analyze", [...args, file], { encoding: "utf8" });
  return { code: status, said: `${stdout}${stderr}` };
}

const security = ["security", "--offline=true", "--threshold=20", "--no-pager"];

for (const name of ["ledge", "ledge-cloud", "ledge-cloud@"]) {
  const text = unitNamed(name);

  test(`systemd accepts ${name} without a complaint, and complains about a faulty one`, () => {
    assert.deepEqual(analyze(text, "verify", "--man=no"), { code: 0, said: "" });
    assert.match(
      analyze(text.replace("Restart=on-failure", "Restart=often"), "verify", "--man=no").said,
      /often/,
    );
  });

  test(`systemd rates the exposure of ${name} at 2.0 or better, and a careless one worse`, () => {
    const { code, said } = analyze(text, ...security);
    assert.equal(code, 0, said.split("\n").slice(-4).join("\n"));
    assert.notEqual(analyze(text.replace("CapabilityBoundingSet=\n", ""), ...security).code, 0);
  });

  test(`${name} may use everything that its process needs`, () => {
    for (const denied of [/^ProcSubset=pid/m, /^MemoryDenyWriteExecute=yes/m, /^PrivateNetwork=yes/m])
      assert.doesNotMatch(text, denied);
    assert.match(text, /^RestrictAddressFamilies=.*AF_NETLINK/m);
  });

  test(`${name} starts a file of the bundle with options that it supports`, () => {
    const [, file = "", options = ""] =
      /^ExecStart=\S+ \/opt\/ledge\/lib\/(\S+)\.mjs (.*)$/m.exec(text) ?? [];
    const program = file === "hub" ? "packages/hub/src/main.ts" : "packages/cloud/src/main.ts";
    const { stdout } = spawnSync(process.execPath, [join(root, program), "--help"], { encoding: "utf8" });
    const taken = options.split(" ").filter((word) => word.startsWith("--"));
    assert.ok(taken.length > 1);
    for (const option of taken) assert.ok(stdout.includes(option), option);
  });
}

test("a process of a fleet differs from a cloud alone in what it keeps and waits for", () => {
  const linesOf = (name: string): readonly string[] =>
    unitNamed(name)
      .split("\n")
      .filter((line) => /^[A-Z]/.test(line) && !/^(Description|Documentation|ExecStart)=/.test(line));
  const [alone, fleet] = [linesOf("ledge-cloud"), linesOf("ledge-cloud@")];
  assert.deepEqual(
    fleet.filter((line) => !alone.includes(line)),
    [
      "Wants=network-online.target",
      "After=network-online.target",
      "PartOf=ledge-fleet.target",
      "LoadCredential=ledge-secret-key:/etc/ledge-cloud/secret-key",
      "StateDirectory=ledge-cloud-%i",
      "WantedBy=ledge-fleet.target",
    ],
  );
  assert.equal(alone.filter((line) => !fleet.includes(line)).length, 3);
});

test("systemd accepts the target with its three processes, and complains about one that is not there", () => {
  const here = unitNamed("ledge-cloud@").replace("/usr/bin/node", process.execPath);
  writeFileSync(join(folder, "ledge-cloud@.service"), here.replace(/^Documentation=.*$/m, ""));
  const target = readFileSync(join(root, "systemd", "ledge-fleet.target"), "utf8");
  const verified = (text: string): string => {
    writeFileSync(join(folder, "ledge-fleet.target"), text.replace(/^Documentation=.*$/m, ""));
    const files = ["ledge-fleet.target", ...[1, 2, 3].map((at) => `ledge-cloud@${at}.service`)];
    const { stdout, stderr } = spawnSync(
      "systemd-analyze",
      ["verify", "--man=no", ...files.map((file) => join(folder, file))],
      { encoding: "utf8" },
    );
    return `${stdout}${stderr}`;
  };
  assert.equal(verified(target), "");
  assert.match(verified(target.replaceAll("Wants=", "Requires=gone.service\nWants=")), /gone\.service/);
  const wanted = /^Wants=(.*)$/m.exec(target)?.[1]?.split(" ");
  assert.deepEqual(
    wanted,
    [1, 2, 3].map((at) => `ledge-cloud@${at}.service`),
  );
});

test("the hub's processes may give way to others", () => {
  const filters = [...unit.matchAll(/^SystemCallFilter=(.*)$/gm)].map(([, calls]) => calls);
  assert.deepEqual(filters, ["@system-service", "~@privileged @resources", "setpriority"]);
});

test("the hub may use serial lines", () => assert.doesNotMatch(unit, /^PrivateDevices=yes/m));

test("loads drivers for sticks before the hub runs, so that the unit's names of them apply", () => {
  const allowed = [...unit.matchAll(/^DeviceAllow=char-(\S+) rw$/gm)].map(([, name]) => name);
  assert.deepEqual(allowed, ["ttyACM", "ttyUSB", "ttyAMA", "ttyS"]);
  const modules = readFileSync(join(root, "systemd", "ledge.modules"), "utf8");
  const loaded = modules.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  // ttyACM is from the first, ttyUSB from the second; the others are built in.
  assert.deepEqual(loaded, ["cdc-acm", "usbserial"]);
  const rules = readFileSync(join(root, "systemd", "65-ledge-serial.rules"), "utf8");
  const [, group = "-"] = /GROUP="(\w+)"/.exec(rules) ?? [];
  assert.match(unit, new RegExp(`^SupplementaryGroups=.*\\b${group}\\b`, "m"));
});

test("the units, the container and the start scripts set the same number of threads, and how glibc takes memory", () => {
  // `npm start` and npx share it.
  const start = readFileSync(join(root, "scripts", "board", "npx", "start.mjs"), "utf8");
  const inContainer = imageConfig("0.3.0").Env;
  for (const [name, value] of [
    ["UV_THREADPOOL_SIZE", "8"],
    ["MALLOC_ARENA_MAX", "1"],
  ]) {
    const [inUnit, inCloud] = ["ledge", "ledge-cloud"].map(
      (one) => new RegExp(`^Environment=${name}=(\\d+)$`, "m").exec(unitNamed(one))?.[1],
    );
    const [, atStart] = new RegExp(`${name}: "(\\d+)"`).exec(start) ?? [];
    assert.deepEqual([inUnit, inCloud, atStart], [value, value, value], name);
    assert.ok(inContainer.includes(`${name}=${value}`), name);
  }
  const name = "MALLOC_MMAP_THRESHOLD_";
  const [, bytes = "none"] = new RegExp(`^Environment=${name}=(\\d+)$`, "m").exec(unitNamed("ledge")) ?? [];
  assert.match(start, new RegExp(`${name}: "${bytes}"`));
  assert.ok(inContainer.includes(`${name}=${bytes}`));
  assert.match(readFileSync(join(root, "scripts", "start.mjs"), "utf8"), /\benv = \{.*\.\.\.environment \}/);
});
