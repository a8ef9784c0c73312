import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openLmdbLog } from "@ledge/log";
import type { PlacedEvent } from "../console/events.ts";
import { logFolder } from "@ledge/host/folder";
import { programFile } from "@ledge/testkit/programs";
import { wholePoll } from "../testdata/home.ts";
import { bareProfile, HubProcess, ledge, temporaryFolder } from "../testdata/hub-process.ts";

const root = temporaryFolder();
const at = (name: string): string => join(root.path, name);
const whole = at("whole");
const profile = bareProfile(root.path);

before(async () => {
  const hub = await HubProcess.start(whole, "--profile", profile);
  const key = await hub.key();
  for (let count = 0; count < 40; count++) {
    await hub.call("PUT", "/rooms", key, [{ name: `Room ${count} of many` }]);
  }
  await hub.stop();
  const made = await ledge("backup", at("whole.ledge"), "--without-secrets", "--data", whole);
  assert.equal(made.code, 0, made.stderr);
});

after(() => root.remove());

/** A copy of the hub in which the commits that made some rooms are unreadable. */
function damagedCopy(name: string, ...rooms: number[]): string {
  const folder = at(name);
  cpSync(whole, folder, { recursive: true });
  for (const file of ["data.mdb", "journal"].map((part) => join(folder, "log", part))) {
    const bytes = readFileSync(file);
    for (const room of rooms) {
      const text = `"RoomCreated","id":"`;
      const mark = `Room ${room} of many`;
      for (let place = bytes.indexOf(mark); place !== -1; place = bytes.indexOf(mark, place + 1)) {
        const event = bytes.lastIndexOf(text, place);
        if (event !== -1 && place - event < 200) bytes.write("X", event + 1);
      }
    }
    writeFileSync(file, bytes);
  }
  return folder;
}

async function eventsIn(folder: string): Promise<PlacedEvent[]> {
  const { stdout, stderr } = await ledge("events", "tail", "--once", "--json", "--data", folder);
  assert.notEqual(stdout, "", stderr);
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as PlacedEvent);
}

test("a repair keeps the readable commits on both sides of the damage and reports the lost ones", async () => {
  const folder = damagedCopy("middle", 20, 21);
  const data = ["--data", folder];
  const known = await eventsIn(whole);
  const found = await ledge("doctor", ...data);
  assert.equal(found.code, 1);
  assert.match(found.stdout, /WRONG +log .*--repair/);
  assert.equal((await ledge("verify", ...data)).code, 5);

  const unasked = await ledge("doctor", "--repair", ...data);
  assert.equal(unasked.code, 2);
  assert.match(unasked.stderr, /without a terminal, add --yes/);
  const { code, stdout, stderr } = await ledge("doctor", "--repair", "--yes", ...data);
  assert.equal(code, 0, stderr);
  assert.match(
    stdout,
    /^The log is whole again: \d+ commits with \d+ events\.\nLost: 2 commits with 2 events within \d+ s, between 2\d{3}-[^]*kept: .*data.mdb.damaged-\d+, .*journal.damaged-\d+/,
  );

  const verified = await ledge("verify", ...data);
  assert.match(verified.stdout, /whole/);
  const events = await eventsIn(folder);
  const lost = events.find(({ event }) => event.type === "SpanLost");
  const { from, to, commits } = (lost?.event ?? {}) as unknown as {
    from: number;
    to: number;
    commits: number;
  };
  assert.equal(commits, 2);
  const kept = known.filter(({ timestamp }) => timestamp <= from || timestamp >= to);
  assert.deepEqual(events.slice(0, kept.length), kept);
  assert.equal(known.length - kept.length, 2);
  const noted = events.slice(kept.length, kept.length + 3).map(({ event }) => event.type);
  assert.deepEqual(noted.toSorted(), ["AlarmRaised", "EpochOpened", "SpanLost"]);

  const hub = await HubProcess.start(folder, "--profile", profile);
  assert.equal((await wholePoll(hub, known.at(-1)?.timestamp)).full, true);
  const names = JSON.stringify((await wholePoll(hub)).polls).match(/Room \d+ of many/g) ?? [];
  assert.equal(new Set(names).size, 38);
  await hub.stop();
  const again = await ledge("doctor", "--repair", "--yes", ...data);
  assert.match(again.stdout, /nothing to repair/);
  const looked = await ledge("doctor", ...data);
  assert.deepEqual([looked.code, /set aside +data.mdb.damaged-/.test(looked.stdout)], [0, true]);
});

test("a damaged frame of the journal costs only its own commit; a repair brings back all after it", async () => {
  const folder = at("journal");
  cpSync(whole, folder, { recursive: true });
  const writer = await HubProcess.start(folder, "--profile", profile);
  const key = await writer.key();
  for (const name of ["before", "damaged", "behind"]) await writer.call("PUT", "/rooms", key, [{ name }]);
  await writer.kill();
  const journal = join(folder, "log", "journal");
  const bytes = readFileSync(journal);
  bytes.write("DAMAGED", bytes.lastIndexOf('"damaged"') + 1);
  writeFileSync(journal, bytes);

  const rescued = await HubProcess.start(folder, "--profile", profile);
  const health = await (await fetch(`${rescued.address}/healthz`)).text();
  assert.match(health, /rescue: the journal is damaged behind \d+.*ledge doctor/);
  await rescued.stop();
  assert.equal(
    readdirSync(join(folder, "log")).some((name) => name.includes(".cut-")),
    false,
  );

  const { code, stdout, stderr } = await ledge("doctor", "--repair", "--yes", "--data", folder);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /Lost: 1 commit with 1 event within \d+ s, between/);
  const hub = await HubProcess.start(folder, "--profile", profile);
  const rooms = JSON.stringify((await hub.call("GET", "/rooms", key)).json);
  assert.deepEqual(
    ["before", "damaged", "behind"].map((name) => rooms.includes(`"${name}"`)),
    [true, false, true],
  );
  await hub.stop();
});

test("a repair with a backup that holds the lost commits makes the log whole", async () => {
  const folder = damagedCopy("filled", 3, 20, 38);
  const args = ["doctor", "--repair", "--yes", "--backup", at("whole.ledge"), "--json", "--data", folder];
  const { code, stdout, stderr } = await ledge(...args);
  assert.equal(code, 0, stderr);
  const { repaired } = JSON.parse(stdout) as { repaired: { lost: unknown[]; fromBackup: number } };
  assert.equal(repaired.fromBackup >= 3, true);
  const known = await eventsIn(whole);
  assert.deepEqual((await eventsIn(folder)).slice(0, known.length), known);
  assert.deepEqual(repaired.lost.length, 0);
});

test("a backup from before a compaction fills in the commits lost since", async () => {
  const folder = at("compacted");
  cpSync(whole, folder, { recursive: true });
  const envelope = { version: 1, origin: "system", depth: 0 } as const;
  const log = await openLmdbLog({ folder: logFolder(folder) });
  const begin = log.last;
  for (let number = 1; number <= 20; number++) {
    const room = {
      type: "RoomCreated",
      id: `late-${number}`,
      name: `Late ${number}`,
      order: 100 + number,
      ...envelope,
    };
    await log.append({
      timestamp: begin + number,
      events: [{ type: "AdapterStarted", id: "sim", ...envelope }, room],
    });
    await log.move();
  }
  await log.close();
  const backup = at("before-compaction.ledge");
  assert.equal((await ledge("backup", backup, "--without-secrets", "--data", folder)).code, 0);
  const compacted = await openLmdbLog({ folder: logFolder(folder) });
  const horizon = await compacted.boundary(begin + 15, Number.MAX_SAFE_INTEGER, async () => {});
  const keep = (timestamp: number, index: number): boolean => timestamp <= begin || index > 0;
  const base = { timestamp: horizon, format: "x", rows: [] };
  assert.equal((await compacted.compact({ horizon, keep, base, pause: async () => {} })).removedEvents, 15);
  await compacted.close();
  const file = join(folder, "log", "data.mdb");
  const bytes = readFileSync(file);
  for (let place = bytes.indexOf('"Late 8"'); place !== -1; place = bytes.indexOf('"Late 8"', place + 1))
    bytes.write("X", place + 1);
  writeFileSync(file, bytes);
  rmSync(join(folder, "log", "journal"));

  const { code, stdout, stderr } = await ledge(
    "doctor",
    "--repair",
    "--yes",
    "--backup",
    backup,
    "--data",
    folder,
  );
  assert.equal(code, 0, stderr);
  assert.match(stdout, /1 of them from the backup.*\nNothing is lost/);
  const types = (await eventsIn(folder)).filter(({ timestamp }) => timestamp === begin + 8);
  assert.deepEqual(
    types.map(({ event }) => event.type),
    ["AdapterStarted", "RoomCreated"],
  );
});

test("a log with nothing left comes back from the backup alone", async () => {
  const folder = damagedCopy("nothing");
  for (const name of ["data.mdb", "journal"]) writeFileSync(join(folder, "log", name), Buffer.alloc(65_536));
  const alone = await ledge("doctor", "--repair", "--yes", "--data", folder);
  assert.notEqual(alone.code, 0);
  assert.deepEqual(readFileSync(join(folder, "log", "data.mdb")), Buffer.alloc(65_536));
  const args = ["doctor", "--repair", "--yes", "--backup", at("whole.ledge"), "--data", folder];
  const { code, stdout } = await ledge(...args);
  assert.equal(code, 0);
  assert.match(stdout, /what came behind the beginning|what came behind 2/);
  const known = await eventsIn(whole);
  assert.deepEqual((await eventsIn(folder)).slice(0, known.length), known.slice(0, known.length));
});

test("refuses a backup of another hub or history and a running hub, and changes nothing", async () => {
  const folder = damagedCopy("refused", 5);
  const other = at("other");
  const stranger = await HubProcess.start(other, "--profile", profile);
  const repair = ["doctor", "--repair", "--yes"];
  const running = await ledge(...repair, "--data", other);
  assert.deepEqual([running.code, /another process runs on/.test(running.stderr)], [3, true]);
  await ledge("backup", at("other.ledge"), "--without-secrets", "--data", other);
  await stranger.stop();
  const files = readdirSync(join(folder, "log")).toSorted();
  const foreign = await ledge(...repair, "--backup", at("other.ledge"), "--data", folder);
  assert.deepEqual([foreign.code, /is of hub/.test(foreign.stderr)], [3, true]);
  writeFileSync(join(other, "hub.json"), readFileSync(join(whole, "hub.json")));
  assert.deepEqual(readdirSync(join(folder, "log")).toSorted(), files);
  assert.equal((await ledge("doctor", "--yes", "--data", folder)).code, 2);
  assert.equal((await ledge(...repair, "--backup", at("nowhere"), "--data", folder)).code, 4);
});

test("a killed repair leaves the damaged log or the new one, and the next repair finishes", async () => {
  const folder = damagedCopy("killed", 7, 30);
  const cli = programFile("ledge");
  const args = [cli, "doctor", "--repair", "--yes", "--data", folder];
  const began = performance.now();
  const timed = damagedCopy("timed", 7, 30);
  await ledge("doctor", "--repair", "--yes", "--data", timed);
  const took = performance.now() - began;
  for (const part of [0.5, 0.65, 0.8]) {
    const child = spawn(process.execPath, args, { stdio: "ignore" });
    const ended = new Promise((resolve) => child.once("close", resolve));
    await Promise.race([sleep(took * part), ended]);
    child.kill("SIGKILL");
    await ended;
    const { code } = await ledge("verify", "--data", folder);
    if (code === 0) break;
    assert.equal(code, 5);
  }
  assert.equal((await ledge("doctor", "--repair", "--yes", "--data", folder)).code, 0);
  assert.equal((await ledge("verify", "--data", folder)).code, 0);
  assert.equal((await eventsIn(folder)).filter(({ event }) => event.type === "SpanLost").length, 2);
  assert.equal(existsSync(join(folder, "repair.new")), false);
});
