import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openLmdbLog } from "@ledge/log";
import { limits } from "@ledge/model";
import { logFolder } from "@ledge/host/folder";
import { RunNote } from "./run-note.ts";
import { bareProfile, HubProcess, ledge, temporaryFolder } from "../testdata/hub-process.ts";

const folder = temporaryFolder();
const data = ["--data", folder.path];
const other = temporaryFolder();
const profile = ["--profile", bareProfile(other.path)];
let key: string;
let timestamp: number;

after(() => {
  folder.remove();
  other.remove();
});

/** A home whose log ends with an unknown event, and one more room after it. */
before(async () => {
  const hub = await HubProcess.start(folder.path, ...profile);
  key = await hub.key();
  await hub.call("PUT", "/rooms", key, [{ name: "Hall" }]);
  await hub.stop();
  const log = await openLmdbLog({ folder: logFolder(folder.path) });
  timestamp = log.last + 10;
  const envelope = { version: 1, origin: "system", depth: 0 } as const;
  await log.append({ timestamp, events: [{ type: "Unheard", id: "u", ...envelope }] });
  const room = { type: "RoomCreated", id: "late", name: "Late", order: 2, ...envelope };
  await log.append({ timestamp: timestamp + 1, events: [room] });
  await log.close();
});

test("an event that cannot be applied ends two starts; the third enters safe mode and names the way out", async () => {
  for (let start = 0; start < 2; start++) {
    await assert.rejects(
      HubProcess.start(folder.path, ...profile),
      new RegExp(`ended with 70: the event ${timestamp}-0, Unheard, cannot be applied: .*\\n$`),
    );
  }
  const doctor = await ledge("doctor", ...data);
  assert.equal(doctor.code, 1);
  assert.match(doctor.stdout, /WRONG +events +the event .*Unheard.*install a release that knows it/);

  for (let start = 0; start < 2; start++) {
    const hub = await HubProcess.start(folder.path, ...profile);
    const health = await fetch(`${hub.address}/healthz`);
    assert.equal(health.status, 503);
    assert.match(await health.text(), new RegExp(`safe-mode: the event ${timestamp}-0, Unheard`));
    const { status, json } = await hub.call("GET", "/rooms", key);
    const names = Object.values(json as Record<string, { name: string }>).map(({ name }) => name);
    assert.deepEqual([status, names], [200, ["Hall"]]);
    assert.equal((await hub.call("PUT", "/rooms", key, [{ name: "x" }])).status, 507);
    // The past before the event can be read, and nothing else.
    for (const [at, expected] of [
      [timestamp - 1, 200],
      [timestamp, 503],
    ] as const)
      assert.equal((await hub.call("GET", `/rooms?at=${at}`, key)).status, expected);
    const { code, stdout } = await ledge("status", ...data);
    assert.equal(code, 1);
    assert.match(stdout, /kernel +safe-mode\nreason +the event .*Unheard/);
    const ended = start === 0 ? await hub.kill() : await hub.stop();
    assert.match(ended.stderr, /"state":"safe-mode".*Unheard/);
  }
  const log = await openLmdbLog({ folder: logFolder(folder.path), readOnly: true });
  assert.equal(log.last, timestamp + 1, "nothing of the log is lost");
  await log.close();
});

test("a hub that is killed at each start enters safe mode until it is restarted on request", async (t) => {
  const restless = temporaryFolder();
  t.after(() => restless.remove());
  const start = async (...args: string[]): Promise<HubProcess> => {
    const hub = await HubProcess.start(restless.path, ...profile, ...args);
    t.after(() => hub.kill());
    return hub;
  };
  const supervised = (): Promise<HubProcess> => start("--supervised", "exit");
  const healthOf = async (hub: HubProcess): Promise<number> => (await fetch(`${hub.address}/healthz`)).status;
  const first = await supervised();
  const owner = await first.key();
  await first.kill();
  // Runs that died shortly after their start.
  for (let deaths = 1; deaths < limits.deathsToSafeMode - 1; deaths++) new RunNote(restless.path).begin();
  const last = await supervised();
  assert.equal(await healthOf(last), 200);
  await last.kill();
  const unwatched = await start();
  assert.equal(await healthOf(unwatched), 200, "nothing starts this one again");
  await unwatched.kill();
  const safe = await supervised();
  assert.equal(await healthOf(safe), 503);
  const { stdout } = await ledge("status", "--data", restless.path);
  assert.match(stdout, /kernel +safe-mode\nreason +the hub ended \d+ times in a row soon after its start/);
  assert.equal((await safe.call("GET", "/rooms", owner)).status, 200);
  assert.deepEqual(await safe.call("GET", "/hub/restart", owner), { status: 200, json: true });
  assert.equal((await safe.ended).code, 85);
  const again = await supervised();
  assert.equal(await healthOf(again), 200);
  await again.stop();
});
