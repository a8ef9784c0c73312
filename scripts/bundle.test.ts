import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { bundleInto } from "./bundle.ts";

// Outside of the checkout, so that nothing is found in its node_modules by chance.
const folder = mkdtempSync(join(tmpdir(), "ledge-bundle-"));
const data = join(folder, "data");
const file = (name: string): string => join(folder, "lib", `${name}.mjs`);
let child: ChildProcess;
let address = "";

before(async () => {
  await bundleInto(folder);
  child = spawn(process.execPath, [file("hub"), "--data", data, "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const output = child.stdout as Readable;
  let printed = "";
  for await (const chunk of output.iterator({ destroyOnReturn: false })) {
    printed += String(chunk);
    address = /API +(http:\S+)\n/.exec(printed)?.[1] ?? "";
    if (address !== "") return;
  }
  throw new Error(`the bundled hub ended before it listened: ${printed}`);
});

after(async () => {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, "close");
    child.kill("SIGTERM");
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

async function ledge(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [file("ledge"), ...args, "--data", data]);
  return stdout;
}

test("a bundled hub answers, with its log behind the journal's thread", async () => {
  const meta = (await (await fetch(`${address}/hub`)).json()) as { type: string; state: string };
  assert.deepEqual([meta.type, meta.state], ["HUB_META_DATA", "factory_new"]);
  const key = (await ledge("key")).trim();
  const metrics = await (await fetch(`${address}/metrics`, { headers: { authorization: key } })).text();
  const recovered = (await ledge("key", "--recover")).trim();
  const checked = await fetch(`${address}/cc/1.14/hub/keycheck`, { headers: { authorization: recovered } });
  assert.deepEqual(await checked.json(), { role: 64 });
  assert.match(metrics, /^ledge_commits_total [1-9]/m);
  assert.ok(existsSync(join(data, "log", "journal")));
});

test("a bundled hub runs its adapter from the adapter's own bundle", async () => {
  for (let tries = 0; tries < 600; tries++) {
    const { objects } = JSON.parse(await ledge("status", "--json")) as { objects: { devices: number } };
    if (objects.devices > 0) return;
    await sleep(100);
  }
  assert.fail("no device is there");
});

test("a bundled ledge says which release it is", async () => {
  const { version } = JSON.parse(
    readFileSync(join(import.meta.dirname, "..", "packages", "hub", "package.json"), "utf8"),
  ) as { version: string };
  assert.equal(await ledge("--version"), `${version}\n`);
});

test("the hub's bundle holds no code that signs keys and none of an adapter's library", () => {
  const hub = readFileSync(file("hub"), "utf8");
  assert.match(readFileSync(file("development-issuer"), "utf8"), /generateIssuerKey/);
  assert.doesNotMatch(hub, /generateIssuerKey|class DevelopmentIssuer/);
  assert.match(readFileSync(file("adapter-modbus"), "utf8"), /ModbusRTU/);
  assert.doesNotMatch(hub, /ModbusRTU/);
});

test("what signs keys brings no copy of the model into the hub beside its own", () => {
  assert.match(readFileSync(file("hub"), "utf8"), /DEVICE_DELTA/);
  for (const name of ["development-issuer", "recovered-key"]) {
    assert.doesNotMatch(readFileSync(file(name), "utf8"), /DEVICE_DELTA/, name);
  }
});

test("the hub's heap is kept small before anything else is loaded", () => {
  assert.match(readFileSync(file("hub"), "utf8"), /^import "\.\/small-heap\.mjs";/);
  assert.match(readFileSync(file("small-heap"), "utf8"), /setFlagsFromString/);
});

test("a bundled hub that was killed looks its log over and serves again", async () => {
  const ended = once(child, "close");
  child.kill("SIGKILL");
  await ended;
  const { kernel } = JSON.parse(await ledge("status", "--json")) as { kernel: { state: string } };
  assert.equal(kernel.state, "serving");
});
