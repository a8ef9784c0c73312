import assert from "node:assert/strict";
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { eraseIfMarked, markForReset } from "./factory-reset.ts";
import { bareProfile, HubProcess, ledge, temporaryFolder } from "../testdata/hub-process.ts";

const folder = temporaryFolder();
after(() => folder.remove());
const profile = bareProfile(folder.path);

function fill(name: string): string {
  const path = join(folder.path, name);
  for (const part of ["log", "adapters/zigbee"]) mkdirSync(join(path, part), { recursive: true });
  const files = ["hub.json", "identity-key.json", "ledge.sock", "log/data.mdb", "adapters/zigbee/network"];
  for (const file of files) writeFileSync(join(path, file), "old");
  return path;
}

const idAt = async (hub: HubProcess): Promise<unknown> =>
  ((await (await fetch(`${hub.address}/hub`)).json()) as { hubId: string }).hubId;

test("erases only a marked folder, and keeps only its lock", () => {
  const path = fill("whole");
  const before = readdirSync(path, { recursive: true });
  eraseIfMarked(path);
  assert.deepEqual(readdirSync(path, { recursive: true }), before);
  markForReset(path);
  eraseIfMarked(path);
  assert.deepEqual(readdirSync(path), ["ledge.sock"]);
});

test("overwrites keys, because the blocks of a deleted file keep their content", () => {
  const path = fill("keys");
  const names = ["secret-key", "secret-key.damaged", "personal-keys.json", "personal-keys.json.damaged"];
  const kept = join(folder.path, "kept");
  mkdirSync(kept);
  for (const name of names) {
    writeFileSync(join(path, name), "key");
    linkSync(join(path, name), join(kept, name));
  }
  markForReset(path);
  eraseIfMarked(path);
  assert.deepEqual(readdirSync(path), ["ledge.sock"]);
  for (const name of names) assert.deepEqual(readFileSync(join(kept, name)), Buffer.alloc(3), name);
});

test("continues an erasure that was cut short at any point", () => {
  for (const gone of [[], ["hub.json"], ["log"], ["hub.json", "log", "identity-key.json", "adapters"]]) {
    const path = fill("part");
    markForReset(path);
    for (const name of gone) rmSync(join(path, name), { recursive: true });
    eraseIfMarked(path);
    assert.deepEqual(readdirSync(path), ["ledge.sock"]);
  }
});

test("a start after an interrupted erasure makes a new hub that refuses the old key", async () => {
  const home = join(folder.path, "cut");
  const first = await HubProcess.start(home, "--profile", profile);
  const [id, key] = [await idAt(first), await first.key()];
  await first.kill();
  markForReset(home);
  rmSync(join(home, "log", "data.mdb"));
  const second = await HubProcess.start(home, "--profile", profile);
  assert.notEqual(await idAt(second), id);
  assert.equal((await second.call("GET", "/hub/tz", key)).status, 401);
  const meta = (await (await fetch(`${second.address}/hub`)).json()) as { state: string };
  assert.equal(meta.state, "factory_new");
  await second.stop();
});

test("stops a running hub and erases it, erases a stopped one, and does nothing without --yes", async () => {
  const home = join(folder.path, "running");
  const data = ["--data", home];
  const hub = await HubProcess.start(home, "--profile", profile);
  assert.equal((await ledge("factory-reset", ...data)).code, 2);
  assert.equal((await hub.call("GET", "/hub/tz", await hub.key())).status, 200);
  const reset = await ledge("factory-reset", "--yes", ...data);
  assert.deepEqual([reset.code, reset.stderr], [0, ""]);
  assert.equal((await hub.ended).code, 0);
  assert.deepEqual(readdirSync(home), []);
  await (await HubProcess.start(home, "--profile", profile)).kill();
  assert.equal((await ledge("factory-reset", "--yes", ...data)).code, 0);
  assert.deepEqual(readdirSync(home), []);
  assert.equal((await ledge("factory-reset", "--yes", "--data", join(home, "none"))).code, 4);
});
