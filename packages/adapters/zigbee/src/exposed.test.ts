import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { DeviceDescription } from "@ledge/port";
import { devices } from "@ledge/testkit/zigbee";
import type { Rig } from "./test-rig.ts";
import { codeOf, startRig } from "./test-rig.ts";

const sensorIeee = "0x00158d0000000a01";
const lampIeee = "0x00158d0000000a02";
const thermostatIeee = "0x00158d0000000a03";
const lockIeee = "0x00158d0000000a04";

describe("what devices expose beyond the standard", () => {
  const sensor = devices.aqaraWeather(sensorIeee);
  const lamp = devices.whiteLamp(lampIeee);
  const thermostat = devices.tuyaValve(thermostatIeee);
  const lock = devices.pinLock(lockIeee);
  let rig: Rig;
  const described = (native: string): DeviceDescription =>
    rig.announced.findLast((each) => each.native === native) ?? assert.fail();
  const configure = async (native: string, parameters: object): Promise<unknown> =>
    await rig.ask({ type: "SET_CONFIGURATION", native, parameters });

  before(async () => {
    rig = await startRig();
    await rig.pairAll([sensor, lamp, thermostat, lock]);
  });
  after(() => rig.close());

  test("corrects a reading of a sensor, now, later, and after a restart", async () => {
    sensor.setTemperature(20);
    await rig.until("its reading", () => rig.latest(sensorIeee, "temperature") === 20);
    await configure(sensorIeee, { "correction.temperature.offset": -1.5 });
    assert.equal(rig.latest(sensorIeee, "temperature"), 18.5);
    const { values = {} } = described(sensorIeee).configuration ?? {};
    assert.equal(values["correction.temperature.offset"], -1.5);
    assert.equal(values["correction.humidity.offset"], 0);
    await rig.restart();
    sensor.setTemperature(25);
    await rig.until("its reading", () => rig.latest(sensorIeee, "temperature") === 23.5);
    assert.equal(described(sensorIeee).configuration?.values?.["correction.temperature.offset"], -1.5);
  });

  test("plays an effect on a lamp", async () => {
    const { capabilities, extras = {} } = described(lampIeee);
    assert.ok(capabilities.includes("EFFECT"));
    assert.ok((extras["effects"] as readonly string[]).includes("blink"));
    await rig.set(lampIeee, { effect: "blink" });
    assert.equal(await codeOf(rig.set(lampIeee, { effect: "dance" })), "unsupported");
  });

  test("describes and reports what a model has no attribute for", async () => {
    const { stateExtras = [], configuration } = described(thermostatIeee);
    const names = [
      ...stateExtras.map(({ name }) => name),
      ...(configuration?.items ?? []).map(({ name }) => name),
    ];
    assert.ok(names.length > 3, names.join());
    const momentary = stateExtras.filter((each) => each.momentary).map(({ name }) => name);
    for (const name of momentary) assert.equal(rig.latest(thermostatIeee, `extras.${name}`), undefined);
    assert.equal(await codeOf(rig.set(thermostatIeee, { "extras.unknown": 1 })), "unsupported");
  });

  test("adds, changes and removes the codes of a lock, and never says one", async () => {
    const items = described(lockIeee).configuration?.items ?? [];
    const codes = items.filter(({ name }) => name.startsWith("pinCode."));
    assert.deepEqual(
      codes.map(({ name, secret }) => [name, secret]),
      ["pinCode.1", "pinCode.2", "pinCode.3", "pinCode.4"].map((name) => [name, true]),
    );
    await configure(lockIeee, { "pinCode.2": "471147" });
    assert.deepEqual([...lock.lock.codes], [[2, "471147"]]);
    await configure(lockIeee, { "pinCode.2": "0815" });
    await configure(lockIeee, { "pinCode.3": "1234" });
    assert.deepEqual(Object.fromEntries(lock.lock.codes), { 2: "0815", 3: "1234" });
    await configure(lockIeee, { "pinCode.3": "" });
    assert.deepEqual([...lock.lock.codes.keys()], [2]);
    for (const code of ["123", "1234567", "12a4", "٤٤٤٤"])
      assert.equal(await codeOf(configure(lockIeee, { "pinCode.2": code })), "refused", code);
    lock.lock.program(4, "998877");
    const shown = (): unknown => described(lockIeee).configuration?.values?.["pinCode.4"];
    await rig.until("the new code", () => shown() === "there");
    const said = JSON.stringify([rig.announced, rig.reports, [...rig.stored], rig.complaints]);
    // Times and addresses may hold the same digits among others.
    for (const code of ["471147", "0815", "998877"])
      assert.doesNotMatch(said, new RegExp(`(?<![0-9a-f])${code}(?![0-9a-f])`), code);
  });
});
