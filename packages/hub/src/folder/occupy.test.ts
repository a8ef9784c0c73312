import assert from "node:assert/strict";
import { readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { HubProcess, ledge, temporaryFolder } from "../testdata/hub-process.ts";

async function usedFolder(): Promise<{ path: string; log: string; remove(): void }> {
  const folder = temporaryFolder();
  const hub = await HubProcess.start(folder.path);
  await hub.key();
  await hub.stop();
  return { ...folder, log: join(folder.path, "log", "data.mdb") };
}

const ruined: readonly [string, (log: string) => void][] = [
  ["is gone", (log) => rmSync(log)],
  ["is empty", (log) => truncateSync(log, 0)],
  ["is something else", (log) => writeFileSync(log, "x".repeat(8192))],
];

for (const [how, ruin] of ruined) {
  test(`a hub whose log ${how} does not start as new: it gives the reason and answers 503`, async () => {
    const folder = await usedFolder();
    ruin(folder.log);
    const hub = await HubProcess.start(folder.path);
    for (const path of ["/healthz", "/hub", "/cc/1.14/hub/poll?ts=0", "/cc/1.14/rooms"]) {
      const response = await fetch(`${hub.address}${path}`);
      assert.equal(response.status, 503, path);
      const { message } = (await response.json()) as { message: string };
      assert.match(message, /nothing of it can be read: run "ledge doctor", or restore a backup/);
    }
    const running = await ledge("status", "--data", folder.path);
    assert.equal(running.code, 1);
    assert.match(running.stdout, /kernel +rescue\nreason +.*(the log is empty|not an LMDB file)/);
    assert.equal((await hub.stop()).code, 0);
    const stopped = await ledge("status", "--data", folder.path);
    assert.equal(stopped.code, 1);
    assert.match(stopped.stdout, /kernel +rescue\n/);
    assert.equal((await ledge("doctor", "--data", folder.path)).code, 1);
    assert.deepEqual(
      readdirSync(folder.path).filter((name) => name.endsWith(".sock")),
      [],
    );
    folder.remove();
  });
}

test("only the owner of the folder can read the files about its hub", async () => {
  const folder = await usedFolder();
  for (const name of ["hub.json", "profile.json"]) {
    assert.equal(statSync(join(folder.path, name)).mode & 0o777, 0o600);
  }
  folder.remove();
});

test("no answer of the hub holds the keys that an adapter stores", async () => {
  const folder = temporaryFolder();
  const hub = await HubProcess.start(folder.path);
  const key = await hub.key();
  const { json } = await hub.call("GET", "/devices", key);
  const [id] = Object.keys(json as object);
  await hub.call("PUT", "/devices/command", key, [{ type: "CMD_DEVICE", id, state: { isOn: true } }]);
  await hub.stop();
  const { stdout } = await ledge("events", "tail", "--once", "--json", "--data", folder.path);
  const stored = stdout.split("\n").filter((line) => line.includes("AdapterValueStored"));
  assert.ok(stored.length > 0);
  for (const line of stored) {
    assert.equal((JSON.parse(line) as { event: { value: unknown } }).event.value, "…");
  }
  folder.remove();
});
