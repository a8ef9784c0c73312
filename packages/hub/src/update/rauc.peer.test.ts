import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Rauc } from "./rauc.ts";
import { installable, mebibyte, RaucMachine } from "./test-machine.ts";
import { decideUpdate, evolveUpdate, noUpdate, type Release, type UpdateCommand } from "./update.ts";
import { UpdateError } from "./update-error.ts";

const old: Release = { version: "0.2.0", profile: "qemu-virt", formats: ["LDG1"] };
const fresh: Release = { ...old, version: "0.3.0" };
const interruptions = 20;
let machine: RaucMachine;
let rauc: Rauc;

before(async () => {
  machine = await RaucMachine.make();
  ({ rauc } = machine);
  machine.bundle("fresh.raucb", installable, "ours", fresh);
});

after(() => machine.remove());

const reason = (text: RegExp) => (error: unknown) => error instanceof UpdateError && text.test(error.message);

test("a check reads all of a bundle: changed, foreign, cut and nameless ones are refused", async () => {
  const good = machine.bundle("good.raucb", "verity", "ours", fresh);
  assert.deepEqual(await rauc.check(good), fresh);
  assert.ok(!existsSync(machine.path("work")), "what was unpacked is left");
  const bytes = readFileSync(good);
  const tampered = Buffer.from(bytes);
  tampered.writeUInt8(tampered.readUInt8(2 * mebibyte) ^ 1, 2 * mebibyte);
  writeFileSync(machine.path("tampered.raucb"), tampered);
  // The signature covers the root of a tree of hashes: RAUC's own summary does not look below it.
  execFileSync("rauc", [`--keyring=${machine.path("ours.pem")}`, "info", machine.path("tampered.raucb")], {
    stdio: "ignore",
  });
  await assert.rejects(rauc.check(machine.path("tampered.raucb")), reason(/changed after it was signed/));
  machine.bundle("foreign.raucb", "verity", "theirs", fresh);
  await assert.rejects(
    rauc.check(machine.path("foreign.raucb")),
    reason(/not signed by a key that this machine trusts/),
  );
  writeFileSync(machine.path("cut.raucb"), bytes.subarray(0, mebibyte));
  await assert.rejects(rauc.check(machine.path("cut.raucb")), reason(/no bundle/));
  writeFileSync(machine.path("empty.raucb"), "");
  await assert.rejects(rauc.check(machine.path("empty.raucb")), reason(/no bundle/));
  machine.bundle("nameless.raucb", "verity", "ours", undefined);
  await assert.rejects(rauc.check(machine.path("nameless.raucb")), reason(/does not say which release/));
  machine.bundle("crooked.raucb", "verity", "ours", { ...fresh, version: "newest" });
  await assert.rejects(rauc.check(machine.path("crooked.raucb")), reason(/does not say which release/));
});

test("a check on a disk that is too full for it says how much is needed", async () => {
  mkdirSync(machine.path("small"));
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=16m", "none", machine.path("small")]);
  try {
    const tight = machine.raucIn(machine.path("small/work"));
    await assert.rejects(tight.check(machine.path("fresh.raucb")), reason(/too full.*16 MiB are free/));
  } finally {
    execFileSync("umount", [machine.path("small")]);
  }
});

test("an installed bundle is booted once, is kept when it is confirmed, and leaves when it is not", async () => {
  machine.renew();
  assert.equal(await machine.boot(), "A");
  const progress: number[] = [];
  await rauc.install(machine.path("fresh.raucb"), (percent) => progress.push(percent));
  assert.equal(progress.at(-1), 100);
  assert.ok(progress.length > 5 && progress.every((percent, index) => percent >= (progress[index - 1] ?? 0)));
  assert.deepEqual(await rauc.slots(), { booted: "A", primary: "B", isGood: { A: true, B: false } });
  assert.ok(machine.holds("A", machine.images.old) && machine.holds("B", machine.images.fresh));
  await machine.powerOff();
  assert.equal(await machine.boot(), "B");
  await machine.powerOff();
  assert.equal(await machine.boot(), "A", "a slot that nobody confirmed is booted twice");
  await rauc.install(machine.path("fresh.raucb"), () => {});
  await machine.powerOff();
  assert.equal(await machine.boot(), "B");
  await rauc.confirm();
  await machine.powerOff();
  assert.equal(await machine.boot(), "B");
  await rauc.goBack();
  assert.deepEqual(await rauc.slots(), { booted: "B", primary: "A", isGood: { A: true, B: true } });
  await machine.powerOff();
  assert.equal(await machine.boot(), "A");
  await machine.powerOff();
});

test("a bundle that the service refuses changes no slot", async () => {
  machine.renew();
  await machine.boot();
  await assert.rejects(
    rauc.install(machine.path("tampered.raucb"), () => {}),
    UpdateError,
  );
  await assert.rejects(
    rauc.install(machine.path("absent.raucb"), () => {}),
    UpdateError,
  );
  await machine.powerOff();
  assert.equal(await machine.boot(), "A");
  await machine.powerOff();
});

test(`${interruptions} power cuts at random moments of an installation leave a whole release to boot`, async (t) => {
  machine.renew();
  await machine.boot();
  const from = performance.now();
  await rauc.install(machine.path("fresh.raucb"), () => {});
  const duration = performance.now() - from;
  await machine.powerOff();
  const ends: Record<string, number> = {};
  for (let count = 0; count < interruptions; count++) {
    machine.renew();
    await machine.boot();
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
      .install(machine.path("fresh.raucb"), () => {})
      .then(
        () => "installed",
        () => "cut",
      );
    const moment = Math.random() * duration;
    await sleep(moment);
    await machine.powerOff();
    await installing;
    const slot = machine.choose();
    const what = `cut ${count} after ${moment.toFixed(1)} of ${duration.toFixed(1)} ms`;
    assert.ok(
      machine.holds(slot, slot === "A" ? machine.images.old : machine.images.fresh),
      `${what}: slot ${slot} is no whole release`,
    );
    tell({ type: "NOTE_STARTED", slots: { booted: slot, primary: slot, isGood: { A: true, B: false } } });
    assert.equal(kept.stage.phase, slot === "A" ? "IDLE" : "TRIAL", what);
    const end = `${slot}, slot B ${machine.holds("B", machine.images.fresh) ? "whole" : "not whole"}`;
    ends[end] = (ends[end] ?? 0) + 1;
  }
  t.diagnostic(`booted after the cut: ${JSON.stringify(ends)}`);
});
