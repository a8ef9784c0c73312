import assert from "node:assert/strict";
import test from "node:test";
import type { AttributeValues } from "@ledge/exposes";
import type { NodeFacts } from "./facts.ts";
import { assumedAfter, framesFor, identifyFrames } from "./frames.ts";
import { models } from "./test-models.ts";
import { nodeFacts } from "./test-node.ts";
import type { Unit } from "./unit.ts";
import { unitsOf } from "./units.ts";

const unitOf = (node: NodeFacts): Unit => unitsOf(node)[0] as Unit;

/** Returns the frames for a unit as `name {payload}`, or the written values. */
function sent(node: NodeFacts, wanted: AttributeValues, before: AttributeValues = {}): readonly string[] {
  return framesFor(unitOf(node), wanted, before).map((action) => {
    if (action.kind === "command") return `${action.name} ${JSON.stringify(action.payload)}`;
    return action.kind === "write" ? JSON.stringify(action.values) : action.kind;
  });
}

const { dimmableLamp, whiteLamp, colorLamp, hueLamp, outlet, radiator, blind, curtainModule } = models;
const rows: readonly (readonly [string, NodeFacts, AttributeValues, AttributeValues, readonly string[]])[] = [
  ["switches on", dimmableLamp, { isOn: true }, {}, ["on {}"]],
  ["switches off", dimmableLamp, { isOn: false }, {}, ["off {}"]],
  ["leaves a fade to off to the lamp", dimmableLamp, { isOn: false, transitionMsec: 5000 }, {}, ["off {}"]],
  [
    "switches on and sets a brightness with one frame",
    dimmableLamp,
    { isOn: true, brightness: 1 },
    {},
    ['moveToLevelWithOnOff {"level":254,"transtime":0}'],
  ],
  [
    "fades on to the previous level",
    dimmableLamp,
    { isOn: true, transitionMsec: 2000 },
    { brightness: 0.5 },
    ['moveToLevelWithOnOff {"level":128,"transtime":20}'],
  ],
  [
    "switches on without a fade when the level is unknown",
    dimmableLamp,
    { isOn: true, transitionMsec: 2000 },
    {},
    ["on {}"],
  ],
  [
    "sets the lowest brightness",
    dimmableLamp,
    { brightness: 0 },
    { isOn: true },
    ['moveToLevel {"level":1,"transtime":0}'],
  ],
  [
    "sets a level without switching the lamp on",
    dimmableLamp,
    { brightness: 0.5 },
    { isOn: false },
    ['moveToLevel {"level":128,"transtime":0,"optionsMask":1,"optionsOverride":1}'],
  ],
  [
    "switches off and sets a level for later",
    dimmableLamp,
    { isOn: false, brightness: 0 },
    { isOn: true },
    ["off {}", 'moveToLevel {"level":1,"transtime":0,"optionsMask":1,"optionsOverride":1}'],
  ],
  [
    "sends a transition in tenths of a second",
    dimmableLamp,
    { brightness: 1, transitionMsec: 1240 },
    {},
    ['moveToLevel {"level":254,"transtime":12}'],
  ],
  [
    "rounds a short transition up",
    dimmableLamp,
    { brightness: 1, transitionMsec: 10 },
    {},
    ['moveToLevel {"level":254,"transtime":1}'],
  ],
  [
    "sends the hub's longest transition",
    dimmableLamp,
    { brightness: 1, transitionMsec: 3_600_000 },
    {},
    ['moveToLevel {"level":254,"transtime":36000}'],
  ],
  ["sets a white", whiteLamp, { temperature: 2700 }, {}, ['moveToColorTemp {"colortemp":370,"transtime":0}']],
  [
    "clips a white to the lamp's range",
    whiteLamp,
    { temperature: 6500 },
    {},
    ['moveToColorTemp {"colortemp":250,"transtime":0}'],
  ],
  [
    "sends a colour as x and y",
    colorLamp,
    { hue: 0, saturation: 1 },
    {},
    ['moveToColor {"colorx":41943,"colory":21627,"transtime":0}'],
  ],
  [
    "keeps the saturation when only the hue is set",
    colorLamp,
    { hue: 0 },
    { saturation: 0 },
    ['moveToColor {"colorx":20495,"colory":21563,"transtime":0}'],
  ],
  [
    "ignores the -1 of the other colour mode",
    hueLamp,
    { hue: -1, saturation: -1, temperature: 2700, colorMode: "ct" },
    {},
    ['moveToColorTemp {"colortemp":370,"transtime":0}'],
  ],
  [
    "follows the explicit colour mode when both are given",
    hueLamp,
    { hue: 0, saturation: 1, temperature: 2700, colorMode: "hs" },
    {},
    ['moveToColor {"colorx":41943,"colory":21627,"transtime":0}'],
  ],
  [
    "restores the last white when only the mode is set",
    hueLamp,
    { colorMode: "ct" },
    { temperature: 4000 },
    ['moveToColorTemp {"colortemp":250,"transtime":0}'],
  ],
  [
    "switches on before it sets the colour",
    hueLamp,
    { isOn: true, brightness: 0.2, temperature: 2700, transitionMsec: 500 },
    { isOn: false },
    ['moveToLevelWithOnOff {"level":52,"transtime":5}', 'moveToColorTemp {"colortemp":370,"transtime":5}'],
  ],
  ["switches a socket on", outlet, { isOn: true }, {}, ["on {}"]],
  ["opens a blind", blind, { position: 1 }, {}, ['goToLiftPercentage {"percentageliftvalue":0}']],
  ["stops a blind", blind, { stop: true }, {}, ["stop {}"]],
  [
    "inverts the percentage of a curtain",
    curtainModule,
    { liftPct: 10 },
    {},
    ['goToLiftPercentage {"percentageliftvalue":90}'],
  ],
  [
    "prefers `position` over `liftPct`",
    blind,
    { position: 0.5, liftPct: 10 },
    {},
    ['goToLiftPercentage {"percentageliftvalue":50}'],
  ],
  [
    "sets a heating mode and its setpoint together",
    radiator,
    { mode: 2, targetTemperature: 21.5 },
    {},
    ['{"systemMode":4,"occupiedHeatingSetpoint":2150}'],
  ],
  ["sends nothing for a mode that the heater does not have", radiator, { mode: 3 }, {}, []],
  [
    "accepts the setpoint under its other name",
    radiator,
    { targetTemp: 19 },
    {},
    ['{"occupiedHeatingSetpoint":1900}'],
  ],
  [
    "unlocks a lock",
    models.lock,
    { locked: false },
    {},
    ['unlockDoor {"pincodevalue":{"type":"Buffer","data":[]}}'],
  ],
  ["sets a fan's mode", models.purifier, { fanMode: 5 }, {}, ['{"fanMode":5}']],
  ["sends nothing for unsupported attributes", outlet, { position: 1, mode: 2 }, {}, []],
];

for (const [name, node, wanted, before, expected] of rows) {
  test(name, () => assert.deepEqual(sent(node, wanted, before), expected));
}

test("sets the cooling setpoint of a device that cools", () => {
  const row = { device: 0x0301, in: [0x0201] };
  const values = (ctrlSeqeOfOper: number) => ({ hvacThermostat: { ctrlSeqeOfOper } });
  const cooler = nodeFacts([{ ...row, values: values(0) }]);
  assert.deepEqual(sent(cooler, { targetTemperature: 18 }), ['{"occupiedCoolingSetpoint":1800}']);
  const both = nodeFacts([{ ...row, values: values(4) }]);
  assert.deepEqual(sent(both, { targetTemperature: 18 }, { mode: 3 }), ['{"occupiedCoolingSetpoint":1800}']);
  assert.deepEqual(sent(both, { targetTemperature: 18, mode: 2 }, { mode: 3 }), [
    '{"systemMode":4,"occupiedHeatingSetpoint":1800}',
  ]);
});

test("tilts blinds", () => {
  const row = { device: 0x0202, in: [0x0102] };
  const values = (windowCoveringType: number) => ({ closuresWindowCovering: { windowCoveringType } });
  const slats = nodeFacts([{ ...row, values: values(8) }]);
  assert.deepEqual(sent(slats, { position: 0, tiltPct: 25 }), [
    'goToLiftPercentage {"percentageliftvalue":100}',
    'goToTiltPercentage {"percentagetiltvalue":75}',
  ]);
  const shutter = unitOf(nodeFacts([{ ...row, values: values(6) }]));
  assert.ok(shutter.capabilities.includes("TILT") && !shutter.capabilities.includes("LIFT"));
});

test("a siren sounds for at most half an hour, and its state is assumed", () => {
  const siren = unitOf(models.siren);
  assert.deepEqual(sent(models.siren, { isOn: true }), [
    'startWarning {"startwarninginfo":23,"warningduration":1800,"strobedutycycle":50,"strobelevel":3}',
  ]);
  assert.deepEqual(sent(models.siren, { sirenOn: false }), [
    'startWarning {"startwarninginfo":0,"warningduration":0,"strobedutycycle":0,"strobelevel":0}',
  ]);
  const off = { isOn: false, sirenOn: false };
  assert.deepEqual(assumedAfter(siren, { isOn: true }), {
    attributes: { isOn: true, sirenOn: true },
    until: { ms: 1_800_000, attributes: off },
  });
  assert.deepEqual(assumedAfter(siren, { isOn: false }), { attributes: off });
  assert.equal(assumedAfter(siren, {}), undefined);
  assert.equal(assumedAfter(unitOf(outlet), { isOn: true }), undefined);
});

test("a siren that tells how long it can sound is told to sound no longer", () => {
  for (const [maxDuration, seconds] of [
    [240, 240],
    [1, 1],
    [1800, 1800],
    [7200, 1800],
    [0xfffe, 1800],
    [0, 1800],
    [0xffff, 1800],
    ["240", 1800],
  ]) {
    const values = { ssIasWd: { maxDuration } };
    const node = nodeFacts([{ device: 0x0403, in: [0x0502], values }]);
    assert.match(String(sent(node, { isOn: true })), new RegExp(`"warningduration":${seconds},`));
    assert.equal(assumedAfter(unitOf(node), { isOn: true })?.until?.ms, Number(seconds) * 1000);
  }
});

test("distinguishes a siren from the socket it is built into", () => {
  const node = nodeFacts([{ device: 0x0051, in: [0x0006, 0x0502] }]);
  assert.deepEqual(sent(node, { isOn: true }), ["on {}"]);
  assert.match(String(sent(node, { sirenOn: true })), /^startWarning/);
  assert.deepEqual(assumedAfter(unitOf(node), { sirenOn: false }), { attributes: { sirenOn: false } });
});

test("identifies a device through the endpoint that supports it", () => {
  const payload = { identifytime: 10 };
  const frame = { kind: "command", endpoint: 11, cluster: "genIdentify", name: "identify", payload };
  assert.deepEqual(identifyFrames(unitOf(hueLamp)), [frame]);
  assert.deepEqual(identifyFrames(unitOf(models.tuyaAir)), []);
});
