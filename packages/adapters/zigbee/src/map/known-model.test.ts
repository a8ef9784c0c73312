import assert from "node:assert/strict";
import test from "node:test";
import type { Fz, Zh } from "zigbee-herdsman-converters/lib/types";
import type { AttributeValues } from "@ledge/exposes";
import { attributesOf, propertiesOf } from "./attributes.ts";
import { settingActions, settingItems, settingValues } from "./configuration.ts";
import { framesFor } from "./frames.ts";
import { KnownModel } from "./known-model.ts";
import type { ModelName } from "./test-models.ts";
import { models } from "./test-models.ts";
import type { SentFrame } from "./test-herdsman.ts";
import { herdsmanDevice } from "./test-herdsman.ts";
import { nodeFacts } from "./test-node.ts";
import type { Unit } from "./unit.ts";
import { unitsOf } from "./units.ts";

interface Known {
  readonly model: KnownModel;
  readonly units: readonly Unit[];
  readonly unit: Unit;
  readonly device: Zh.Device;
  readonly coordinator: Zh.Endpoint;
  readonly sent: readonly SentFrame[];
  /** What converters have published by themselves. */
  readonly said: Record<string, unknown>[];
  readonly log: string[];
}

async function known(name: ModelName): Promise<Known> {
  const { device, coordinator, sent } = herdsmanDevice(models[name]);
  const said: Record<string, unknown>[] = [];
  const log: string[] = [];
  const model = await KnownModel.of(device, {
    log: (level, message, fields) => log.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`),
    said: (properties) => said.push({ ...properties }),
    changed: () => undefined,
  });
  assert.ok(model, name);
  await model.event("start");
  const units = unitsOf(models[name], model.facts);
  return { model, units, unit: units[0] as Unit, device, coordinator, sent, said, log };
}

let transactions = 0;

/** Returns the attributes that a unit reports for a message, through its model's converters. */
function says(
  { model, unit, device }: Known,
  cluster: string,
  type: string,
  data: unknown,
  before: AttributeValues = {},
  id = unit.endpoints[0]?.id ?? 1,
): AttributeValues {
  const endpoint = device.getEndpoint(id);
  transactions += 1;
  const meta = { zclTransactionSequenceNumber: transactions };
  const message = { type, cluster, data, device, endpoint, meta, groupID: 0, linkquality: 100 };
  const properties = model.read(message as unknown as Fz.Message<string>);
  return attributesOf(unit, { endpoint: id, cluster, type, data }, before, properties);
}

/** Units by definition: without what their clusters only seem to offer. */
const expected: Readonly<Partial<Record<ModelName, readonly string[]>>> = {
  whiteLamp: ["LIGHT: BRIGHTNESS COLOR_TEMP CONTROL_LIGHT EFFECT ON_OFF TRANSITION"],
  hueLamp: ["LIGHT: BRIGHTNESS COLOR_HS COLOR_TEMP CONTROL_LIGHT EFFECT ON_OFF TRANSITION"],
  outlet: ["POWER_SOCKET: CONTROL_POWER ON_OFF"],
  meteredPlug: ["POWER_SOCKET: ACTIVE_POWER CONTROL_POWER CURRENT MEASURE_POWER ON_OFF POWER_METER VOLTAGE"],
  twoGangs: ["POWER_SOCKET: CONTROL_POWER ON_OFF", "POWER_SOCKET: CONTROL_POWER ON_OFF"],
  dimmerModule: [
    "LIGHT: ACTIVE_POWER BRIGHTNESS CONTROL_LIGHT DIMMER_CONTROL MEASURE_POWER ON_OFF POWER_METER REMOTE_CONTROL TRANSITION",
  ],
  aqaraContact: ["CONTACT: BATTERY_C BATTERY_U CONTACT DEVICE_TEMPERATURE POWER_OUTAGES"],
  aqaraClimate: ["MULTI_SENSOR: BATTERY_C BATTERY_U HUMIDITY PRESSURE TEMPERATURE"],
  aqaraMotion: ["MOTION: BATTERY_C BATTERY_U DEVICE_TEMPERATURE LUX MOTION POWER_OUTAGES"],
  aqaraLeak: ["MOISTURE: BATTERY_C BATTERY_U DEVICE_TEMPERATURE MOISTURE POWER_OUTAGES"],
  aqaraButton: ["REMOTE_CONTROL: BATTERY_C BATTERY_U DEVICE_TEMPERATURE POWER_OUTAGES REMOTE_CONTROL"],
  hueMotion: ["MOTION: BATTERY_C LUX MOTION TEMPERATURE"],
  hueDimmer: ["REMOTE_CONTROL: BATTERY_C DIMMER_CONTROL HUE_SWITCH REMOTE_CONTROL"],
  ikeaRemote: ["REMOTE_CONTROL: BATTERY_C DIMMER_CONTROL IKEA_RC REMOTE_CONTROL"],
  blind: ["BLINDS: BATTERY_C BLINDS COVER_STOP LIFT"],
  curtainModule: ["BLINDS: BLINDS COVER_STOP LIFT"],
  radiator: [
    "THERMOSTAT: BATTERY_C CONTROL_MODE CONTROL_TEMPERATURE HVAC RUNNING_STATE TEMPERATURE THERMOSTAT",
  ],
  eurotronic: [
    "THERMOSTAT: BATTERY_C CONTROL_MODE CONTROL_TEMPERATURE HVAC RUNNING_STATE TEMPERATURE THERMOSTAT",
  ],
  tuyaRadiator: [
    "THERMOSTAT: BATTERY_U CONTROL_MODE CONTROL_PRESET CONTROL_TEMPERATURE HVAC RUNNING_STATE TEMPERATURE THERMOSTAT WINDOW",
  ],
  tuyaAir: ["CO2_SENSOR: CO2 FORMALDEHYDE HUMIDITY PM25 TEMPERATURE VOC"],
  smoke: ["SMOKE_ALARM: BATTERY_C BATTERY_U SMOKE"],
  siren: ["ALARM_DEVICE: BATTERY_C GENERATE_ALERT"],
  lock: ["MULTI_SENSOR: BATTERY_C BATTERY_U LOCK LOCK_STATE"],
  purifier: ["POWER_SOCKET: AIR_QUALITY CONTROL_POWER FAN_MODE ON_OFF PM25"],
  airMonitor: ["MULTI_SENSOR: HUMIDITY PM25 TEMPERATURE VOX"],
};
const markers = new Set(["DEVICE", "IDENTIFY", "ALERT", "UPGRADE", "CONFIGURABLE", "RSSI", "COLOR_LOOP"]);

for (const [name, classes] of Object.entries(expected)) {
  test(`classifies ${name} by its definition`, async () => {
    const { units } = await known(name as ModelName);
    const found = units.map(
      ({ class: kind, capabilities }) =>
        `${kind}: ${capabilities
          .filter((each) => !markers.has(each))
          .toSorted()
          .join(" ")}`,
    );
    assert.deepEqual(found, classes);
  });
}

test("has no definition for an unknown model", async () => {
  const { device } = herdsmanDevice(nodeFacts([], { model: "Nobody's 1", manufacturer: "Nobody" }));
  const options = { log: () => undefined, said: () => undefined, changed: () => undefined };
  assert.equal(await KnownModel.of(device, options), undefined);
});

test("reads a contact that reports through another cluster", async () => {
  const contact = await known("aqaraContact");
  assert.deepEqual(says(contact, "genOnOff", "attributeReport", { onOff: 1 }), { open: true });
  assert.deepEqual(says(contact, "genOnOff", "attributeReport", { onOff: 0 }), { open: false });
  // This converter answers later.
  says(contact, "genBasic", "attributeReport", { 65_281: { 1: 2985, 3: 25, 5: 1, 100: 1 } });
  while (contact.said.length === 0) await new Promise(setImmediate);
  const { batteryV, battery } = propertiesOf(contact.unit, contact.said[0] ?? {}, {});
  assert.equal(batteryV, 2.985);
  assert.ok(typeof battery === "number" && battery > 50 && battery < 100);
});

test("a converter reports the end of motion by itself after its delay", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const sensor = await known("aqaraMotion");
  assert.deepEqual(says(sensor, "msOccupancySensing", "attributeReport", { occupancy: 1 }), { motion: true });
  t.mock.timers.tick(120_000);
  const later = Object.assign({}, ...sensor.said) as Record<string, unknown>;
  assert.deepEqual(propertiesOf(sensor.unit, later, {}), { motion: false });
});

test("reads a manufacturer's own datapoints", async () => {
  const air = await known("tuyaAir");
  const datapoint = (dp: number, value: number) => {
    const data = Buffer.alloc(4);
    data.writeUInt32BE(value);
    return { seq: 1, dpValues: [{ dp, datatype: 2, data }] };
  };
  assert.deepEqual(says(air, "manuSpecificTuya", "commandDataReport", datapoint(18, 215)), {
    temperature: 21.5,
  });
  assert.deepEqual(says(air, "manuSpecificTuya", "commandDataReport", datapoint(22, 640)), { co2Ppm: 640 });
});

test("reads measurements through the definition, in its scale", async () => {
  const plug = await known("meteredPlug");
  assert.deepEqual(says(plug, "haElectricalMeasurement", "attributeReport", { activePower: 1234 }), {
    activePower: 123.4,
    power: 123.4,
  });
  assert.deepEqual(says(plug, "genOnOff", "attributeReport", { onOff: 1 }), { isOn: true });
  // The definition sets up what it reads; the hub sets up the rest.
  assert.deepEqual(plug.unit.setup.bindings, [{ endpoint: 1, cluster: "genOnOff" }]);
  assert.ok(plug.unit.setup.reads.some(({ cluster }) => cluster === "seMetering"));
});

const keys: readonly (readonly [ModelName, string, string, unknown, readonly unknown[]])[] = [
  ["aqaraButton", "genMultistateInput", "attributeReport", { presentValue: 1 }, [1, []]],
  ["aqaraButton", "genMultistateInput", "attributeReport", { presentValue: 2 }, [1, ["double"]]],
  ["aqaraButton", "genMultistateInput", "attributeReport", { presentValue: 0 }, [1, ["longpress"]]],
  ["ikeaRemote", "genOnOff", "commandToggle", {}, [5, []]],
  ["ikeaRemote", "genLevelCtrl", "commandMoveWithOnOff", { movemode: 0, rate: 83 }, [2, ["longpress"]]],
  ["ikeaRemote", "genScenes", "commandTradfriArrowSingle", { value: 257 }, [6, []]],
];
for (const [name, cluster, type, data, press] of keys) {
  test(`reads a key of ${name}: ${type} ${JSON.stringify(data)}`, async () => {
    const { button, modifiers } = says(await known(name), cluster, type, data);
    assert.deepEqual([button, modifiers], press);
  });
}

test("sends standard frames to lamps and switches, with or without a definition", async () => {
  const wanted = { isOn: true, brightness: 0.5, temperature: 2700 };
  for (const name of ["whiteLamp", "hueLamp", "outlet", "twoGangs", "curtainModule", "blind"] as const) {
    const { units } = await known(name);
    for (const unit of units) {
      const actions = framesFor(unit, { ...wanted, position: 0.5 }, {});
      assert.ok(actions.length > 0 && actions.every(({ kind }) => kind === "command"), name);
    }
  }
});

test("handles a cover with inverted percentages", async () => {
  const { unit } = await known("curtainModule");
  assert.deepEqual(
    framesFor(unit, { position: 0.3 }, {}).map((action) => action.kind === "command" && action.payload),
    [{ percentageliftvalue: 30 }],
  );
  const data = { currentPositionLiftPercentage: 30 };
  const message = { endpoint: 1, cluster: "closuresWindowCovering", type: "attributeReport", data };
  assert.deepEqual(attributesOf(unit, message, {}), { position: 0.3, liftPct: 30 });
});

const ownWays: readonly (readonly [ModelName, AttributeValues, string])[] = [
  ["radiator", { targetTemperature: 21.5 }, "hvacThermostat"],
  ["eurotronic", { targetTemperature: 21.5 }, "hvacThermostat"],
  ["tuyaRadiator", { targetTemperature: 21.5 }, "manuSpecificTuya"],
  ["tuyaRadiator", { mode: 1 }, "manuSpecificTuya"],
  ["purifier", { fanMode: 5 }, "manuSpecificIkeaAirPurifier"],
];
for (const [name, wanted, cluster] of ownWays) {
  test(`sets ${JSON.stringify(wanted)} on ${name} in the model's own way`, async () => {
    const { model, unit, sent } = await known(name);
    const actions = framesFor(unit, wanted, {});
    assert.deepEqual(
      actions.map(({ kind }) => kind),
      ["convert"],
    );
    for (const action of actions) {
      assert.ok(action.kind === "convert");
      const properties = await model.set(action);
      const assumed = propertiesOf(unit, properties, {});
      for (const [attribute, value] of Object.entries(assumed))
        assert.equal(value, wanted[attribute] ?? value);
    }
    assert.ok(
      sent.some((frame) => frame.kind !== "read" && frame.cluster === cluster),
      JSON.stringify(sent),
    );
  });
}

test("reads and sets a definition's settings through its converters", async () => {
  const { model, unit, sent } = await known("outlet");
  assert.ok(settingItems(unit).some(({ name }) => name === "power_on_behavior"));
  assert.deepEqual(settingValues(unit, { power_on_behavior: "previous", other: 1 }), {
    power_on_behavior: "previous",
  });
  const [action] = settingActions(unit, { power_on_behavior: "off" });
  assert.ok(action?.kind === "convert");
  await model.set(action);
  const payload = [{ attrId: 0x4003, attrData: 0, dataType: 0x30 }];
  assert.deepEqual(sent, [{ kind: "write", endpoint: 1, cluster: "genOnOff", payload }]);
});

test("rejects a key that the definition cannot set", async () => {
  const { model } = await known("outlet");
  const action = { kind: "convert", key: "mood", endpointName: null, value: "good" } as const;
  await assert.rejects(model.set(action), /no way to set mood/);
});

test("a failing converter reports nothing and does not affect the others", async () => {
  const air = await known("tuyaAir");
  for (const data of [null, {}, { dpValues: [{ dp: 18 }] }, { dpValues: "x" }])
    assert.deepEqual(says(air, "manuSpecificTuya", "commandDataReport", data), {});
  const contact = await known("aqaraContact");
  says(contact, "genBasic", "attributeReport", { 65_281: { 1: [0, 1] } });
  while (!contact.log.some((line) => line.includes("failed"))) await new Promise(setImmediate);
  assert.ok(air.log.some((line) => line.startsWith("debug a converter failed")));
});

test("a definition configures its model", async () => {
  const { model, sent, coordinator } = await known("airMonitor");
  await model.configure(coordinator);
  const reported = sent.filter(({ kind }) => kind === "configReport").map(({ cluster }) => cluster);
  assert.ok(reported.includes("msTemperatureMeasurement"), String(reported));
  await model.event("stop");
});
