// The units in systemd/, as far as systemd judges them itself.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

const root = join(import.meta.dirname, "..");
const unit = readFileSync(join(root, "systemd", "ledge.service"), "utf8");
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

test("systemd reads the unit without a complaint, and would complain", () => {
  assert.deepEqual(analyze(unit, "verify", "--man=no"), { code: 0, said: "" });
  assert.match(
    analyze(unit.replace("Restart=on-failure", "Restart=often"), "verify", "--man=no").said,
    /often/,
  );
});

test("systemd rates the unit's exposure at 2.0 or better, and would rate a careless one worse", () => {
  const { code, said } = analyze(unit, ...security);
  assert.equal(code, 0, said.split("\n").slice(-4).join("\n"));
  assert.notEqual(analyze(unit.replace("CapabilityBoundingSet=\n", ""), ...security).code, 0);
});

test("the unit leaves in sight and in reach what the hub needs", () => {
  for (const denied of [
    /^ProcSubset=pid/m,
    /^MemoryDenyWriteExecute=yes/m,
    /^PrivateNetwork=yes/m,
    /^PrivateDevices=yes/m,
  ]) {
    assert.doesNotMatch(unit, denied);
  }
  assert.match(unit, /^RestrictAddressFamilies=.*AF_NETLINK/m);
});

test("the unit and the start script give the hub as many threads", () => {
  const [, inUnit] = /^Environment=UV_THREADPOOL_SIZE=(\d+)$/m.exec(unit) ?? [];
  const start = readFileSync(join(root, "scripts", "start.mjs"), "utf8");
  const [, atStart] = /UV_THREADPOOL_SIZE: "(\d+)"/.exec(start) ?? [];
  assert.deepEqual([inUnit, atStart], ["8", "8"]);
});
