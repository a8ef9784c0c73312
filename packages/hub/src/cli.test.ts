import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { programFile } from "@ledge/testkit/programs";
import { finish, HubProcess, ledge, temporaryFolder } from "./testdata/hub-process.ts";

const folder = temporaryFolder();
const data = ["--data", folder.path];
let hub: HubProcess;

before(async () => {
  hub = await HubProcess.start(folder.path);
});

after(async () => {
  await hub.stop();
  folder.remove();
});

test("prints usage, the help of a command and the version", async () => {
  assert.match((await ledge()).stdout, /^usage: ledge COMMAND/);
  assert.match((await ledge("events", "tail", "--help")).stdout, /--after/);
  assert.match((await ledge("--version")).stdout, /^\d+\.\d+\.\d+\n$/);
});

test("exits with 2 and a line on standard error for unknown commands and options", async () => {
  for (const args of [
    ["dance"],
    ["status", "--sideways"],
    ["events", "show"],
    ["events"],
    ["events", "tail", "--after", "garbage"],
    ["events", "tail", "--once", "--after", "1-2-3"],
    ["doctor", "--yes"],
    ["verify", "one", "two"],
    ["key", "surplus"],
    ["doctor", "surplus"],
  ]) {
    const { code, stdout, stderr } = await ledge(...args, ...(args.length > 1 ? data : []));
    assert.equal(code, 2, args.join(" "));
    assert.equal(stdout, "");
    assert.match(stderr, /^ledge: /);
  }
});

test("exits with 4 for a folder in which no hub ever ran", async () => {
  const { code, stderr } = await ledge("status", "--data", join(folder.path, "nowhere"));
  assert.equal(code, 4);
  assert.match(stderr, /no hub has run/);
});

test("exits with 74 when it cannot print, and with 0 when the reader closes the pipe", async () => {
  const cli = programFile("ledge");
  for (const args of [["--help"], ["devices", ...data], ["events", "tail", "--once", ...data]]) {
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [cli, ...args], { stdio: ["ignore", full, "pipe"] });
    closeSync(full);
    const { code, stderr } = await finish(child);
    assert.deepEqual([code, /ENOSPC/.test(stderr)], [74, true], args.join(" "));
  }
  const script = `set -o pipefail; "$0" "$@" | head -1`;
  const piped = await finish(
    spawn("bash", ["-c", script, process.execPath, cli, "events", "tail", "--once", ...data], {
      stdio: ["ignore", "pipe", "pipe"],
    }),
  );
  assert.deepEqual([piped.code, piped.stderr], [0, ""]);
});

test("prints status and devices as text and as JSON", async () => {
  const status = JSON.parse((await ledge("status", "--json", ...data)).stdout) as Record<string, unknown>;
  assert.equal(status["address"], hub.address);
  const { stdout } = await ledge("status", ...data);
  assert.match(stdout, /kernel +serving/);
  assert.match(stdout, /log +.* in .*, .* of 429\.5 MB in use\n/);
  assert.match(stdout, /history +whole\n/);
  const devices = JSON.parse((await ledge("devices", "--json", ...data)).stdout) as object;
  assert.ok(Object.keys(devices).length > 20);
  assert.match((await ledge("devices", ...data)).stdout, /LIGHT +Living room ceiling/);
});

test("events tail ends at the newest event with --once, and after a number of events with --count", async () => {
  const once = (await ledge("events", "tail", "--once", "--json", ...data)).stdout.trim().split("\n");
  assert.equal((JSON.parse(once[0] ?? "") as { event: { type: string } }).event.type, "HubCreated");
  const counted = (await ledge("events", "tail", "--after", "0", "--count", "3", "--json", ...data)).stdout;
  assert.deepEqual(counted.trim().split("\n"), once.slice(0, 3));
  assert.equal((await ledge("events", "show", "1-0", ...data)).code, 3);
});

test("reads the folder of a hub that is not running", async () => {
  const stopped = temporaryFolder();
  const other = await HubProcess.start(stopped.path);
  await other.key();
  await other.kill();
  const status = JSON.parse((await ledge("status", "--json", "--data", stopped.path)).stdout) as Record<
    string,
    unknown
  >;
  assert.equal(status["address"], null);
  assert.equal(status["state"], "claimed");
  const { stdout } = await ledge("key", "--recover", "--data", stopped.path);
  assert.match(stdout, /^[\w-]+\.[\w-]+\.[\w-]+\n$/);
  assert.equal((await ledge("doctor", "--data", stopped.path)).code, 0);
  stopped.remove();
});

test("answers many commands at once on a hub that is not running", async () => {
  const stopped = temporaryFolder();
  await (await HubProcess.start(stopped.path)).stop();
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => ledge("status", "--json", "--data", stopped.path)),
  );
  for (const { code, stdout, stderr } of answers) {
    assert.deepEqual([code, stderr], [0, ""]);
    assert.equal((JSON.parse(stdout) as { kernel: { state: string } }).kernel.state, "serving");
  }
  stopped.remove();
});

test("doctor finds a flipped bit and a folder with open permissions", async () => {
  const damaged = temporaryFolder();
  const other = await HubProcess.start(damaged.path);
  await other.key();
  await other.stop();
  const file = join(damaged.path, "log", "data.mdb");
  const bytes = readFileSync(file);
  const at = bytes.indexOf('"HubCreated"');
  assert.ok(at > 0);
  writeSync(openSync(file, "r+"), Buffer.from("X"), 0, 1, at + 1);
  chmodSync(damaged.path, 0o755);
  const { code, stdout } = await ledge("doctor", "--json", "--data", damaged.path);
  assert.equal(code, 1);
  const wrong = (JSON.parse(stdout) as { name: string; ok: boolean }[]).filter(({ ok }) => !ok);
  assert.deepEqual(
    wrong.map(({ name }) => name),
    ["data folder", "log"],
  );
  damaged.remove();
});
