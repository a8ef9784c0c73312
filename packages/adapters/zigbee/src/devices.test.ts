import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { devices, failing } from "@ledge/testkit/zigbee";
import type { Rig } from "./test-rig.ts";
import { codeOf, completeOf, isSetUp, passing, startRig } from "./test-rig.ts";

const lampIeee = "0x000b57fffe000001";
const contactIeee = "0x000b57fffe000002";
const sirenIeee = "0x000b57fffe000004";
const remoteIeee = "0x000b57fffe000003";

describe("devices of a network", () => {
  const lamp = devices.unknownLamp(lampIeee);
  const contact = devices.unknownContact(contactIeee);
  const remote = devices.remote(remoteIeee);
  let rig: Rig;

  before(async () => {
    rig = await startRig();
  });
  after(() => rig.close());

  test("pairs a lamp: joins, interviews, finds, keeps, sets up and reads it", async () => {
    await rig.pair(lamp);
    const steps = rig.found.map(({ status, description }) => `${status} ${description?.class ?? "?"}`);
    assert.deepEqual([...new Set(steps)], ["CONNECTING ?", "COMPLETE LIGHT"]);
    assert.deepEqual(
      [...new Set(rig.announced.map(({ native, radio }) => `${native} ${radio}`))],
      [`${lampIeee} zigbee`],
    );
    await rig.until("its state", () => rig.latest(lampIeee, "isOn") === false);
    assert.equal(rig.latest(lampIeee, "reachable"), true);
    assert.ok(rig.air.node(lampIeee).bindings.some(({ cluster }) => cluster === 6));
  });

  test("carries out a command and receives the device's report", async () => {
    await rig.set(lampIeee, { isOn: true, brightness: 0.5 });
    await rig.until("its report", () => rig.latest(lampIeee, "isOn") === true);
    await rig.until("its level", () => Math.abs(Number(rig.latest(lampIeee, "brightness")) - 0.5) < 0.01);
  });

  test("reports a change made at the device", async () => {
    lamp.onOff.turn(false);
    await rig.until("its report", () => rig.latest(lampIeee, "isOn") === false);
  });

  test("a refresh reports every attribute", async () => {
    rig.reports.length = 0;
    await rig.send(lampIeee, { type: "refresh" });
    await rig.until("its report", () => rig.latest(lampIeee, "isOn") === false);
  });

  test("refuses unsupported commands and unknown devices", async () => {
    assert.equal(await codeOf(rig.send(lampIeee, { type: "snapshot" })), "unsupported");
    assert.equal(await codeOf(rig.set(lampIeee, { locked: true })), "unsupported");
    assert.equal(await codeOf(rig.set("0x000b57fffe0000ff", { isOn: true })), "refused");
    await rig.send(lampIeee, { type: "identify" });
    assert.ok(lamp.identify.isIdentifying);
  });

  test("writes a setting and announces the device's value", async () => {
    const value = (): unknown =>
      rig.announced.findLast(({ native }) => native === lampIeee)?.configuration?.values?.["startUpOnOff"];
    assert.equal(value(), 255);
    await rig.ask({ type: "SET_CONFIGURATION", native: lampIeee, parameters: { startUpOnOff: 1 } });
    assert.equal(value(), 1);
    const nothing = { type: "SET_CONFIGURATION", native: lampIeee, parameters: { none: 1 } };
    assert.equal(await codeOf(rig.ask(nothing)), "unsupported");
  });

  test("logs when the store refuses a device's firmware data, and continues", async () => {
    const key = `firmware/${lampIeee}`;
    rig.stored.delete(key);
    rig.refused = /^firmware/;
    lamp.ota.query();
    await rig.until("a log line", () => rig.complaints.some((each) => each.includes("is not stored")));
    rig.refused = undefined;
  });

  test("reports the state of a siren, which does not report itself", async () => {
    const siren = devices.siren(sirenIeee);
    await rig.pair(siren);
    await rig.set(sirenIeee, { sirenOn: true });
    assert.equal(rig.latest(sirenIeee, "sirenOn"), true);
    const { ends } = rig.stored.get(`node/${sirenIeee}`) as { ends: Record<string, { ms: number }> };
    assert.equal(ends[sirenIeee]?.ms, 240_000, "the longest that it can sound");
    await rig.set(sirenIeee, { sirenOn: false });
    assert.equal(rig.latest(sirenIeee, "sirenOn"), false);
    await rig.set(sirenIeee, { sirenOn: true });
    await rig.served.unplug();
    await rig.until("it is unreachable", () => rig.latest(sirenIeee, "reachable") === false);
    rig.hurry();
    assert.equal(rig.latest(sirenIeee, "sirenOn"), false, "it ends even while the stick is away");
    await rig.served.plug();
    await rig.until("it is reachable", () => rig.latest(sirenIeee, "reachable") === true);
    await rig.adapter.forget?.(sirenIeee);
  });

  test("an unanswering device is unreachable, and a busy radio reports busy", async () => {
    rig.air.interference = failing(0xe9, Infinity, lampIeee);
    assert.equal(await codeOf(rig.set(lampIeee, { isOn: true })), "unreachable");
    rig.air.interference = null;
    await rig.set(lampIeee, { isOn: false });
    rig.air.interference = failing(0xe1, Infinity, lampIeee);
    assert.equal(await codeOf(rig.set(lampIeee, { isOn: true })), "busy");
    rig.air.interference = null;
  });

  test("enrols a sensor and reports its alarms", async () => {
    await rig.pair(contact);
    assert.ok(contact.zone.isEnrolled);
    contact.alarm(true);
    await rig.until("its alarm", () => rig.latest(contactIeee, "open") === true);
    contact.alarm(false);
    await rig.until("its end", () => rig.latest(contactIeee, "open") === false);
  });

  test("reports each press of a button", async () => {
    await rig.pair(remote);
    const presses = (): Rig["reports"] => rig.reports.filter(({ attributes }) => "button" in attributes);
    remote.press("toggle");
    remote.press("toggle");
    await rig.until("two presses", () => presses().length >= 2);
    remote.press("up");
    await rig.until("a third", () => presses().length >= 3);
    assert.deepEqual(
      presses().map(({ attributes }) => attributes["button"]),
      [5, 5, 2],
    );
  });

  test("announces devices after a restart before their first reports", async () => {
    rig.announced.length = 0;
    rig.reports.length = 0;
    await rig.restart();
    assert.deepEqual(rig.announced.map(({ native }) => native).toSorted(), [
      lampIeee,
      contactIeee,
      remoteIeee,
    ]);
    await rig.until("all reachable", () =>
      [lampIeee, contactIeee, remoteIeee].every((native) => rig.latest(native, "reachable") === true),
    );
    await rig.until("the lamp's state", () => rig.latest(lampIeee, "isOn") !== undefined);
  });

  test("after a restart a sensor stays reachable, however long ago it was last heard", async () => {
    for (const [key, entry] of rig.stored)
      if (typeof entry === "string") rig.stored.set(key, entry.replace(/"lastSeen":\d+/, '"lastSeen":1'));
    rig.reports.length = 0;
    await rig.restart();
    await rig.until("all reachable", () =>
      [lampIeee, contactIeee, remoteIeee].every((native) => rig.latest(native, "reachable") === true),
    );
  });

  test("reads a lamp again when it gets its power back", async () => {
    rig.air.power(lampIeee, false);
    lamp.onOff.turn(true);
    rig.reports.length = 0;
    rig.air.power(lampIeee, true);
    await rig.until("its state", () => rig.latest(lampIeee, "isOn") !== undefined);
  });

  test("recognises a device that returns with another address", async () => {
    const former = rig.air.nwkOf(lampIeee);
    rig.air.rejoin(lampIeee);
    assert.notEqual(rig.air.nwkOf(lampIeee), former);
    const wanted = !lamp.isOn;
    // The first may still go to the old address.
    while ((await codeOf(rig.set(lampIeee, { isOn: wanted }))) !== undefined) await passing(50);
    await rig.until("its report", () => rig.latest(lampIeee, "isOn") === wanted);
  });

  test("sets up a device again that was reset and joins in a window", async () => {
    rig.announced.length = 0;
    const cleared = rig.air.node(lampIeee).bindings;
    await rig.adapter.pairing?.open(60_000);
    assert.ok(rig.air.join(lampIeee));
    await rig.until("its announcement", () => rig.announced.some(({ native }) => native === lampIeee));
    await rig.until("its bindings", () => cleared.some(({ cluster }) => cluster === 6));
    await rig.adapter.pairing?.close();
    await rig.until("set up", () => isSetUp(rig.stored, lampIeee));
    lamp.onOff.turn(false);
    await rig.until("its report", () => rig.latest(lampIeee, "isOn") === false);
  });

  test("a removed stick makes all devices unreachable, until it is plugged in again", async () => {
    await rig.served.unplug();
    await rig.until("all unreachable", () =>
      [lampIeee, contactIeee].every((native) => rig.latest(native, "reachable") === false),
    );
    assert.equal(await codeOf(rig.set(lampIeee, { isOn: true })), "unreachable");
    await rig.served.plug();
    await rig.until("all reachable", () =>
      [lampIeee, contactIeee].every((native) => rig.latest(native, "reachable") === true),
    );
    await rig.set(lampIeee, { isOn: true });
  });

  test("a forgotten device leaves the network and can be found again", async () => {
    await rig.adapter.forget?.(lampIeee);
    assert.equal(rig.air.nwkOf(lampIeee), undefined);
    assert.equal(await codeOf(rig.set(lampIeee, { isOn: true })), "refused");
    rig.found.length = 0;
    await rig.adapter.pairing?.open(60_000);
    assert.ok(rig.air.join(lampIeee));
    await rig.until("found", () => completeOf(rig.found, lampIeee).length > 0);
    await rig.adapter.pairing?.discard(lampIeee);
    await rig.adapter.pairing?.close();
    assert.equal(rig.air.nwkOf(lampIeee), undefined, "it was discarded");
  });

  test("forgets a dead device and tells it to leave when it is heard again", async () => {
    rig.air.power(contactIeee, false);
    await rig.adapter.forget?.(contactIeee);
    assert.notEqual(rig.air.nwkOf(contactIeee), undefined);
    rig.air.power(contactIeee, true);
    rig.air.announce(contactIeee);
    await rig.until("gone", () => rig.air.nwkOf(contactIeee) === undefined);
  });
});
