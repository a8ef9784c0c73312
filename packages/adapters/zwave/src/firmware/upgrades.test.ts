import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { limits } from "@ledge/model";
import { plans, reports } from "@ledge/testkit/zwave";
import { codeOf, type Rig, startRig } from "../test-rig.ts";
import { compareVersions, listedIn } from "./listed.ts";
import type { Note } from "./notes.ts";

test("compares versions by number, and refuses a list of another format", () => {
  assert.ok(compareVersions("1.10", "1.9") > 0 && compareVersions("2.0", "2.0.0") === 0);
  for (const wrong of ["{}", "[7]", '[{"devices":[],"upgrades":[{"version":"x","files":[{"url":"a"}]}]}]'])
    assert.throws(() => listedIn(wrong));
});

describe("the firmware of a node", () => {
  let home: Rig;
  let plug = "";
  let valve = "";
  const plan = plans.upgradablePlug();
  const sleeper = plans.upgradableValve();
  const images = (): string => join(home.folder, "images");
  /** Puts an image into the folder, with its entry in the list. */
  function put(version: string, image: Uint8Array, integrity?: string): void {
    mkdirSync(images(), { recursive: true });
    writeFileSync(join(images(), "plug.gbl"), image);
    const device = { manufacturerId: "0x0159", productType: "0x0003", productId: "0x0052" };
    const file = { target: 0, url: "https://firmware.example.org/a/plug.gbl", integrity };
    const entry = { devices: [device], upgrades: [{ version, files: [file] }] };
    writeFileSync(join(images(), "index.json"), JSON.stringify([entry]));
  }
  const hashOf = (image: Uint8Array): string => `sha256:${createHash("sha256").update(image).digest("hex")}`;
  const upgradeOf = (of: string) => home.announced.findLast(({ native }) => native === of)?.upgrade;
  const upgrade = () => upgradeOf(plug);
  const start = (native = plug) => home.ask({ type: "START_UPGRADE", native });
  const cancel = () => home.ask({ type: "CANCEL_UPGRADE", native: valve });
  const nodeOf = (native: string): number => Number(native.split("/")[1]);
  const asleep = () => home.until("sleep", () => home.stick.isAsleep(nodeOf(valve)));
  const wakeUp = async (): Promise<void> => {
    home.stick.wake(nodeOf(valve));
    await home.stick.says(nodeOf(valve), reports.wakeUp());
  };
  const valveIs = (status: string) => home.until(status, () => upgradeOf(valve)?.status === status);
  const stored = () => home.stored.get(`firmware/${valve}`) as Note;
  const reason = (error: Error): boolean => /the image is damaged/.test(error.message);

  before(async () => {
    home = await startRig();
    plug = await home.pair(plan);
    valve = await home.pair(sleeper);
    await asleep();
  });
  after(() => home.close());

  test("is told, and nothing is installed without an image", async () => {
    await home.until("its version", () => upgrade()?.fwVersion === "1.0");
    assert.equal(upgrade()?.status, "UP_TO_DATE");
    assert.equal(await codeOf(start()), "refused");
  });

  test("is not replaced by an image that is damaged, or that the device refuses", async () => {
    const image = plans.firmwareImage("1.7");
    put("1.7", image, hashOf(plans.firmwareImage("1.8")));
    await assert.rejects(start(), reason);
    put("1.7", Buffer.from("no firmware"));
    await assert.rejects(start(), reason);
    put("1.7", image, hashOf(image));
    plan.firmware.refuses = true;
    await assert.rejects(start(), /battery level is too low/);
    plan.firmware.refuses = false;
    assert.equal(plan.firmware.image.length, 0);
  });

  test("fails when the stick is gone before its end, and is installed when it is started again", async () => {
    plan.firmware.stopsAfter = 4;
    assert.equal(await start(), true);
    assert.equal(upgrade()?.status, "INSTALLING");
    assert.equal(await codeOf(start()), "busy");
    await home.until("the last fragment", () => plan.firmware.asked.length === 4);
    await home.served.unplug();
    await home.until("a failure", () => upgrade()?.status === "FAILED");
    assert.match(upgrade()?.message ?? "", /broken off/);
    plan.firmware.stopsAfter = undefined;
    await home.served.plug();
    await home.untilReported(plug, "reachable", true);
    plan.firmware.asked.length = 0;
    assert.equal(await start(), true);
    await home.until("an image in the device", () => plan.firmware.image.length > 0);
    assert.ok(Number(plan.firmware.asked[0]) >= 4, "it goes on where it was cut");
    assert.deepEqual(plan.firmware.image, Uint8Array.from(plans.firmwareImage("1.7")));
    await home.until("its new version", () => upgrade()?.fwVersion === "1.7");
    const { status, newFwVersion, lastUpgrade } = upgrade() ?? {};
    assert.deepEqual([status, newFwVersion], ["UP_TO_DATE", null]);
    assert.ok(Number(lastUpgrade) > 0);
    assert.equal(await codeOf(home.ask({ type: "CANCEL_UPGRADE", native: plug })), "refused");
  });

  test("waits for a device that sleeps, also over a restart, and can be given up", async () => {
    await asleep();
    put("1.7", Buffer.from("no firmware"));
    await assert.rejects(start(valve), reason);
    put("1.7", plans.firmwareImage("1.7"));
    assert.equal(await start(valve), true);
    await valveIs("REQUESTED");
    assert.match(upgradeOf(valve)?.message ?? "", /sleeps/);
    assert.equal(await codeOf(start(valve)), "busy");
    assert.equal(await cancel(), true);
    await valveIs("AVAILABLE");
    assert.equal(await codeOf(cancel()), "refused");
    await start(valve);
    home.announced.length = 0;
    const note = home.stored.get(`firmware/${plug}`);
    await home.restart();
    assert.equal(upgradeOf(valve)?.status, "REQUESTED");
    assert.equal(sleeper.firmware.asked.length, 0);
    const again = () => home.announced.filter(({ native }) => native === plug).length > 1;
    await home.until("what the plug says of itself", again);
    assert.equal(home.stored.get(`firmware/${plug}`), note, "what it says is known, and not written again");
  });

  test("has not begun while a device that is awake says nothing, and fails after some times", async () => {
    const { queued, ...note } = stored();
    assert.ok(queued);
    const failures = limits.upgradeLostOffers - 2;
    home.stored.set(`firmware/${valve}`, { ...note, queued: { ...queued, failures } });
    sleeper.firmware.isSilent = true;
    await wakeUp();
    await home.until("a lost try", () => stored().queued?.failures === failures + 1);
    assert.equal(upgradeOf(valve)?.status, "REQUESTED");
    await asleep();
    await wakeUp();
    await valveIs("FAILED");
    assert.match(upgradeOf(valve)?.message ?? "", /did not answer/);
    sleeper.firmware.isSilent = false;
  });

  test("is installed when the device wakes up, and the device sleeps again", async () => {
    await asleep();
    assert.equal(await start(valve), true);
    await valveIs("REQUESTED");
    await wakeUp();
    await home.until("an image in the device", () => sleeper.firmware.image.length > 0);
    await home.until("its new version", () => upgradeOf(valve)?.fwVersion === "1.7");
    assert.equal(upgradeOf(valve)?.status, "UP_TO_DATE");
    assert.equal(stored().queued, undefined);
    await asleep();
  });

  test("fails when the device refuses it, and when it has not woken up for too long", async () => {
    put("1.8", plans.firmwareImage("1.8"));
    sleeper.firmware.refuses = true;
    await start(valve);
    await wakeUp();
    await valveIs("FAILED");
    assert.match(upgradeOf(valve)?.message ?? "", /battery level is too low/);
    await asleep();
    await start(valve);
    await valveIs("REQUESTED");
    await home.restart(async () => {
      const { queued, ...note } = stored();
      const since = (queued?.since ?? 0) - limits.upgradeQueuedMs;
      home.stored.set(`firmware/${valve}`, { ...note, queued: { failures: 0, since } });
    });
    await valveIs("FAILED");
    assert.match(upgradeOf(valve)?.message ?? "", /has not woken up for 14 days/);
  });
});
