import assert from "node:assert/strict";
import { copyFileSync, cpSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { bareProfile, HubProcess, ledge, temporaryFolder } from "../testdata/hub-process.ts";

const root = temporaryFolder();
const profile = bareProfile(root.path);
const home = join(root.path, "home");
/** The log after the last clean stop. */
const yesterday = join(root.path, "yesterday.mdb");
let key: string;
after(() => root.remove());

before(async () => {
  const first = await HubProcess.start(home, "--profile", profile);
  key = await first.key();
  await addRooms(first, 1, 2, 3);
  await first.stop();
  copyFileSync(join(home, "log", "data.mdb"), yesterday);
  const second = await HubProcess.start(home, "--profile", profile);
  await addRooms(second, 4, 5, 6);
  await second.kill();
});

async function addRooms(hub: HubProcess, ...numbers: number[]): Promise<void> {
  for (const number of numbers)
    assert.equal((await hub.call("PUT", "/rooms", key, [{ name: `room ${number}` }])).status, 200);
}

async function roomsOf(hub: HubProcess): Promise<string[]> {
  const { json } = await hub.call("GET", "/rooms", key);
  return Object.values(json as Record<string, { name: string }>).map(({ name }) => name);
}

for (const [what, change, problem] of [
  ["gone", (log) => rmSync(join(log, "journal")), "the journal is gone"],
  ["empty", (log) => truncateSync(join(log, "journal"), 0), "the journal is cut to 0 bytes"],
  [
    "newer than its log",
    (log) => copyFileSync(yesterday, join(log, "data.mdb")),
    "data.mdb is older than its journal",
  ],
] as const satisfies readonly (readonly [string, (log: string) => void, string])[])
  test(`a hub whose journal is ${what} reports what is missing, and a repair lets it go on`, async () => {
    const copy = join(root.path, "copy");
    rmSync(copy, { recursive: true, force: true });
    cpSync(home, copy, { recursive: true });
    change(join(copy, "log"));
    const rescued = await HubProcess.start(copy, "--profile", profile);
    const health = await fetch(`${rescued.address}/healthz`);
    const { status, message } = (await health.json()) as { status: string; message: string };
    assert.deepEqual([health.status, status], [503, "rescue"]);
    assert.ok(message.includes(`${problem}: what was acknowledged after`), message);
    assert.equal((await rescued.call("PUT", "/rooms", key, [{ name: "no" }])).status, 507);
    await rescued.stop();
    const looked = await ledge("doctor", "--data", copy);
    assert.equal(looked.code, 1);
    assert.ok(looked.stdout.includes(problem), looked.stdout);

    const repaired = await ledge("doctor", "--repair", "--yes", "--data", copy);
    assert.equal(repaired.code, 0, repaired.stderr);
    const hub = await HubProcess.start(copy, "--profile", profile);
    assert.equal((await fetch(`${hub.address}/healthz`)).status, 200);
    assert.deepEqual(await roomsOf(hub), ["room 1", "room 2", "room 3"]);
    const { json: alarms } = await hub.call("GET", "/alarms", key);
    assert.match(JSON.stringify(alarms), /A part of the log is lost/);
    await hub.stop();
  });
