import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { baseFormat, snapshotFormat } from "@ledge/kernel";
import { openLmdbLog } from "@ledge/log";
import { logFolder } from "@ledge/host/folder";
import { bareProfile, HubProcess, temporaryFolder } from "../testdata/hub-process.ts";
import { kernelParts } from "./kernel-parts.ts";
import { readableState } from "./readable-state.ts";

const root = temporaryFolder();
const home = join(root.path, "home");
const profile = bareProfile(root.path);
const format = snapshotFormat(kernelParts.aggregates, kernelParts.release);
after(() => root.remove());

/** Overwrites a text everywhere in a file of the log. */
function spoil(file: string, text: string): void {
  const path = join(logFolder(home), file);
  const bytes = readFileSync(path);
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1)) bytes.write("#", at + 2);
  writeFileSync(path, bytes);
}

/** The time of the readable state, and the rooms that were added after it. */
async function readable(): Promise<[timestamp: number | undefined, rooms: unknown[]]> {
  const { snapshot, commits } = await readableState(logFolder(home));
  const events = commits.flatMap((commit) => commit.events);
  const rooms = events.filter(({ type }) => type === "RoomCreated").map((event) => event["name" as never]);
  return [snapshot?.timestamp, rooms];
}

test("reads the best of snapshot and base, with the commits that follow it", async () => {
  const first = await HubProcess.start(home, "--profile", profile);
  const key = await first.key();
  const add = async (hub: HubProcess, ...names: string[]): Promise<void> => {
    for (const name of names) await hub.call("PUT", "/rooms", key, [{ name }]);
  };
  await add(first, "Hall");
  await first.stop();
  const log = await openLmdbLog({ folder: logFolder(home) });
  const { timestamp: based, rows } = log.loadSnapshot(format) ?? assert.fail("no snapshot");
  await log.saveBase({ timestamp: based, format: baseFormat(format), rows: [{ lastEvents: 0 }, ...rows] });
  await log.close();
  const second = await HubProcess.start(home, "--profile", profile);
  await add(second, "Attic");
  await second.stop();
  const third = await HubProcess.start(home, "--profile", profile);
  await add(third, "Cellar", "damaged", "behind");
  await third.kill();
  spoil("journal", '"damaged"');

  const [newest = 0, rooms] = await readable();
  assert.ok(newest > based);
  assert.deepEqual(rooms, ["Cellar"]);
  spoil("data.mdb", '[{"horizon":');
  assert.deepEqual(await readable(), [based, ["Attic", "Cellar"]]);

  const rescued = await HubProcess.start(home, "--profile", profile);
  const { status, json } = await rescued.call("GET", "/rooms", key);
  const names = Object.values(json as Record<string, { name: string }>).map(({ name }) => name);
  assert.deepEqual([status, names.toSorted()], [200, ["Attic", "Cellar", "Hall"]]);
  await rescued.stop();

  // The log would not open now.
  rmSync(join(logFolder(home), "journal"));
  assert.deepEqual((await readable())[0], based);
  spoil("data.mdb", '[{"lastEvents":');
  assert.deepEqual(await readable(), [undefined, []]);
});
