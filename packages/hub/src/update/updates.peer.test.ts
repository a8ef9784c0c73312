import assert from "node:assert/strict";
import {
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { createLogger } from "@ledge/host/logger";
import { limits } from "@ledge/model";
import { SimulatedClock, until } from "@ledge/testkit";
import { installable, RaucMachine } from "./test-machine.ts";
import type { Release } from "./update.ts";
import { updateFolder } from "./update-file.ts";
import { type Serving, Updates } from "./updates.ts";

const old: Release = { version: "0.2.0", profile: "qemu-virt", formats: ["frame LDG1", "RoomCreated@1"] };
const fresh: Release = { ...old, version: "0.3.0" };
const wider: Release = { ...fresh, formats: [...old.formats, "RoomPainted@1"] };

let machine: RaucMachine;
let server: Server;
let feed: string;
/** What the feed answers. */
let newest: object = {};
let reboots = 0;
const restored: string[] = [];
const clock = new SimulatedClock();

before(async () => {
  machine = await RaucMachine.make();
  machine.bundle("fresh.raucb", installable, "ours", fresh);
  machine.bundle("wider.raucb", installable, "ours", wider);
  machine.bundle("older.raucb", installable, "ours", { ...old, version: "0.1.0" });
  server = createServer((request, response) => {
    const name = (request.url ?? "").slice(1);
    if (name === "newest.json") return void response.end(JSON.stringify(newest));
    if (!existsSync(machine.path(name))) return void response.writeHead(404).end();
    createReadStream(machine.path(name)).pipe(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  feed = `http://127.0.0.1:${port}/newest.json`;
});

after(async () => {
  server.close();
  await machine.remove();
});

/** Starts the hub's part of updates after a boot, as the release that the slot holds. */
async function hubOn(running: Release, url: string | null = feed): Promise<Updates> {
  const folder = machine.path("data");
  mkdirSync(folder, { recursive: true });
  const updates = new Updates({
    folder,
    backend: machine.rauc,
    running,
    url,
    clock,
    logger: createLogger("silent"),
    reboot: () => (reboots += 1),
    onRestored: async (reason) => void restored.push(reason),
  });
  let isStarted = false;
  const started = updates.start().finally(() => (isStarted = true));
  await until("the hub knows its slots", async () => {
    await clock.pass(1000);
    return isStarted;
  });
  await started;
  return updates;
}

function announce(bundle: string, version: string): void {
  newest = { version, bundle, bytes: statSync(machine.path(bundle)).size };
}

/** Waits until an update has ended or is installed. */
async function ended(updates: Updates): Promise<ReturnType<Updates["status"]>> {
  const isAtRest = (): boolean => ["IDLE", "INSTALLED"].includes(updates.status().phase);
  await until("the update ends", isAtRest);
  return updates.status();
}

/** Installs what the feed announces, which is `release`, and boots the slot that it is in. */
async function bootInto(release: Release): Promise<Updates> {
  const updates = await hubOn(old);
  await updates.begin("INSTALL");
  assert.equal((await ended(updates)).phase, "INSTALLED");
  await machine.powerOff();
  assert.equal(await machine.boot(), "B");
  return await hubOn(release);
}

/** Serves for a minute and more. */
async function serve(updates: Updates, serving: Partial<Serving> = {}): Promise<void> {
  updates.watch({ clock, isServing: () => true, walkLog: async () => undefined, ...serving });
  await clock.pass(70_000);
}

test("a hub with a feed looks into it by itself, once a day, and installs nothing", async () => {
  machine.renew();
  await machine.boot();
  const updates = await hubOn(old);
  updates.watchFeed();
  newest = {};
  await clock.pass(limits.updateFirstCheckMs);
  assert.equal(updates.status().available, null, "a feed that cannot be read offers nothing");
  announce("fresh.raucb", "0.3.0");
  await until("the feed is read", async () => {
    await clock.pass(limits.updateCheckMs);
    return updates.status().available === "0.3.0";
  });
  assert.equal(updates.status().phase, "IDLE");
  updates.stop();
  const deaf = await hubOn(old, null);
  deaf.watchFeed();
  await clock.pass(limits.updateCheckMs);
  assert.equal(deaf.status().available, null);
  await machine.powerOff();
});

test("fetches, checks and installs what its feed announces, and keeps it once it has served for a minute", async () => {
  machine.renew();
  await machine.boot();
  const updates = await hubOn(old);
  announce("fresh.raucb", "0.3.0");
  assert.equal(await updates.check(), undefined);
  assert.equal(updates.status().available, "0.3.0");
  const rebooted = reboots;
  assert.equal(await updates.begin("INSTALL"), undefined);
  assert.match((await updates.begin("INSTALL"))?.message ?? "", /an update is being/);
  assert.equal((await ended(updates)).phase, "INSTALLED");
  await until("the machine is rebooted", () => reboots > rebooted);
  await machine.powerOff();

  assert.equal(await machine.boot(), "B");
  const trial = await hubOn(fresh);
  assert.equal(trial.status().phase, "TRIAL");
  let isServing = false;
  await serve(trial, { isServing: () => isServing });
  assert.equal(trial.status().phase, "TRIAL", "a hub that does not serve is kept");
  isServing = true;
  await clock.pass(70_000);
  await until("the release is kept", () => trial.status().phase === "IDLE");
  assert.equal(trial.status().outcome?.result, "INSTALLED");
  assert.deepEqual(trial.status().previous, { version: "0.2.0", losesSince: null });

  assert.equal(await trial.begin("ROLL_BACK"), undefined);
  await machine.powerOff();
  assert.equal(await machine.boot(), "A");
  const back = await hubOn(old);
  assert.deepEqual([back.status().outcome?.result, back.status().previous], ["ROLLED_BACK", null]);
  assert.deepEqual(restored, []);
});

test("a release whose log is not whole is not kept, and the next boot leads back", async () => {
  const trial = await bootInto(fresh);
  await serve(trial, { walkLog: async () => "damaged at 17" });
  assert.equal(trial.status().phase, "TRIAL");
  await machine.powerOff();
  assert.equal(await machine.boot(), "A");
  assert.equal((await hubOn(old)).status().outcome?.message, "release 0.3.0 did not serve for a minute");
});

test("a log that the old release cannot read is copied before the new one begins, and comes back with the old one", async () => {
  announce("wider.raucb", "0.3.0");
  writeFileSync(machine.path("data/hub.json"), "of 0.2.0");
  const trial = await bootInto(wider);
  writeFileSync(machine.path("data/hub.json"), "of 0.3.0");
  await serve(trial);
  await until("the release is kept", () => trial.status().phase === "IDLE");
  assert.equal(typeof trial.status().previous?.losesSince, "number");
  assert.equal(await trial.begin("ROLL_BACK"), undefined);
  await machine.powerOff();
  assert.equal(await machine.boot(), "A");
  await hubOn(old);
  assert.equal(readFileSync(machine.path("data/hub.json"), "utf8"), "of 0.2.0");
  assert.equal(readFileSync(`${updateFolder(machine.path("data"))}/newer/hub.json`, "utf8"), "of 0.3.0");
  assert.deepEqual(restored, ["release 0.2.0 was asked back"]);
});

test("says why an update is not installed, and goes on as it was", async () => {
  const updates = await hubOn(old);
  const failed = async (): Promise<string | null | undefined> => {
    assert.equal(await updates.begin("INSTALL"), undefined);
    const { phase, outcome } = await ended(updates);
    assert.deepEqual([phase, outcome?.result], ["IDLE", "FAILED"]);
    return outcome?.message;
  };
  announce("fresh.raucb", "0.2.0");
  assert.match((await failed()) ?? "", /no newer release than 0.2.0/);
  // A feed that lies about the version does not get an older release in.
  announce("older.raucb", "0.9.0");
  assert.match((await failed()) ?? "", /has release 0.1.0, older than 0.2.0/);
  newest = { version: "0.9.0", bundle: "absent.raucb", bytes: 100 };
  assert.match((await failed()) ?? "", /absent.raucb answered 404/);
  newest = { version: "0.9.0", bundle: "fresh.raucb", bytes: 100 };
  assert.match((await failed()) ?? "", /longer than announced/);
  newest = { version: "0.9.0", bundle: "fresh.raucb", bytes: 100_000_000 };
  assert.match((await failed()) ?? "", /ended after \d+ of 100000000 bytes/);
  newest = { version: "0.9.0", bundle: "../secret", bytes: 100 };
  assert.match((await failed()) ?? "", /does not say which release/);
  assert.match((await updates.check())?.message ?? "", /does not say which release/);
  assert.ok(!existsSync(`${updateFolder(machine.path("data"))}/new.raucb`), "a bundle is left");
  const offline = await hubOn(old, null);
  assert.match((await offline.check())?.message ?? "", /names no feed/);
  assert.match((await offline.begin("INSTALL"))?.message ?? "", /names no feed/);
});

test("installs a bundle that is a file, and leaves the file", async () => {
  const updates = await hubOn(old, null);
  copyFileSync(machine.path("fresh.raucb"), machine.path("by-hand.raucb"));
  assert.equal(await updates.begin("INSTALL", machine.path("by-hand.raucb")), undefined);
  assert.equal((await ended(updates)).phase, "INSTALLED");
  assert.ok(existsSync(machine.path("by-hand.raucb")));
});

test("a machine whose slots cannot be read says so, and has no updates", async () => {
  await machine.powerOff();
  const updates = await hubOn(old);
  assert.match(updates.problem("INSTALL") ?? "", /no updates now/);
  assert.match((await updates.check())?.message ?? "", /no updates now/);
});
