import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { tied } from "./tied.ts";

const parentFile = fileURLToPath(new URL("testdata/parent.ts", import.meta.url));

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

for (const [what, script] of [
  ["never yields", "for (;;);"],
  ["is stopped", "process.kill(process.pid, 'SIGSTOP')"],
  [
    "ignores signals",
    "process.on('SIGTERM', () => {}); process.on('SIGHUP', () => {}); setInterval(() => {}, 1e6)",
  ],
] as const) {
  test(`a program that ${what} does not outlive a killed parent`, async () => {
    const says = `require('node:fs').writeSync(1, 'up'); ${script}`;
    const parent = spawn(process.execPath, [parentFile, process.execPath, "-e", says], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await once(parent.stdout, "data")) as [Buffer];
    const pid = Number(line.toString());
    assert.ok(isAlive(pid));
    parent.kill("SIGKILL");
    while (isAlive(pid)) await sleep(5);
  });
}

test("keeps the streams, arguments and exit code of a program", async () => {
  const child = spawn(
    ...tied(process.execPath, ["-e", "console.log(process.argv.at(-1)); process.exit(7)", "--", "-x"]),
  );
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  assert.deepEqual(await once(child, "close"), [7, null]);
  assert.equal(said, "-x\n");
});
