import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { programFile } from "@ledge/testkit/programs";
import { bareProfile, eventually, HubProcess, ledge, temporaryFolder } from "../testdata/hub-process.ts";

const main = programFile("hub");

/** A data folder, and a stand-in for systemctl that runs a line of sh. */
function machine(line: string): { path: string; bin: string; said: string; remove: () => void } {
  const folder = temporaryFolder();
  const other = temporaryFolder();
  const said = join(other.path, "said");
  writeFileSync(join(other.path, "systemctl"), `#!/bin/sh\necho "$@" >> ${said}\n${line}\n`, { mode: 0o755 });
  return {
    path: folder.path,
    bin: other.path,
    said,
    remove: () => {
      folder.remove();
      other.remove();
    },
  };
}

async function board(
  { path, bin }: { path: string; bin: string },
  ...args: string[]
): Promise<{ hub: HubProcess; key: string }> {
  const profile = bareProfile(bin, { name: "board", trial: false });
  const env = { PATH: `${bin}:${process.env["PATH"]}` };
  const start = ["--port", "0", "--log", "error", "--profile", profile, ...args];
  const hub = await HubProcess.startWith(env, main, path, ...start);
  return { hub, key: await hub.key() };
}

test("a supervised hub answers a restart request, closes its log, and exits with 85", async () => {
  const folder = temporaryFolder();
  const hub = await HubProcess.start(folder.path, "--supervised", "exit");
  const key = await hub.key();
  assert.deepEqual(await hub.call("GET", "/hub/restart", key), { status: 200, json: true });
  assert.equal((await hub.ended).code, 85);
  const note = JSON.parse(readFileSync(join(folder.path, "run.json"), "utf8")) as { left: unknown };
  assert.notEqual(note.left, null);
  const { stdout } = await ledge("events", "tail", "--once", "--json", "--data", folder.path);
  assert.match(stdout, /"type":"StopRequested".*"act":"restart"/);
  folder.remove();
});

test("an unsupervised hub refuses to stop or restart, and goes on", async () => {
  const { path, bin, said, remove } = machine("");
  const env = { PATH: `${bin}:${process.env["PATH"]}` };
  for (const args of [[], ["--supervised", "systemd"]]) {
    const hub = await HubProcess.startWith(env, main, path, "--port", "0", ...args);
    const key = await hub.key();
    const refused = args.length === 0 ? ["restart", "reboot", "shutdown"] : ["reboot", "shutdown"];
    for (const act of refused) {
      const { status, json } = await hub.call("GET", `/hub/${act}`, key);
      assert.equal(status, 422, act);
      assert.match((json as { message: string }).message, /nothing would start this hub|leaves the machine/);
    }
    assert.equal((await hub.stop()).code, 0);
  }
  assert.throws(() => readFileSync(said), { code: "ENOENT" });
  remove();
});

test("a hub that turns off its board answers before systemctl may kill it", async () => {
  const folder = machine('kill -9 "$PPID"');
  const { hub, key } = await board(folder, "--supervised", "systemd");
  assert.deepEqual(await hub.call("GET", "/hub/shutdown", key), { status: 200, json: true });
  await hub.ended;
  assert.equal(readFileSync(folder.said, "utf8"), "--no-block --no-ask-password poweroff\n");
  folder.remove();
});

test("a hub whose machine refuses a reboot logs it and goes on", async () => {
  const folder = machine("echo Access denied >&2; exit 1");
  const { hub, key } = await board(folder, "--supervised", "systemd");
  let said = "";
  hub.child.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  assert.deepEqual(await hub.call("GET", "/hub/reboot", key), { status: 200, json: true });
  await eventually("the refusal", async () => (said.includes("Access denied") ? true : undefined));
  assert.equal(readFileSync(folder.said, "utf8"), "--no-block --no-ask-password reboot\n");
  assert.equal((await hub.call("GET", "/hub/tz", key)).status, 200);
  await hub.stop();
  folder.remove();
});

test("only systemd may restart or turn off the machine, and unknown supervisors are refused", async () => {
  const folder = machine("");
  const { hub, key } = await board(folder, "--supervised", "exit");
  const { status, json } = await hub.call("GET", "/hub/shutdown", key);
  assert.deepEqual(
    [status, json],
    [422, { message: "this hub cannot control its machine: systemd does not run it" }],
  );
  await hub.stop();
  folder.remove();
  await assert.rejects(
    HubProcess.start(folder.path, "--supervised", "nobody"),
    /ended with 2: --supervised nobody/,
  );
});
