import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  blinds,
  colourLamp,
  contact,
  given,
  lamp,
  motion,
  player,
  remote,
  reported,
  siren,
  smoke,
  socket,
  thermostat,
  twilight,
} from "@ledge/testkit";
import fc from "fast-check";
import { attributes } from "./capability.ts";
import type { StatefulDevice } from "./device-state.ts";
import { hasPulse, stateAndPress, reportedChanges, settableAttributes } from "./device-state.ts";

/** Returns a device after a report. */
function device(added: typeof lamp, attributesNow: Readonly<Record<string, unknown>> = {}): StatefulDevice {
  const { id } = added;
  const state = given([added, reported(id, attributesNow)]).state("device", id);
  assert.ok(state);
  return state;
}

const white = {
  colorMode: "ct",
  temperature: 2202.643171806167,
  hue: -1,
  saturation: -1,
  brightness: 0.5,
  isOn: true,
};
const coloured = { ...white, colorMode: "hs", temperature: -1, hue: 0.5, saturation: 1 };

describe("settableAttributes", () => {
  const accepted: readonly [string, StatefulDevice, Record<string, unknown>, Record<string, unknown>][] = [
    ["sets the named attributes", device(lamp), { isOn: true, brightness: 0 }, { isOn: true, brightness: 0 }],
    ["accepts the type of the state", device(lamp), { type: "STATE_LIGHT", isOn: false }, { isOn: false }],
    ["accepts a null type", device(lamp), { type: null, isOn: false }, { isOn: false }],
    [
      "leaves null and missing attributes unchanged",
      device(lamp),
      { isOn: null, brightness: 1 },
      { brightness: 1 },
    ],
    [
      "accepts a whole state from a client that sets one attribute",
      device(lamp, white),
      {
        type: "STATE_LIGHT",
        isOn: null,
        brightness: null,
        colorMode: "ct",
        hue: null,
        saturation: null,
        temperature: 2600,
        minTemperature: null,
        maxTemperature: null,
        transitionMsec: 0,
        reachable: null,
        lastSeen: null,
      },
      { colorMode: "ct", temperature: 2600, transitionMsec: 0 },
    ],
    [
      "accepts the whole state of a lamp in white",
      device(colourLamp, white),
      { ...device(colourLamp, white).state },
      white,
    ],
    [
      "accepts the whole state of a lamp in colour",
      device(colourLamp, coloured),
      { ...device(colourLamp, coloured).state },
      coloured,
    ],
    [
      "accepts the whole state of a lamp without colours",
      device(lamp, white),
      { ...device(lamp, white).state },
      { colorMode: "ct", temperature: 2202.643171806167, brightness: 0.5, isOn: true },
    ],
    [
      "ignores read-only and unknown attributes",
      device(lamp),
      { isOn: true, reachable: false, lastSeen: 0, minTemperature: 1, maxTemperature: 2, colour: "red" },
      { isOn: true },
    ],
    ["accepts floats", device(lamp), { temperature: 2202.643171806167 }, { temperature: 2202.643171806167 }],
    [
      "sets the setpoint under both its names",
      device(thermostat),
      { targetTemp: 21 },
      { targetTemp: 21, targetTemperature: 21 },
    ],
    [
      "sets the setpoint by its other name too",
      device(thermostat),
      { targetTemperature: 19.5 },
      { targetTemp: 19.5, targetTemperature: 19.5 },
    ],
    [
      "prefers the changed one of the setpoint's names",
      device(thermostat, { targetTemp: 21 }),
      { ...device(thermostat, { targetTemp: 21 }).state, targetTemp: 23 },
      { targetTemp: 23, targetTemperature: 23 },
    ],
    [
      "prefers the changed one of the setpoint's names, the other way round",
      device(thermostat, { targetTemp: 21 }),
      { ...device(thermostat, { targetTemp: 21 }).state, targetTemperature: 23 },
      { targetTemp: 23, targetTemperature: 23 },
    ],
    [
      "does not set the air temperature",
      device(thermostat),
      { temperature: 30, targetTemp: 5 },
      { targetTemp: 5, targetTemperature: 5 },
    ],
    [
      "sets only a changed lift of blinds, not their old position",
      device(blinds, { position: 0.5, liftPct: 50 }),
      { position: 0.5, liftPct: 80 },
      { liftPct: 80 },
    ],
    [
      "sets only a changed position of blinds, not their old lift",
      device(blinds, { position: 0.5, liftPct: 50 }),
      { position: 0.75, liftPct: 50 },
      { position: 0.75 },
    ],
    [
      "sets a part of a player's sound",
      device(player),
      { rcData: { type: "MR_RC_DATA", volume: 30 } },
      { rcData: { type: "MR_RC_DATA", volume: 30 } },
    ],
    [
      "leaves out a nested object that the device cannot set",
      device(lamp, { rcData: { volume: 3 } }),
      { isOn: true, rcData: { volume: 3 } },
      { isOn: true },
    ],
    [
      "sounds a siren by either name",
      device(siren),
      { sirenOn: true, isOn: true },
      { sirenOn: true, isOn: true },
    ],
  ];
  for (const [what, of, requested, wanted] of accepted) {
    test(what, () => assert.deepEqual(settableAttributes(of, Object.freeze(requested)), wanted));
  }

  const refused: readonly [string, StatefulDevice, Record<string, unknown>, string][] = [
    ["another type", device(lamp), { type: "STATE_SOCKET", isOn: true }, "state.type"],
    ["a missing capability", device(socket), { isOn: true, brightness: 0.5 }, "state.brightness"],
    ["a colour on a white lamp", device(lamp), { hue: 1 }, "state.hue"],
    ["a colour mode on a white lamp", device(lamp), { colorMode: "hs" }, "state.colorMode"],
    ["an unknown colour mode", device(colourLamp), { colorMode: "xy" }, "state.colorMode"],
    ["too bright", device(lamp), { brightness: 1.01 }, "state.brightness"],
    ["darker than dark", device(lamp), { brightness: -1 }, "state.brightness"],
    ["text for a number", device(lamp), { brightness: "0.5" }, "state.brightness"],
    ["a number for a boolean", device(lamp), { isOn: 1 }, "state.isOn"],
    ["too cold a light", device(lamp), { temperature: 0 }, "state.temperature"],
    ["too warm a light", device(lamp), { temperature: 1_000_001 }, "state.temperature"],
    ["more than a full turn", device(colourLamp), { hue: 6.2832 }, "state.hue"],
    ["too slow", device(colourLamp), { transitionMsec: 3_600_001 }, "state.transitionMsec"],
    ["too hot", device(thermostat), { targetTemp: 150.1 }, "state.targetTemp"],
    ["too loud", device(player), { rcData: { volume: 101 } }, "state.rcData"],
    ["nothing", device(lamp), {}, "state"],
    ["only a transition time", device(lamp), { transitionMsec: 5 }, "state"],
    [
      "a mode of ventilation for heating",
      device({ ...thermostat, capabilities: ["HVAC"] }),
      { mode: 4 },
      "state.mode",
    ],
    ["only nulls", device(lamp), { isOn: null }, "state"],
    ["a sensor's values", device(motion), { type: "STATE_MOTION", motion: true, reachable: true }, "state"],
  ];
  for (const [what, of, requested, field] of refused) {
    test(`refuses ${what}`, () => {
      const rejection = settableAttributes(of, requested);
      assert.ok("rejected" in rejection && "field" in rejection);
      assert.deepEqual([rejection.rejected, rejection.field], ["invalid", field]);
    });
  }

  test("accepts the limits of every attribute", () => {
    for (const [of, requested] of [
      [lamp, { brightness: 1 }],
      [lamp, { temperature: 1_000_000 }],
      [lamp, { temperature: 0.001 }],
      [colourLamp, { hue: 2 * Math.PI }],
      [colourLamp, { hue: -1, saturation: -1 }],
      [lamp, { isOn: true, transitionMsec: 3_600_000 }],
      [thermostat, { targetTemp: -50 }],
      [thermostat, { targetTemp: 150 }],
      [{ ...thermostat, capabilities: ["HVAC"] }, { mode: 3 }],
      [{ ...thermostat, capabilities: ["HVAC"] }, { mode: 6 }],
      [{ ...thermostat, capabilities: ["VU"] }, { mode: 4 }],
      [player, { rcData: { volume: 0, bass: -10, treble: 10, mute: null } }],
    ] as const) {
      assert.ok(!("rejected" in settableAttributes(device(of), requested)), JSON.stringify(requested));
    }
  });

  test("ignores names of a prototype", () => {
    const requested = JSON.parse('{"__proto__": {"isOn": true}, "constructor": 1, "toString": 2}') as object;
    const rejection = settableAttributes(device(lamp), requested as Record<string, unknown>);
    assert.deepEqual("rejected" in rejection && rejection.message, "nothing that this device can set");
  });
});

describe("reportedChanges", () => {
  const at = 700;
  const cases: readonly [string, StatefulDevice, Record<string, unknown>, Record<string, unknown>][] = [
    ["leaves out known values", device(lamp, { isOn: true }), { isOn: true }, {}],
    [
      "returns what differs",
      device(lamp, { isOn: true, brightness: 0.1 }),
      { isOn: true, brightness: 0.2 },
      { brightness: 0.2 },
    ],
    ["returns nothing for an empty report", device(lamp), {}, {}],
    [
      "leaves out invalid values and unknown attributes",
      device(lamp),
      { brightness: 2, isOn: "on", colour: 5 },
      {},
    ],
    ["ignores a reported lastSeen and transition time", device(lamp), { lastSeen: 5, transitionMsec: 5 }, {}],
    [
      "compares nested values by content",
      device(player, { rcData: { volume: 1 } }),
      { rcData: { volume: 1 } },
      {},
    ],
    [
      "returns a changed nested value as a whole",
      device(player, { rcData: { volume: 1 } }),
      { rcData: { mute: true } },
      { rcData: { mute: true } },
    ],
    [
      "turns a negative zero into zero, as JSON has no other",
      device(thermostat),
      { temperature: -0 },
      { temperature: 0 },
    ],
    ["leaves out null for an attribute without a value", device(lamp), { brightness: null }, {}],
    [
      "returns a setpoint under both its names",
      device(thermostat),
      { targetTemp: 21 },
      { targetTemp: 21, targetTemperature: 21 },
    ],
    [
      "accepts a sensor's temperature below zero",
      device(thermostat),
      { temperature: -12.5 },
      { temperature: -12.5 },
    ],
    [
      "accepts -1 as a lamp's temperature in another colour mode",
      device(colourLamp),
      { temperature: -1 },
      { temperature: -1 },
    ],
    ["refuses a lamp's temperature below zero", device(colourLamp), { temperature: -12.5 }, {}],

    ["returns every press", device(remote, { button: 2 }), { button: 2 }, { button: 2 }],
    [
      "leaves out repeated modifiers",
      device(remote, { modifiers: ["longpress"] }),
      { modifiers: ["longpress"] },
      {},
    ],

    ["adds the time of motion", device(motion), { motion: true }, { motion: true, lastMotion: at }],
    [
      "adds the time of repeated motion",
      device(motion, { motion: true }),
      { motion: true },
      { lastMotion: at },
    ],
    ["adds no time when motion ends", device(motion, { motion: true }), { motion: false }, { motion: false }],
    [
      "keeps the sensor's own time of motion",
      device(motion),
      { motion: true, lastMotion: 600 },
      { motion: true, lastMotion: 600 },
    ],
    ["adds the time when a door opens", device(contact), { open: true }, { open: true, lastChange: at }],
    [
      "adds the time when a door closes",
      device(contact, { open: true }),
      { open: false },
      { open: false, lastChange: at },
    ],
    ["leaves out a door's unchanged state", device(contact, { open: true }), { open: true }, {}],
    [
      "adds when smoke began and when it was last seen",
      device(smoke),
      { alert: true },
      { alert: true, alertAt: at, alertStartAt: at },
    ],
    ["keeps the time when smoke began", device(smoke, { alert: true }), { alert: true }, { alertAt: at }],
    ["keeps both times when smoke ends", device(smoke, { alert: true }), { alert: false }, { alert: false }],
    ["adds the time of dusk", device(twilight), { twilight: true }, { twilight: true, twilightStart: at }],
    [
      "adds the time of dawn",
      device(twilight, { twilight: true }),
      { twilight: false },
      { twilight: false, twilightStop: at },
    ],
    ["adds no time of dawn at a first daylight", device(twilight), { twilight: false }, {}],
    ["adds the time when a socket switches", device(socket), { isOn: true }, { isOn: true, lastChange: at }],
    ["adds no time for a lamp, which has none", device(lamp), { isOn: true }, { isOn: true }],
  ];
  for (const [what, of, report, changes] of cases) {
    test(what, () => assert.deepEqual(reportedChanges(of, Object.freeze(report), at), changes));
  }

  test("returns nothing for a repeated report, except for presses and times", () => {
    const names = Object.keys(attributes).filter((name) => !["button", "lastSeen"].includes(name));
    const value = fc.oneof(
      fc.boolean(),
      fc.double(),
      fc.string(),
      fc.constant(null),
      fc.integer(),
      fc.constant(-1),
    );
    const report = fc.dictionary(fc.constantFrom(...names), value, { noNullPrototype: true });
    const added = fc.constantFrom(lamp, colourLamp, socket, thermostat, motion, contact, twilight, player);
    fc.assert(
      fc.property(added, report, (of, said) => {
        const before = device(of);
        const changes = reportedChanges(before, said, at);
        const after = { ...before, state: { ...before.state, ...changes } };
        const again = reportedChanges(after, said, at + 1);
        const times = new Set(["lastMotion", "alertAt", "moistureAt", "coAt"]);
        assert.deepEqual(
          Object.keys(again).filter((name) => !times.has(name)),
          [],
        );
      }),
    );
  });
});

test("hasPulse is true when one of the attributes is a pulse", () => {
  for (const [names, urgent] of [
    [["temperature", "humidity"], false],
    [["temperature", "motion"], true],
    [["isOn"], true],
    [["button"], true],
    [["brightness"], false],
    [[], false],
    [["colour", "constructor", "__proto__"], false],
  ] as const) {
    assert.equal(hasPulse(Object.fromEntries(names.map((name) => [name, 1]))), urgent, names.join());
  }
});

test("stateAndPress splits a press and its modifiers from the state", () => {
  const press = { button: 1, modifiers: ["longpress"] };
  const state = { battery: 0.5, colour: 1 };
  assert.deepEqual(stateAndPress({ ...press, ...state }), { state, press });
  assert.deepEqual(stateAndPress({}), { state: {}, press: {} });
  assert.deepEqual(stateAndPress({ modifiers: [] }), { state: { modifiers: [] }, press: {} });
});
