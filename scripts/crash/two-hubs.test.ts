import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { programFile } from "@ledge/testkit/programs";

function start(folder: string, context: TestContext): ChildProcess {
  const args = [programFile("hub"), "--data", folder, "--port", "0", "--log", "error"];
  const hub = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  context.after(() => hub.kill("SIGKILL"));
  return hub;
}

/** Resolves with the address that a hub prints when it serves. */
async function address(hub: ChildProcess): Promise<string> {
  let said = "";
  const output = hub.stdout ?? assert.fail();
  while (!said.includes("http://")) said += String((await once(output, "data"))[0]);
  return /http:\/\/[^\s/]+/.exec(said)?.[0] ?? assert.fail(said);
}

test("refuses a second hub on a folder, also after the first was killed and restarted", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "ledge-two-"));
  context.after(() => rmSync(folder, { recursive: true }));
  for (let round = 0; round < 2; round++) {
    const first = start(folder, context);
    const url = await address(first);
    const second = start(folder, context);
    let error = "";
    second.stderr?.on("data", (data) => (error += String(data)));
    const [code] = (await once(second, "close")) as [number | null];
    assert.notEqual(code, 0);
    assert.match(error, /running/);
    const answer = await fetch(`${url}/healthz`);
    assert.equal(answer.status, 200, "the first goes on");
    first.kill("SIGKILL");
    await once(first, "close");
  }
});
