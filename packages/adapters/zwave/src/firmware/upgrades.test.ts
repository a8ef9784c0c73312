import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { plans } from "@ledge/testkit/zwave";
import { codeOf, type Rig, startRig } from "../test-rig.ts";
import { compareVersions, listedIn } from "./listed.ts";

test("compares versions by number, and refuses a list of another format", () => {
  assert.ok(compareVersions("1.10", "1.9") > 0 && compareVersions("2.0", "2.0.0") === 0);
  for (const wrong of ["{}", "[7]", '[{"devices":[],"upgrades":[{"version":"x","files":[{"url":"a"}]}]}]'])
    assert.throws(() => listedIn(wrong));
});

describe("the firmware of a node", () => {
  let home: Rig;
  let plug = "";
  const plan = plans.upgradablePlug();
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
  const upgrade = () => home.announced.findLast(({ native }) => native === plug)?.upgrade;
  const start = () => home.ask({ type: "START_UPGRADE", native: plug });
  const reason = (error: Error): boolean => /the image is damaged/.test(error.message);

  before(async () => {
    home = await startRig();
    plug = await home.pair(plan);
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
    await home.served.unplug();
    await home.until("a failure", () => upgrade()?.status === "FAILED");
    assert.match(upgrade()?.message ?? "", /broken off/);
    plan.firmware.stopsAfter = undefined;
    await home.served.plug();
    await home.untilReported(plug, "reachable", true);
    assert.equal(await start(), true);
    await home.until("an image in the device", () => plan.firmware.image.length > 0);
    assert.deepEqual(plan.firmware.image, Uint8Array.from(plans.firmwareImage("1.7")));
    await home.until("its new version", () => upgrade()?.fwVersion === "1.7");
    const { status, newFwVersion, lastUpgrade } = upgrade() ?? {};
    assert.deepEqual([status, newFwVersion], ["UP_TO_DATE", null]);
    assert.ok(Number(lastUpgrade) > 0);
  });
});
