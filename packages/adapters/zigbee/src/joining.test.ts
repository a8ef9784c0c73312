import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { devices, failing, status } from "@ledge/testkit/zigbee";
import type { Rig } from "./test-rig.ts";
import { codeOf, completeOf, isSetUp, passing, startRig } from "./test-rig.ts";

const switchIeee = "0x000b57fffe000011";
const valveIeee = "0x000b57fffe000012";
const lampIeee = "0x000b57fffe000013";
const strangerIeee = "0x000b57fffe000014";
const sensorIeee = "0x000b57fffe000015";
const unnotedIeee = "0x000b57fffe000016";
const iasZone = 0x0500;

describe("joining devices", () => {
  const wall = devices.unknownWallSwitch(switchIeee);
  const valve = devices.radiatorValve(valveIeee);
  const lamp = devices.unknownLamp(lampIeee);
  let rig: Rig;

  before(async () => {
    rig = await startRig({ timing: { pingAfterMs: 300, pingPauseMs: 50, checkMs: 50 } });
  });
  after(() => rig.close());

  test("a switch with two rockers is two devices and stays while the hub has one of them", async () => {
    rig.air.add(wall);
    await rig.adapter.pairing?.open(60_000);
    rig.air.join(switchIeee);
    await rig.until("both found", () => completeOf(rig.found, switchIeee).length === 2);
    const [first = "", second = ""] = completeOf(rig.found, switchIeee);
    assert.deepEqual([first, second], [switchIeee, `${switchIeee}/2`]);
    await rig.adapter.pairing?.close();
    await rig.adapter.pairing?.discard(second);
    await rig.adapter.pairing?.keep(first);
    await rig.until("set up", () => isSetUp(rig.stored, switchIeee));
    assert.notEqual(rig.air.nwkOf(switchIeee), undefined);
    assert.equal(await codeOf(rig.set(second, { isOn: true })), "refused");
    await rig.set(first, { isOn: true });
    assert.deepEqual([wall.isOn(1), wall.isOn(2)], [true, false]);
  });

  test("finds the other part of a device in a later window and pairs it alone", async () => {
    rig.found.length = 0;
    await rig.adapter.pairing?.open(60_000);
    const second = `${switchIeee}/2`;
    await rig.until("the other rocker", () => completeOf(rig.found, switchIeee).includes(second));
    assert.deepEqual(completeOf(rig.found, switchIeee), [second]);
    await rig.adapter.pairing?.keep(second);
    await rig.adapter.pairing?.close();
    await rig.set(second, { isOn: true });
    assert.deepEqual([wall.isOn(1), wall.isOn(2)], [true, true]);
    await rig.adapter.forget?.(switchIeee);
    assert.notEqual(rig.air.nwkOf(switchIeee), undefined, "the hub still has its other part");
  });

  test("finds a device whose joining was missed when it announces itself", async () => {
    const unnoted = devices.unknownLamp(unnotedIeee);
    rig.air.add(unnoted);
    await rig.adapter.pairing?.open(60_000);
    const { faults } = rig.served.stick;
    faults.isSilent = true;
    assert.ok(rig.air.join(unnotedIeee));
    await passing(50);
    faults.isSilent = false;
    rig.air.announce(unnotedIeee);
    await rig.until("it is found", () => completeOf(rig.found, unnotedIeee).length === 1);
    await rig.adapter.pairing?.keep(unnotedIeee);
    await rig.adapter.pairing?.close();
    await rig.set(unnotedIeee, { isOn: true });
    assert.ok(unnoted.isOn);
  });

  test("a command to a sleeping device waits until the device wakes", async () => {
    await rig.pair(valve);
    rig.air.sleep(valveIeee);
    const asked = rig.set(valveIeee, { targetTemperature: 22.5 });
    const sent = (): number => rig.air.log.count({ from: null, to: valveIeee, cluster: 0x0201 });
    const former = sent();
    await rig.until("the frame", () => sent() > former);
    valve.setTemperature(19.5);
    await asked;
    await rig.until("its report", () => rig.latest(valveIeee, "targetTemperature") === 22.5);
  });

  test("a command waits too when the device's parent holds no more frames for it", async () => {
    rig.air.sleep(valveIeee);
    rig.air.interference = failing(status.transactionOverflow, 1, valveIeee);
    const sent = (): number => rig.air.log.count({ from: null, to: valveIeee, cluster: 0x0201 });
    const former = sent();
    const asked = rig.set(valveIeee, { targetTemperature: 20.5 });
    await rig.until("the frame", () => sent() > former);
    valve.setTemperature(19);
    await asked;
    await rig.until("its report", () => rig.latest(valveIeee, "targetTemperature") === 20.5);
  });

  test("cancels a command that waits for a sleeping device", async () => {
    rig.air.sleep(valveIeee);
    const abort = new AbortController();
    const asked = codeOf(rig.set(valveIeee, { targetTemperature: 18 }, abort.signal));
    abort.abort();
    assert.equal(await asked, "cancelled");
  });

  test("retries a failing interview three times with help texts, then gives up", async () => {
    rig.air.add(devices.unknownContact(strangerIeee));
    // Of the library's requests, this is the one that it does not retry for minutes by itself.
    rig.air.interference = ({ to, cluster }) =>
      to === strangerIeee && cluster === iasZone ? 0xb7 : undefined;
    rig.found.length = 0;
    await rig.adapter.pairing?.open(600_000);
    rig.air.join(strangerIeee);
    const helps = (): unknown[] => [
      ...new Set(rig.found.filter(({ native }) => native === strangerIeee).map(({ help }) => help)),
    ];
    await rig.until("help", () => helps().includes("pairing.press-button"));
    rig.air.announce(strangerIeee);
    await rig.until("other help", () => helps().includes("pairing.move-closer"));
    rig.air.announce(strangerIeee);
    await rig.until("its loss", () => rig.lost.includes(strangerIeee));
    rig.air.interference = null;
    assert.deepEqual(helps(), ["pairing.wait", "pairing.press-button", "pairing.move-closer"]);
    assert.ok(rig.complaints.some((complaint) => complaint.includes(strangerIeee)));
    await rig.adapter.pairing?.close();
  });

  test("reports a found device as lost when it leaves", async () => {
    rig.lost.length = 0;
    rig.found.length = 0;
    await rig.adapter.pairing?.open(60_000);
    rig.air.join(strangerIeee);
    await rig.until("found", () => completeOf(rig.found, strangerIeee).length > 0);
    rig.air.leave(strangerIeee);
    await rig.until("lost", () => rig.lost.includes(strangerIeee));
    await rig.adapter.pairing?.close();
    assert.equal(await codeOf(rig.adapter.pairing?.keep(strangerIeee) ?? Promise.resolve()), "refused");
  });

  test("pings a lamp without power and reports it unreachable, unless reachability is ignored", async () => {
    await rig.pair(lamp);
    rig.air.power(lampIeee, false);
    await rig.until("unreachable", () => rig.latest(lampIeee, "reachable") === false);
    await rig.ask({ type: "SET_ZIGBEE", ignore_reachability: true });
    assert.equal(rig.latest(lampIeee, "reachable"), true);
    await rig.ask({ type: "SET_ZIGBEE", ignore_reachability: false });
    assert.equal(rig.latest(lampIeee, "reachable"), false);
    rig.air.power(lampIeee, true);
    await rig.until("reachable", () => rig.latest(lampIeee, "reachable") === true);
  });

  test("a kept device that leaves is unreachable and can return", async () => {
    rig.air.leave(lampIeee);
    await rig.until("unreachable", () => rig.latest(lampIeee, "reachable") === false);
    rig.announced.length = 0;
    await rig.adapter.pairing?.open(60_000);
    rig.air.join(lampIeee);
    await rig.until("announced", () => rig.announced.some(({ native }) => native === lampIeee));
    await rig.until("reachable", () => rig.latest(lampIeee, "reachable") === true);
    await rig.adapter.pairing?.close();
    await rig.set(lampIeee, { isOn: true });
    assert.ok(lamp.isOn);
  });

  test("continues to set up a sleeping device when it is heard", async () => {
    const sensor = devices.multiSensor(sensorIeee);
    rig.air.add(sensor, { awakeAfterJoinMs: Infinity });
    await rig.adapter.pairing?.open(60_000);
    rig.air.join(sensorIeee);
    await rig.until("found", () => completeOf(rig.found, sensorIeee).length > 0);
    await rig.adapter.pairing?.close();
    rig.air.sleep(sensorIeee);
    rig.air.reach(sensorIeee, false);
    await rig.adapter.pairing?.keep(sensorIeee);
    const bound = (): number => rig.air.node(sensorIeee).bindings.length;
    const waiting = bound();
    rig.air.reach(sensorIeee, true);
    await rig.until("set up", () => {
      rig.air.announce(sensorIeee);
      return isSetUp(rig.stored, sensorIeee);
    });
    assert.ok(bound() > waiting);
  });
});
