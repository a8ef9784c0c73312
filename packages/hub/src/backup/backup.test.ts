import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Commit } from "@ledge/model";
import { roles } from "@ledge/model";
import { SimulatedCloud } from "@ledge/testkit/cloud";
import { programFile } from "@ledge/testkit/programs";
import type { PlacedEvent } from "../console/events.ts";
import { canaries, hideCanaries, wholePoll } from "../testdata/home.ts";
import { bareProfile, eventually, HubProcess, ledge, temporaryFolder } from "../testdata/hub-process.ts";
import { readBackup, readHeader } from "@ledge/host/backup/reader";
import { deriveKey } from "@ledge/host/backup/seal";

const root = temporaryFolder();
const folder = join(root.path, "hub");
const at = (name: string): string => join(root.path, name);
const data = ["--data", folder];
const secret = at("passphrase");
const profile = bareProfile(root.path);
let cloud: SimulatedCloud;
let hub: HubProcess;
let key: string;

before(async () => {
  writeFileSync(secret, "correct horse battery\n");
  cloud = await SimulatedCloud.open();
  const first = await HubProcess.startAt(cloud, folder);
  key = await first.key();
  await first.homeAnnounced(key);
  await first.call("PUT", "/rooms", key, [{ name: "Attic" }, { name: "Cellar" }]);
  await first.stop();
  await hideCanaries(folder);
  hub = await HubProcess.startAt(cloud, folder, "--profile", profile);
  // Their adapter is not in this profile, so commands to them end.
  await eventually("devices without an adapter", async () => {
    const { json } = await hub.call("GET", "/devices", key);
    const devices = Object.values(json as Record<string, { state: { reachable: boolean } }>);
    return devices.some(({ state }) => state.reachable) ? undefined : true;
  });
});

after(async () => {
  await hub.stop();
  await cloud.close();
  root.remove();
});

/** All that a file holds, as far as it can be had without a passphrase: its bytes, and what they unpack to. */
function openText(file: string): string {
  return readFileSync(file, "latin1") + JSON.stringify([...readBackup(file, undefined)]);
}

async function commitsIn(file: string, passphrase?: string): Promise<Commit[]> {
  const header = readHeader(file);
  const sealKey = passphrase && header.key ? await deriveKey(passphrase, header.key) : undefined;
  return [...readBackup(file, sealKey)].flatMap((part) => ("commits" in part ? part.commits : []));
}

test("a running and a stopped hub back up, and either backup restores the same hub", async () => {
  const shown = await wholePoll(hub);
  const sealed = await ledge("backup", at("a.ledge"), "--passphrase-file", secret, "--json", ...data);
  assert.equal(sealed.code, 0, sealed.stderr);
  const made = JSON.parse(sealed.stdout) as Record<string, unknown>;
  assert.equal(made["secrets"], "sealed");
  assert.equal(statSync(at("a.ledge")).mode & 0o777, 0o600);
  assert.equal(statSync(at("a.ledge")).size, made["bytes"]);
  assert.equal((await ledge("verify", at("a.ledge"))).code, 0);

  await hub.stop();
  const stopped = await ledge("backup", at("b.ledge"), "--passphrase-file", secret, ...data);
  assert.equal(stopped.code, 0, stopped.stderr);
  for (const name of ["a", "b"]) {
    const fresh = at(`restored ${name}`);
    const options = ["--data", fresh, "--passphrase-file", secret, "--json"];
    const { code, stdout, stderr } = await ledge("restore", at(`${name}.ledge`), ...options);
    assert.equal(code, 0, stderr);
    const restored = JSON.parse(stdout) as { compared: boolean; epoch: number; secrets: string };
    assert.deepEqual([restored.compared, restored.secrets], [true, "restored"]);
    assert.equal(statSync(fresh).mode & 0o777, 0o700);
    assert.equal(readFileSync(join(fresh, "adapters/radio/store.db"), "utf8"), canaries[1]);
    const again = await HubProcess.startAt(cloud, fresh, "--profile", profile);
    const { timestamp, ...now } = await wholePoll(again);
    assert.deepEqual({ timestamp: shown.timestamp, ...now }, shown);
    assert.ok(timestamp >= restored.epoch && restored.epoch > shown.timestamp);
    // Every cursor gets a full answer once, whenever it was given.
    for (const cursor of [1, shown.timestamp, Date.now(), restored.epoch - 1]) {
      assert.equal((await wholePoll(again, cursor)).full, true, `${cursor}`);
    }
    assert.equal((await wholePoll(again, timestamp)).full, false);
    // The keys that the hub signed before still count.
    assert.equal((await again.call("GET", "/rooms", key)).status, 200);
    await again.stop();
    assert.equal((await ledge("doctor", "--data", fresh)).code, 0);
    const whole = await ledge("verify", "--data", fresh);
    assert.match(whole.stdout, /newest snapshot[^]*whole/);
  }
  hub = await HubProcess.startAt(cloud, folder, "--profile", profile);
});

test("the owner makes, lists and fetches backups over HTTP, and the log says so", async () => {
  const passphrase = "correct horse battery";
  const { status, json } = await hub.call("POST", "/hub/backup", key, { passphrase });
  assert.equal(status, 200, JSON.stringify(json));
  const { name, bytes, hasSecrets } = json as { name: string; bytes: number; hasSecrets: boolean };
  assert.ok(hasSecrets);
  assert.deepEqual((await hub.call("GET", "/hub/backups", key)).json, [json]);
  const fetched = await fetch(`${hub.address}/cc/1.14/hub/backup?name=${name}`, {
    headers: { authorization: key },
  });
  const file = Buffer.from(await fetched.arrayBuffer());
  assert.deepEqual([fetched.status, file.length], [200, bytes]);
  writeFileSync(at("fetched.ledge"), file);
  const options = ["--data", at("of fetched"), "--passphrase-file", secret, "--json"];
  const restored = await ledge("restore", at("fetched.ledge"), ...options);
  assert.equal(restored.code, 0, restored.stderr);
  assert.equal((JSON.parse(restored.stdout) as { compared: boolean }).compared, true);
  for (const wrong of ["../identity-key.json", "asked-1.ledge", "%00"])
    assert.equal((await hub.call("GET", `/hub/backup?name=${wrong}`, key)).status, 404, wrong);
  const { json: audit } = await hub.call("GET", "/audit?limit=5", key);
  for (const type of ["BackupMade", "BackupRead"]) assert.match(JSON.stringify(audit), new RegExp(type));
  assert.ok(!JSON.stringify(audit).includes(passphrase));
  assert.deepEqual(readdirSync(join(folder, "backups")), [name], "the passphrase is in no file");
  const admin = await hub.key("admin@example.org", roles.USER_ADMIN);
  assert.equal((await hub.call("GET", "/hub/backups", admin)).status, 403);
});

test("a backup under load holds every earlier acknowledged write and no later one", async () => {
  // A key may call ten times a second; the writers together more than two hundred times.
  const keys: string[] = [];
  for (let index = 0; index < 25; index++)
    keys.push(await hub.key(`writer${index}@example.org`, roles.IDENTIFIED_USER));
  const acknowledged: string[] = [];
  const running = { isRunning: true };
  const writing = keys.map(async (own, index) => {
    for (let count = 0; running.isRunning && count < 4000; count++) {
      const name = `room ${index}.${count}`;
      const body = [{ type: "CMD_ROOM", ...(count > 0 && { id: ids.get(index) }), name }];
      const { json } = await hub.call("PUT", "/rooms", own, body);
      if (JSON.stringify(json) === "[true]") acknowledged.push(name);
      if (count === 0) await learnId(index, name, own);
      await sleep(100);
    }
  });
  const ids = new Map<number, string>();
  const learnId = async (index: number, name: string, own: string): Promise<void> => {
    const { json } = await hub.call("GET", "/rooms", own);
    const found = Object.values(json as Record<string, { id: string; name: string }>);
    ids.set(index, found.find((room) => room.name === name)?.id ?? "");
  };
  await eventually("a thousand writes", async () => (acknowledged.length > 1000 ? true : undefined));
  const earlier = [...acknowledged];
  const { code, stdout, stderr } = await ledge(
    "backup",
    at("live.ledge"),
    "--without-secrets",
    "--json",
    ...data,
  );
  assert.equal(code, 0, stderr);
  const written = acknowledged.length;
  await eventually("writes behind the backup", async () =>
    acknowledged.length > written + 50 ? true : undefined,
  );
  running.isRunning = false;
  await Promise.all(writing);

  const { last } = JSON.parse(stdout) as { last: number };
  const backedUp = (await commitsIn(at("live.ledge"))).flatMap(({ timestamp, events }) =>
    events.map((event, index) => ({ ref: `${timestamp}-${index}`, timestamp, type: event.type })),
  );
  const tail = await ledge("events", "tail", "--once", "--json", ...data);
  const logged = tail.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as PlacedEvent)
    .map(({ ref, timestamp, event }) => ({ ref, timestamp, type: event.type }));
  assert.deepEqual(
    backedUp,
    logged.filter(({ timestamp }) => timestamp <= last),
  );
  assert.ok(logged.length > backedUp.length + 50);
  const text = openText(at("live.ledge"));
  assert.deepEqual(
    earlier.filter((name) => !text.includes(`"${name}"`)),
    [],
  );
  assert.equal((await ledge("restore", at("live.ledge"), "--data", at("live"))).code, 0);
});

test("no secret can be found without the passphrase, and a backup without secrets holds none", async () => {
  const identity = readFileSync(join(folder, "identity-key.json"), "utf8");
  const [, d = ""] = /"d":"([^"]+)"/.exec(identity) ?? assert.fail(identity);
  const hidden = [
    d,
    ...canaries,
    ...canaries.map((text) => Buffer.from(text).toString("base64").slice(0, -4)),
  ];
  for (const [name, ...option] of [
    ["with.ledge", "--passphrase-file", secret],
    ["without.ledge", "--without-secrets"],
  ] as const) {
    const { code, stdout } = await ledge("backup", at(name), ...option, ...data);
    assert.equal(code, 0);
    assert.match(stdout, name === "with.ledge" ? /sealed/ : /left out: .*adapters\/radio\/store.db/);
    const text = openText(at(name));
    assert.ok(text.includes("AdapterValueStored"), "the sections were opened");
    assert.deepEqual(
      hidden.filter((canary) => text.includes(canary)),
      [],
    );
  }
  const [withKey, withoutKey] = [
    await commitsIn(at("with.ledge"), "correct horse battery"),
    await commitsIn(at("without.ledge")),
  ].map((commits) => JSON.stringify(commits).includes(canaries[0]));
  assert.deepEqual([withKey, withoutKey], [true, false]);
  const { code, stdout } = await ledge("restore", at("without.ledge"), "--data", at("bare"));
  assert.equal(code, 0);
  assert.match(stdout, /Replayed: the states are those[^]*keys must be issued anew/);
  assert.deepEqual(readdirSync(at("bare")).toSorted(), ["hub.json", "log", "profile.json"]);
});

test("refuses wrong arguments and passphrases before it touches a file", async () => {
  writeFileSync(at("short"), "seven77\n");
  writeFileSync(at("other"), "another passphrase");
  const refused: readonly (readonly [number, RegExp, ...string[]])[] = [
    [2, /--passphrase-file/, "backup", at("c.ledge")],
    [2, /backup FILE/, "backup"],
    [2, /not both/, "backup", at("c.ledge"), "--without-secrets", "--passphrase-file", secret],
    [2, /shorter than 8/, "backup", at("c.ledge"), "--passphrase-file", at("short")],
    [4, /ENOENT/, "backup", at("c.ledge"), "--passphrase-file", at("nowhere")],
    [3, /--force/, "backup", at("a.ledge"), "--without-secrets"],
    [74, /ENOENT/, "backup", at("no/folder/c.ledge"), "--without-secrets"],
    [2, /sealed/, "restore", at("a.ledge")],
    [3, /--force/, "restore", at("a.ledge"), "--passphrase-file", secret],
    [3, /another process runs on/, "restore", at("a.ledge"), "--passphrase-file", secret, "--force"],
    [3, /is not a regular file/, "backup", root.path, "--without-secrets", "--force"],
    [3, /the passphrase is wrong/, "restore", at("a.ledge"), "--passphrase-file", at("other")],
    [4, /ENOENT/, "verify", at("nowhere.ledge")],
    [5, /not a backup of this product/, "verify", secret],
  ];
  for (const [expected, message, ...args] of refused) {
    const { code, stdout, stderr } = await ledge(...args, ...data);
    assert.equal(code, expected, `${args.join(" ")}: ${stderr}`);
    assert.match(stderr + stdout, message);
  }
  assert.deepEqual(
    readdirSync(root.path).filter((name) => /c\.ledge|\.new$/.test(name)),
    [],
  );
  assert.equal((await ledge("backup", at("b.ledge"), "--without-secrets", "--force", ...data)).code, 0);
});

const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);

test(`verify and restore reject a cut or flipped backup, and nothing is restored (SEED=${seed})`, async () => {
  const whole = readFileSync(at("a.ledge"));
  const file = at("broken.ledge");
  let state = seed;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (let round = 0; round < 6; round++) {
    writeFileSync(file, whole);
    if (round % 3 === 0) truncateSync(file, random(whole.length));
    else {
      const place = random(whole.length);
      const bytes = Buffer.from(whole);
      bytes.writeUInt8(bytes.readUInt8(place) ^ (1 << random(8)), place);
      writeFileSync(file, bytes);
    }
    const verified = await ledge("verify", file, "--json");
    assert.equal(verified.code, 5, verified.stderr);
    assert.equal((JSON.parse(verified.stdout) as { damage: unknown[] }).damage.length, 1);
    const restored = await ledge("restore", file, "--passphrase-file", secret, "--data", at("never"));
    assert.equal(restored.code, 5);
    assert.match(restored.stderr, /damaged at byte/);
    assert.equal(existsSync(at("never")) || existsSync(at("never.new")), false);
  }
});

test("a backup that fills the disk leaves no file under its name", async () => {
  const script = `ulimit -f 4 && exec "$0" "$@"`;
  const args = [programFile("ledge"), "backup", at("full.ledge"), "--without-secrets", ...data];
  const child = spawn("sh", ["-c", script, process.execPath, ...args], { stdio: "ignore" });
  const code = await new Promise((resolve) => child.once("close", resolve));
  assert.equal(code, 74);
  assert.deepEqual(
    readdirSync(root.path).filter((name) => name.startsWith("full")),
    [],
  );
});

/** Runs `ledge` and kills it after a part of the time that a whole run takes. */
async function killed(args: readonly string[], afterMs: number): Promise<void> {
  const child = spawn(process.execPath, [programFile("ledge"), ...args], { stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("close", resolve));
  await Promise.race([sleep(afterMs), ended]);
  child.kill("SIGKILL");
  await ended;
}

test("a killed backup leaves the old file or a complete new one", async () => {
  const began = performance.now();
  await ledge("backup", at("k.ledge"), "--without-secrets", ...data);
  const took = performance.now() - began;
  for (const part of [0.6, 0.8, 0.9, 1]) {
    await killed(["backup", at("k.ledge"), "--force", "--without-secrets", ...data], took * part);
    assert.equal((await ledge("verify", at("k.ledge"))).code, 0, `killed after ${part}`);
  }
  assert.equal((await ledge("backup", at("k.ledge"), "--force", "--without-secrets", ...data)).code, 0);
  assert.equal(existsSync(at("k.ledge.new")), false);
});

test("a killed restore leaves the old hub or the new one, and keeps the old one", async () => {
  const target = at("target");
  const old = ["restore", at("without.ledge"), "--data", target];
  mkdirSync(target);
  assert.equal((await ledge(...old)).code, 0);
  const hubIn = async (): Promise<string> => {
    const { stdout, stderr } = await ledge("events", "tail", "--once", "--json", "--data", target);
    const reasons = [...stdout.matchAll(/restored from a backup as of (\d+)/g)];
    return reasons.at(-1)?.[1] ?? `nothing: ${stderr}`;
  };
  const first = await hubIn();
  const renew = ["restore", at("a.ledge"), "--data", target, "--without-secrets", "--force"];
  const began = performance.now();
  assert.equal((await ledge(...renew)).code, 0);
  const took = performance.now() - began;
  const second = await hubIn();
  assert.notEqual(first, second);
  for (const part of [0.7, 0.85, 0.95]) {
    await killed(renew, took * part);
    assert.equal(await hubIn(), second, `killed after ${part}`);
    assert.equal((await ledge("verify", "--data", target)).code, 0, `killed after ${part}`);
  }
  const aside = readdirSync(root.path).filter((name) => name.startsWith("target.replaced-"));
  assert.ok(aside.length > 0);
  assert.equal((await ledge("verify", "--data", at(aside[0] ?? ""))).code, 0);
});
