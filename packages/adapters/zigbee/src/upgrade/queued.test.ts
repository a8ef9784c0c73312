import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { UpgradeReport } from "@ledge/model";
import { limits } from "@ledge/model";
import { devices } from "@ledge/testkit/zigbee";
import type { Rig } from "../test-rig.ts";
import { codeOf, passing, startRig } from "../test-rig.ts";
import type { Firmware } from "./firmware.ts";
import { imageFile } from "./testdata/image-file.ts";

const native = "0x000b57fffe000031";
const sensor = devices.upgradableContact(native);
const ota = sensor.ota ?? assert.fail("it takes firmware");
const firmware = { manufacturerCode: 0x1037, imageType: 0x0205, payload: Buffer.alloc(600, 7) };
const imageNotify = 0x00;
const queryResponse = 0x02;
const noImage = 0x98;

let rig: Rig;
const place = async (fileVersion: number): Promise<void> => {
  await mkdir(join(rig.folder, "images"), { recursive: true });
  await writeFile(join(rig.folder, "images", "sensor.ota"), imageFile({ ...firmware, fileVersion }));
};
const index = (): string => join(rig.folder, "images", "index.json");
/** Lets the image differ from its entry in the index. */
const damage = async (): Promise<void> =>
  await writeFile(index(), JSON.stringify([{ fileName: "sensor.ota", sha512: "00" }]));
const report = (): UpgradeReport | undefined =>
  rig.announced.findLast((device) => device.native === native)?.upgrade;
const until = (status: UpgradeReport["status"]): Promise<void> =>
  rig.until(status, () => report()?.status === status);
const ask = (type: "START_UPGRADE" | "CANCEL_UPGRADE"): Promise<unknown> => rig.ask({ type, native });
const stored = (): Firmware | undefined => rig.stored.get(`firmware/${native}`) as Firmware | undefined;
const isQueued = (): boolean => stored()?.queued !== undefined;
/** The payloads of commands that the hub sent to the sensor. */
const sent = (...commands: readonly number[]): Uint8Array[] =>
  rig.air.log.frames.flatMap(({ from, to, cluster, payload }) =>
    from === null && to === native && cluster === 0x0019 && commands.includes(payload[2] ?? -1)
      ? [payload]
      : [],
  );
/** How often the hub told the sensor to ask for an image. */
const notices = (): number => sent(imageNotify).length;

/** Makes the sensor sleep so that it hears nothing, not even right after it has sent. */
function sleepDeeply(isAsleep: boolean): void {
  rig.air.interference = isAsleep ? ({ to }) => (to === native ? 0xf0 : undefined) : null;
  if (isAsleep) rig.air.sleep(native);
}

/** Restarts the adapter, which ends an attempt that is under way: it would go on with the image as it was. */
async function restart(meanwhile?: () => Promise<void>): Promise<void> {
  rig.announced.length = 0;
  rig.reports.length = 0;
  await rig.restart(meanwhile);
  assert.equal(report()?.status, "REQUESTED", "before the device is heard");
  await rig.until("its watch", () => rig.latest(native, "reachable") === true);
}

before(async () => {
  rig = await startRig({ pace: { responseDelay: 2, requestTimeout: 5000 } });
  ota.onUpgraded = () => rig.air.announce(native);
  await rig.pair(sensor);
  await rig.until("its version", () => report()?.fwVersion === "0x00000001");
  await place(2);
  ota.query();
  await until("AVAILABLE");
});
after(() => rig.close());

test("an upgrade of a device that sleeps is stored, and waits", async () => {
  sleepDeeply(true);
  assert.equal(await ask("START_UPGRADE"), true);
  await until("REQUESTED");
  assert.match(report()?.message ?? "", /sleeps, or does not ask/);
  assert.equal(report()?.newFwVersion, "0x00000002");
  assert.equal(isQueued(), true);
  assert.equal(await codeOf(ask("START_UPGRADE")), "busy");
  assert.equal(ota.version, 1);
});

test("a waiting upgrade can be given up once, and requested again", async () => {
  assert.equal(await ask("CANCEL_UPGRADE"), true);
  await until("AVAILABLE");
  assert.equal(isQueued(), false);
  assert.equal(await codeOf(ask("CANCEL_UPGRADE")), "refused");
  const earlier = notices();
  sleepDeeply(false);
  ota.query();
  sensor.alarm(true);
  await rig.until("its report", () => rig.latest(native, "open") === true);
  assert.deepEqual([ota.version, notices()], [1, earlier], "nothing begins");
  sleepDeeply(true);
  await ask("START_UPGRADE");
  await until("REQUESTED");
});

test("a waiting upgrade survives a restart, and begins when the device asks for an image", async () => {
  await restart();
  sleepDeeply(false);
  ota.query();
  await until("INSTALLING");
  assert.equal(await codeOf(ask("CANCEL_UPGRADE")), "refused", "it has begun");
  await until("UP_TO_DATE");
  assert.equal(ota.version, 2);
  assert.equal(isQueued(), false);
});

test("begins when the device is heard, although it does not ask by itself", async () => {
  await place(3);
  ota.query();
  await until("AVAILABLE");
  sleepDeeply(true);
  await ask("START_UPGRADE");
  await until("REQUESTED");
  sleepDeeply(false);
  let isOpen = true;
  await rig.until("its upgrade", () => {
    isOpen = !isOpen;
    sensor.alarm(isOpen);
    return ota.version === 3;
  });
  await until("UP_TO_DATE");
});

test("a device's own question is answered with the image, however slow the store is", async () => {
  await place(4);
  ota.query();
  await until("AVAILABLE");
  sleepDeeply(true);
  await ask("START_UPGRADE");
  await until("REQUESTED");
  await restart();
  sleepDeeply(false);
  rig.air.log.clear();
  // Longer than the hub waits for a question before it tells the device to ask.
  rig.beforePut = (key) => (key.startsWith("firmware/") ? passing(600) : Promise.resolve());
  // News, which is stored before the answer.
  ota.set({ version: 2 });
  ota.query();
  ota.query();
  await rig.until("its upgrade", () => ota.version === 4);
  rig.beforePut = async () => {};
  await until("UP_TO_DATE");
  const [first] = sent(imageNotify, queryResponse);
  assert.deepEqual([first?.[2], first?.[3]], [queryResponse, 0], "it is not told to ask before the offer");
  const answers = sent(queryResponse).map((payload) => payload[3]);
  assert.equal(answers.pop(), noImage, "the new version's question");
  assert.ok(answers.length > 0 && answers.every((status) => status === 0), "no earlier question is refused");
});

test("an upgrade that has begun and breaks off has failed, and waits no longer", async () => {
  await place(5);
  ota.query();
  await until("AVAILABLE");
  ota.fail({ abortsAt: 300 });
  await ask("START_UPGRADE");
  await until("FAILED");
  assert.match(report()?.message ?? "", /ABORT/);
  assert.equal(isQueued(), false);
  ota.fail({});
});

test("an upgrade that is given up while its image is checked has not failed", async () => {
  rig.complaints.length = 0;
  rig.beforePut = damage;
  await ask("START_UPGRADE");
  rig.beforePut = async () => {};
  await ask("CANCEL_UPGRADE");
  await rig.until("the check", () => rig.complaints.some((line) => line.includes("damaged")));
  await rm(index());
  await until("AVAILABLE");
  assert.equal(isQueued(), false);
  assert.equal(stored()?.failure, undefined);
});

test("a waiting upgrade whose image is gone or damaged ends", async () => {
  sleepDeeply(true);
  await ask("START_UPGRADE");
  await until("REQUESTED");
  await restart(damage);
  sleepDeeply(false);
  ota.query();
  await until("FAILED");
  assert.match(report()?.message ?? "", /damaged/);
  await rm(index());
  sleepDeeply(true);
  await ask("START_UPGRADE");
  await until("REQUESTED");
  await restart(() => rm(join(rig.folder, "images", "sensor.ota")));
  sleepDeeply(false);
  ota.query();
  await until("UP_TO_DATE");
  assert.equal(ota.version, 4);
});

test("waiting upgrades take no place from others", async () => {
  const [nr, payload] = [0x35, firmware.payload];
  const sleepers = [1, 2, 3].map((more) => devices.upgradableContact(`0x000b57fffe0000${nr + more}`));
  const lamp = devices.unknownLamp(`0x000b57fffe0000${nr}`);
  await place(6);
  const image = { manufacturerCode: 0x1037, imageType: 0x0104, fileVersion: 0x0100_0002, payload };
  await writeFile(join(rig.folder, "images", "lamp.ota"), imageFile(image));
  for (const device of [lamp, ...sleepers])
    (device.ota ?? ota).onUpgraded = () => rig.air.announce(device.ieee);
  await rig.pairAll([lamp, ...sleepers]);
  const statusOf = (ieee: string): string | undefined =>
    rig.announced.findLast((device) => device.native === ieee)?.upgrade?.status;
  for (const { ieee, ota: each } of sleepers) {
    await rig.until("its image", () => statusOf(ieee) === "AVAILABLE");
    // Each is told to ask for the image, and says nothing for a minute.
    each?.fail({ refuses: true });
    await rig.ask({ type: "START_UPGRADE", native: ieee });
    await rig.until("its request", () => statusOf(ieee) === "REQUESTED");
  }
  await rig.ask({ type: "START_UPGRADE", native: lamp.ieee });
  await rig.until("the lamp's upgrade", () => lamp.ota.version === image.fileVersion);
  for (const { ieee, ota: each } of sleepers) {
    assert.equal(statusOf(ieee), "REQUESTED");
    each?.fail({});
    each?.query();
    await rig.until("its own upgrade", () => each?.version === 6);
  }
});

test("a waiting upgrade fails when offers do not reach its device time and again", async () => {
  await place(7);
  sleepDeeply(true);
  await ask("START_UPGRADE");
  await until("REQUESTED");
  await restart();
  // Its parent holds no more frames for it.
  rig.air.interference = ({ to }) => (to === native ? 0xf1 : undefined);
  for (let lost = 1; lost < limits.upgradeLostOffers; lost += 1) {
    ota.query();
    await rig.until("a lost offer", () => stored()?.queued?.lostOffers === lost);
    assert.equal(report()?.status, "REQUESTED");
  }
  ota.query();
  await until("FAILED");
  assert.match(report()?.message ?? "", /did not reach it 5 times/);
  assert.equal(isQueued(), false);
  assert.ok(rig.complaints.some((line) => /an upgrade failed.*did not reach/.test(line)));
});

test("a waiting upgrade fails when its device has not asked for too long", async () => {
  sleepDeeply(true);
  await ask("START_UPGRADE");
  await until("REQUESTED");
  assert.equal(stored()?.queued?.lostOffers, 0);
  await restart();
  rig.hurry();
  await until("FAILED");
  assert.match(report()?.message ?? "", /not asked for the image for 14 days/);
  assert.equal(isQueued(), false);
});

test("a waiting upgrade fails when its time has passed while the hub was stopped", async () => {
  await ask("START_UPGRADE");
  await until("REQUESTED");
  await restart(async () => {
    const { queued, ...others } = stored() ?? assert.fail("it is stored");
    const since = (queued?.since ?? 0) - limits.upgradeQueuedMs;
    rig.stored.set(`firmware/${native}`, { ...others, queued: { since, lostOffers: 0 } });
  });
  await until("FAILED");
  sleepDeeply(false);
});
