import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { UpgradeReport } from "@ledge/model";
import { devices } from "@ledge/testkit/zigbee";
import type { Rig } from "../test-rig.ts";
import { codeOf, startRig } from "../test-rig.ts";
import { imageFile } from "./testdata/image-file.ts";

const native = "0x000b57fffe000021";
const firmware = { manufacturerCode: 0x1037, imageType: 0x0104, payload: Buffer.alloc(3000, 5) };

describe("firmware of devices", () => {
  const lamp = devices.unknownLamp(native);
  let rig: Rig;
  const place = async (name: string, bytes: Buffer): Promise<void> => {
    await mkdir(join(rig.folder, "images"), { recursive: true });
    await writeFile(join(rig.folder, "images", name), bytes);
  };
  const report = (): UpgradeReport | undefined =>
    rig.announced.findLast((device) => device.native === native)?.upgrade;
  const start = (): Promise<unknown> => rig.ask({ type: "START_UPGRADE", native });

  before(async () => {
    rig = await startRig({ pace: { responseDelay: 2, requestTimeout: 1000 } });
    lamp.ota.onUpgraded = () => rig.air.announce(native);
    await rig.pair(lamp);
  });
  after(() => rig.close());

  test("reports a device's firmware, which is up to date when there is no image", async () => {
    await rig.until("its version", () => report()?.fwVersion === "0x01000001");
    assert.equal(report()?.status, "UP_TO_DATE");
    assert.equal(await codeOf(start()), "refused");
  });

  test("finds an image when the device asks, and logs files that are not images", async () => {
    const image = imageFile({ ...firmware, fileVersion: 0x0100_0002 });
    await place("lamp.ota", image);
    await place("newer-but-cut.ota", imageFile({ ...firmware, fileVersion: 0x0100_0009 }).subarray(0, 999));
    await place("notes.txt", Buffer.from("no image"));
    lamp.ota.query();
    await rig.until("it is available", () => report()?.status === "AVAILABLE");
    assert.equal(report()?.newFwVersion, "0x01000002");
    const said = rig.complaints.filter((complaint) => complaint.includes("firmware image"));
    assert.equal(said.length, 2, said.join());
  });

  test("an installation that the device aborts fails with a reason", async () => {
    lamp.ota.fail({ abortsAt: 1000 });
    await start();
    await rig.until("it installs", () => report()?.status === "INSTALLING");
    assert.equal(await codeOf(start()), "busy");
    await rig.until("it fails", () => report()?.status === "FAILED");
    assert.match(report()?.message ?? "", /ABORT/);
    assert.equal(lamp.ota.version, 0x0100_0001);
  });

  test("gives up on a device that falls silent", async () => {
    lamp.ota.fail({ stallsAt: 1000 });
    await start();
    await rig.until("it installs", () => report()?.status === "INSTALLING");
    await rig.until("it fails", () => report()?.status === "FAILED");
  });

  test("a second attempt installs the image, and the device reports the new version", async () => {
    lamp.ota.fail({});
    lamp.ota.poweredOn();
    rig.announced.length = 0;
    await start();
    await rig.until("it is done", () => report()?.status === "UP_TO_DATE");
    assert.equal(lamp.ota.version, 0x0100_0002);
    assert.equal(report()?.fwVersion, "0x01000002");
    assert.ok((report()?.lastUpgrade ?? 0) > 0);
    assert.ok(rig.announced.some(({ upgrade }) => upgrade?.status === "INSTALLING"));
  });

  test("does not install an image whose hash differs from the list", async () => {
    await place("next.ota", imageFile({ ...firmware, fileVersion: 0x0100_0003 }));
    await place("index.json", Buffer.from(JSON.stringify([{ fileName: "next.ota", sha512: "00" }])));
    lamp.ota.query();
    await rig.until("it is available", () => report()?.status === "AVAILABLE");
    assert.equal(await codeOf(start()), "refused");
    assert.ok(rig.complaints.some((complaint) => complaint.includes("hash")));
  });

  test("a forced image of an older version replaces a newer one", async () => {
    const fileVersion = 0x0100_0000;
    await place("oldest.ota", imageFile({ ...firmware, fileVersion }));
    await place("index.json", Buffer.from(JSON.stringify([{ fileName: "oldest.ota", force: true }])));
    lamp.ota.query();
    await rig.until("it is available", () => report()?.newFwVersion === "0x01000000");
    await start();
    await rig.until("it is done", () => report()?.fwVersion === "0x01000000");
    assert.equal(lamp.ota.version, fileVersion);
    assert.equal(report()?.message, null);
    await place("oldest.ota", Buffer.alloc(0));
  });

  test("a device that has not heard the offer, and asks again, is offered the image again", async () => {
    await place("index.json", Buffer.from("[]"));
    lamp.ota.fail({ stallsAt: 0 });
    await start();
    await rig.until("it is offered", () => lamp.ota.isDownloading);
    lamp.ota.fail({});
    lamp.ota.poweredOn();
    lamp.ota.query();
    await rig.until("it is done", () => report()?.fwVersion === "0x01000003");
    await place("next.ota", imageFile({ ...firmware, fileVersion: 0x0100_0004 }));
  });

  test("an image that is older than the firmware that a device turns out to run is not offered", async () => {
    lamp.ota.set({ version: 0x0100_0005 });
    await assert.rejects(start, /does not fit the firmware/);
    await rig.until("its newer version", () => report()?.fwVersion === "0x01000005");
    lamp.ota.set({ version: 0x0100_0003 });
    lamp.ota.query();
    await rig.until("its version", () => report()?.fwVersion === "0x01000003");
  });

  test("a removed stick ends an installation, which can be started again", async () => {
    lamp.ota.fail({ stallsAt: 500 });
    await start();
    await rig.served.unplug();
    await rig.until("unreachable", () => rig.latest(native, "reachable") === false);
    lamp.ota.fail({});
    lamp.ota.poweredOn();
    await rig.served.plug();
    await rig.until("reachable", () => rig.latest(native, "reachable") === true);
    await start();
    await rig.until("it is done", () => report()?.fwVersion === "0x01000004");
  });
});
