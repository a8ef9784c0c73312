import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { makeSelfSigned } from "@ledge/host/self-signed";
import { temporaryFolder } from "@ledge/testkit";
import { Rauc, releaseFile, UpdateError } from "./rauc.ts";
import { decideUpdate, evolveUpdate, noUpdate, type Release, type UpdateCommand } from "./update.ts";

const program = fileURLToPath(new URL("../../../../systemd/ledge-slots", import.meta.url));
const mebibyte = 1_048_576;
const old: Release = { version: "0.2.0", profile: "qemu-virt", formats: ["LDG1"] };
const fresh: Release = { ...old, version: "0.3.0" };
const interruptions = 20;
/** A kernel without device mapper cannot mount a verity bundle; checks need no mount. */
const installable = existsSync("/dev/mapper/control") ? "verity" : "plain";

const temporary = temporaryFolder();
const folder = temporary.path;
const images = { old: randomBytes(3 * mebibyte), fresh: randomBytes(3 * mebibyte) };
const path = (name: string): string => join(folder, name);
let bus: ChildProcess;
let env: Record<string, string>;
let rauc: Rauc;
let service: ChildProcess | undefined;

before(async () => {
  for (const name of ["ours", "theirs"]) {
    const { key, certificate } = makeSelfSigned(name);
    writeFileSync(path(`${name}.key`), key);
    writeFileSync(path(`${name}.pem`), certificate);
  }
  bus = spawn("dbus-daemon", ["--session", "--nofork", "--nopidfile", "--print-address=1"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [address] = (await once(bus.stdout ?? bus, "data")) as [Buffer];
  env = {
    DBUS_STARTER_BUS_TYPE: "session",
    DBUS_SESSION_BUS_ADDRESS: address.toString().trim(),
    LEDGE_SLOTS: path("slots"),
    LEDGE_BOOTED: path("booted"),
  };
  writeFileSync(path("system.conf"), systemConfig());
  rauc = new Rauc({ work: path("work"), config: path("system.conf"), env });
  bundle("fresh.raucb", installable, "ours", fresh);
});

after(async () => {
  await powerOff();
  bus.kill();
  await once(bus, "close");
  temporary.remove();
});

/** The configuration of the image, with files in place of partitions. */
function systemConfig(): string {
  return `[system]
compatible=ledge-qemu-virt
bootloader=custom
mountprefix=${path("mnt")}
statusfile=${path("status")}
[handlers]
bootloader-custom-backend=${program}
[keyring]
path=${path("ours.pem")}
[slot.rootfs.0]
device=${path("A")}
type=raw
bootname=A
[slot.rootfs.1]
device=${path("B")}
type=raw
bootname=B
`;
}

function bundle(name: string, format: string, signer: string, release: Release | undefined): string {
  const content = path("content");
  rmSync(content, { recursive: true, force: true });
  rmSync(path(name), { force: true });
  mkdirSync(content);
  writeFileSync(join(content, "root.squashfs"), images.fresh);
  if (release !== undefined) writeFileSync(join(content, releaseFile), JSON.stringify(release));
  writeFileSync(
    join(content, "manifest.raucm"),
    `[update]\ncompatible=ledge-qemu-virt\nversion=0.3.0\n[bundle]\nformat=${format}\n[image.rootfs]\nfilename=root.squashfs\n`,
  );
  const keys = [`--cert=${path(`${signer}.pem`)}`, `--key=${path(`${signer}.key`)}`];
  execFileSync("rauc", ["bundle", ...keys, content, path(name)], { stdio: "ignore" });
  return path(name);
}

/** A machine as it leaves the factory: the old release in slot A. */
function newMachine(): void {
  for (const name of ["A", "B", "slots"]) {
    writeFileSync(path(name), name === "A" ? images.old : "");
    truncateSync(path(name), name === "slots" ? mebibyte : 4 * mebibyte);
  }
  rmSync(path("status"), { force: true });
}

/** Runs `ledge-slots`. */
function slots(...args: readonly string[]): string {
  return execFileSync("sh", [program, ...args], { env: { ...process.env, ...env }, encoding: "utf8" }).trim();
}

/** Boots the machine as far as RAUC's service. @returns the slot that runs */
async function boot(): Promise<string> {
  const slot = slots("boot");
  writeFileSync(path("booted"), slot);
  mkdirSync(path("mnt"), { recursive: true });
  const flags = [`--conf=${path("system.conf")}`, "service", `--override-boot-slot=${slot}`];
  service = spawn("rauc", flags, { stdio: "ignore", env: { ...process.env, ...env } });
  await untilServed();
  return slot;
}

async function untilServed(): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return void (await rauc.slots());
    } catch (error) {
      if (tries > 100) throw error;
      await sleep(20);
    }
  }
}

/** Ends all at once, as a power cut does. */
async function powerOff(): Promise<void> {
  if (service?.exitCode === null && service.signalCode === null) {
    const ended = once(service, "close");
    service.kill("SIGKILL");
    await ended;
  }
  spawnSync("umount", [join(path("mnt"), "bundle")], { stdio: "ignore" });
}

function holds(slot: string, image: Buffer): boolean {
  return readFileSync(path(slot)).subarray(0, image.length).equals(image);
}

const reason = (text: RegExp) => (error: unknown) => error instanceof UpdateError && text.test(error.message);

test("a check reads all of a bundle: changed, foreign, cut and nameless ones are refused", async () => {
  const good = bundle("good.raucb", "verity", "ours", fresh);
  assert.deepEqual(await rauc.check(good), fresh);
  assert.ok(!existsSync(path("work")), "what was unpacked is left");
  const bytes = readFileSync(good);
  const tampered = Buffer.from(bytes);
  tampered.writeUInt8(tampered.readUInt8(2 * mebibyte) ^ 1, 2 * mebibyte);
  writeFileSync(path("tampered.raucb"), tampered);
  // The signature covers the root of a tree of hashes: RAUC's own summary does not look below it.
  execFileSync("rauc", [`--keyring=${path("ours.pem")}`, "info", path("tampered.raucb")], {
    stdio: "ignore",
  });
  await assert.rejects(rauc.check(path("tampered.raucb")), reason(/changed after it was signed/));
  bundle("foreign.raucb", "verity", "theirs", fresh);
  await assert.rejects(
    rauc.check(path("foreign.raucb")),
    reason(/not signed by a key that this machine trusts/),
  );
  writeFileSync(path("cut.raucb"), bytes.subarray(0, mebibyte));
  await assert.rejects(rauc.check(path("cut.raucb")), reason(/no bundle/));
  writeFileSync(path("empty.raucb"), "");
  await assert.rejects(rauc.check(path("empty.raucb")), reason(/no bundle/));
  bundle("nameless.raucb", "verity", "ours", undefined);
  await assert.rejects(rauc.check(path("nameless.raucb")), reason(/does not say which release/));
  bundle("crooked.raucb", "verity", "ours", { ...fresh, version: "newest" });
  await assert.rejects(rauc.check(path("crooked.raucb")), reason(/does not say which release/));
});

test("a check on a disk that is too full for it says how much is needed", async () => {
  mkdirSync(path("small"));
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=16m", "none", path("small")]);
  try {
    const tight = new Rauc({ work: path("small/work"), config: path("system.conf"), env });
    await assert.rejects(tight.check(path("fresh.raucb")), reason(/too full.*16 MiB are free/));
  } finally {
    execFileSync("umount", [path("small")]);
  }
});

test("an installed bundle is booted once, is kept when it is confirmed, and leaves when it is not", async () => {
  newMachine();
  assert.equal(await boot(), "A");
  const progress: number[] = [];
  await rauc.install(path("fresh.raucb"), (percent) => progress.push(percent));
  assert.equal(progress.at(-1), 100);
  assert.ok(progress.length > 5 && progress.every((percent, index) => percent >= (progress[index - 1] ?? 0)));
  assert.deepEqual(await rauc.slots(), { booted: "A", primary: "B", isGood: { A: true, B: false } });
  assert.ok(holds("A", images.old) && holds("B", images.fresh));
  await powerOff();
  assert.equal(await boot(), "B");
  await powerOff();
  assert.equal(await boot(), "A", "a slot that nobody confirmed is booted twice");
  await rauc.install(path("fresh.raucb"), () => {});
  await powerOff();
  assert.equal(await boot(), "B");
  await rauc.confirm();
  await powerOff();
  assert.equal(await boot(), "B");
  await rauc.goBack();
  assert.deepEqual(await rauc.slots(), { booted: "B", primary: "A", isGood: { A: true, B: true } });
  await powerOff();
  assert.equal(await boot(), "A");
  await powerOff();
});

test("a bundle that the service refuses changes no slot", async () => {
  newMachine();
  await boot();
  await assert.rejects(
    rauc.install(path("tampered.raucb"), () => {}),
    UpdateError,
  );
  await assert.rejects(
    rauc.install(path("absent.raucb"), () => {}),
    UpdateError,
  );
  await powerOff();
  assert.equal(await boot(), "A");
  await powerOff();
});

test(`${interruptions} power cuts at random moments of an installation leave a whole release to boot`, async (t) => {
  newMachine();
  await boot();
  const from = performance.now();
  await rauc.install(path("fresh.raucb"), () => {});
  const duration = performance.now() - from;
  await powerOff();
  const ends: Record<string, number> = {};
  for (let count = 0; count < interruptions; count++) {
    newMachine();
    await boot();
    let kept = noUpdate;
    const tell = (command: UpdateCommand): void => {
      const decided = decideUpdate(kept, command);
      assert.ok(!("refusal" in decided), JSON.stringify(decided));
      kept = decided.reduce((state, event) => evolveUpdate(state, event, 1), kept);
    };
    tell({
      type: "REQUEST",
      running: old,
      slots: { booted: "A", primary: "A", isGood: { A: true, B: false } },
    });
    tell({ type: "NOTE_FETCHED" });
    tell({ type: "NOTE_CHECKED", running: old, bundle: fresh });
    const installing = rauc
      .install(path("fresh.raucb"), () => {})
      .then(
        () => "installed",
        () => "cut",
      );
    const moment = Math.random() * duration;
    await sleep(moment);
    await powerOff();
    await installing;
    const slot = slots("boot") === "A" ? "A" : "B";
    const what = `cut ${count} after ${moment.toFixed(1)} of ${duration.toFixed(1)} ms`;
    assert.ok(
      holds(slot, slot === "A" ? images.old : images.fresh),
      `${what}: slot ${slot} is no whole release`,
    );
    tell({ type: "NOTE_STARTED", slots: { booted: slot, primary: slot, isGood: { A: true, B: false } } });
    assert.equal(kept.stage.phase, slot === "A" ? "IDLE" : "TRIAL", what);
    const end = `${slot}, slot B ${holds("B", images.fresh) ? "whole" : "not whole"}`;
    ends[end] = (ends[end] ?? 0) + 1;
  }
  t.diagnostic(`booted after the cut: ${JSON.stringify(ends)}`);
});
