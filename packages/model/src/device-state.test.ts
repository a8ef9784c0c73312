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
import { hasPulse, reportedChanges, settableAttributes } from "./device-state.ts";

/** A device as it is after reports. */
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

describe("a requested state", () => {
  const accepted: readonly [string, StatefulDevice, Record<string, unknown>, Record<string, unknown>][] = [
    ["sets what it names", device(lamp), { isOn: true, brightness: 0 }, { isOn: true, brightness: 0 }],
    ["may name its type", device(lamp), { type: "STATE_LIGHT", isOn: false }, { isOn: false }],
    ["may leave its type null", device(lamp), { type: null, isOn: false }, { isOn: false }],
    [
      "leaves unchanged what is null or missing",
      device(lamp),
      { isOn: null, brightness: 1 },
      { brightness: 1 },
    ],
    [
      "as a client sends it that sets one attribute",
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
      "may be sent back whole, in white",
      device(colourLamp, white),
      { ...device(colourLamp, white).state },
      white,
    ],
    [
      "may be sent back whole, in colour",
      device(colourLamp, coloured),
      { ...device(colourLamp, coloured).state },
      coloured,
    ],
    [
      "may be sent back whole to a lamp without colours",
      device(lamp, white),
      { ...device(lamp, white).state },
      { colorMode: "ct", temperature: 2202.643171806167, brightness: 0.5, isOn: true },
    ],
    [
      "ignores what can only be read, and what nobody knows",
      device(lamp),
      { isOn: true, reachable: false, lastSeen: 0, minTemperature: 1, maxTemperature: 2, colour: "red" },
      { isOn: true },
    ],
    [
      "has room for floats",
      device(lamp),
      { temperature: 2202.643171806167 },
      { temperature: 2202.643171806167 },
    ],
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
      "sent back with one of the setpoint's names changed, counts that one",
      device(thermostat, { targetTemp: 21 }),
      { ...device(thermostat, { targetTemp: 21 }).state, targetTemp: 23 },
      { targetTemp: 23, targetTemperature: 23 },
    ],
    [
      "sent back with the setpoint's other name changed, counts that one",
      device(thermostat, { targetTemp: 21 }),
      { ...device(thermostat, { targetTemp: 21 }).state, targetTemperature: 23 },
      { targetTemp: 23, targetTemperature: 23 },
    ],
    [
      "does not set the air's temperature",
      device(thermostat),
      { temperature: 30, targetTemp: 5 },
      { targetTemp: 5, targetTemperature: 5 },
    ],
    [
      "sent back with blinds' lift changed, does not hold them where they are",
      device(blinds, { position: 0.5, liftPct: 50 }),
      { position: 0.5, liftPct: 80 },
      { liftPct: 80 },
    ],
    [
      "sent back with blinds' position changed, does not hold them where they are",
      device(blinds, { position: 0.5, liftPct: 50 }),
      { position: 0.75, liftPct: 50 },
      { position: 0.75 },
    ],
    [
      "sets part of a player's sound",
      device(player),
      { rcData: { type: "MR_RC_DATA", volume: 30 } },
      { rcData: { type: "MR_RC_DATA", volume: 30 } },
    ],
    [
      "sent back with a nested object that it cannot set, leaves that out",
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
    ["a capability that is missing", device(socket), { isOn: true, brightness: 0.5 }, "state.brightness"],
    ["a colour on a white lamp", device(lamp), { hue: 1 }, "state.hue"],
    ["a colour mode on a white lamp", device(lamp), { colorMode: "hs" }, "state.colorMode"],
    ["a colour mode that is none", device(colourLamp), { colorMode: "xy" }, "state.colorMode"],
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
    ["only how fast", device(lamp), { transitionMsec: 5 }, "state"],
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
    test(`with ${what} is refused`, () => {
      const rejection = settableAttributes(of, requested);
      assert.ok("rejected" in rejection && "field" in rejection);
      assert.deepEqual([rejection.rejected, rejection.field], ["invalid", field]);
    });
  }

  test("at the edge of every bound is taken", () => {
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
      [{ ...thermostat, capabilities: ["VU"] }, { mode: 4 }],
      [player, { rcData: { volume: 0, bass: -10, treble: 10, mute: null } }],
    ] as const) {
      assert.ok(!("rejected" in settableAttributes(device(of), requested)), JSON.stringify(requested));
    }
  });

  test("with names of a prototype is not misled", () => {
    const requested = JSON.parse('{"__proto__": {"isOn": true}, "constructor": 1, "toString": 2}') as object;
    const rejection = settableAttributes(device(lamp), requested as Record<string, unknown>);
    assert.deepEqual("rejected" in rejection && rejection.message, "nothing that this device can set");
  });
});

describe("a report", () => {
  const at = 700;
  const cases: readonly [string, StatefulDevice, Record<string, unknown>, Record<string, unknown>][] = [
    ["of what is known already is no news", device(lamp, { isOn: true }), { isOn: true }, {}],
    [
      "is news where it differs",
      device(lamp, { isOn: true, brightness: 0.1 }),
      { isOn: true, brightness: 0.2 },
      { brightness: 0.2 },
    ],
    ["of nothing is no news", device(lamp), {}, {}],
    [
      "leaves out wrong values and what nobody knows",
      device(lamp),
      { brightness: 2, isOn: "on", colour: 5 },
      {},
    ],
    [
      "never says when a device was seen, nor how fast it changes",
      device(lamp),
      { lastSeen: 5, transitionMsec: 5 },
      {},
    ],
    [
      "of a nested value compares what is in it",
      device(player, { rcData: { volume: 1 } }),
      { rcData: { volume: 1 } },
      {},
    ],
    [
      "of a nested value is news as a whole",
      device(player, { rcData: { volume: 1 } }),
      { rcData: { mute: true } },
      { rcData: { mute: true } },
    ],
    [
      "of a negative zero is that of zero, as JSON has no other",
      device(thermostat),
      { temperature: -0 },
      { temperature: 0 },
    ],
    ["may be null for what is no more", device(lamp), { brightness: null }, {}],
    [
      "of a setpoint sets both its names",
      device(thermostat),
      { targetTemp: 21 },
      { targetTemp: 21, targetTemperature: 21 },
    ],
    [
      "of a sensor's temperature may be below zero",
      device(thermostat),
      { temperature: -12.5 },
      { temperature: -12.5 },
    ],
    [
      "of a lamp's temperature may be the other mode",
      device(colourLamp),
      { temperature: -1 },
      { temperature: -1 },
    ],
    ["of a lamp's temperature may not be below zero", device(colourLamp), { temperature: -12.5 }, {}],

    ["of a press is always news", device(remote, { button: 2 }), { button: 2 }, { button: 2 }],
    [
      "of the same modifiers is none",
      device(remote, { modifiers: ["longpress"] }),
      { modifiers: ["longpress"] },
      {},
    ],

    ["of motion says when", device(motion), { motion: true }, { motion: true, lastMotion: at }],
    [
      "of motion again says when again",
      device(motion, { motion: true }),
      { motion: true },
      { lastMotion: at },
    ],
    ["of no motion does not", device(motion, { motion: true }), { motion: false }, { motion: false }],
    [
      "of motion keeps the sensor's own time",
      device(motion),
      { motion: true, lastMotion: 600 },
      { motion: true, lastMotion: 600 },
    ],
    ["of a door says when it changed", device(contact), { open: true }, { open: true, lastChange: at }],
    [
      "of a door that shuts says when too",
      device(contact, { open: true }),
      { open: false },
      { open: false, lastChange: at },
    ],
    ["of a door that is as it was says nothing", device(contact, { open: true }), { open: true }, {}],
    [
      "of smoke says when it began and when it was last",
      device(smoke),
      { alert: true },
      { alert: true, alertAt: at, alertStartAt: at },
    ],
    ["of more smoke keeps when it began", device(smoke, { alert: true }), { alert: true }, { alertAt: at }],
    ["of no more smoke keeps both", device(smoke, { alert: true }), { alert: false }, { alert: false }],
    ["of dusk says when", device(twilight), { twilight: true }, { twilight: true, twilightStart: at }],
    [
      "of dawn says when",
      device(twilight, { twilight: true }),
      { twilight: false },
      { twilight: false, twilightStop: at },
    ],
    ["of a first daylight is no dawn", device(twilight), { twilight: false }, {}],
    ["of a socket says when it changed", device(socket), { isOn: true }, { isOn: true, lastChange: at }],
    ["of a lamp does not, as lamps have no such time", device(lamp), { isOn: true }, { isOn: true }],
  ];
  for (const [what, of, report, changes] of cases) {
    test(what, () => assert.deepEqual(reportedChanges(of, Object.freeze(report), at), changes));
  }

  test("that is taken is no news when it comes again, unless it is a press or a time", () => {
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

test("a report is urgent when one of its attributes is a pulse", () => {
  for (const [names, urgent] of [
    [["temperature", "humidity"], false],
    [["temperature", "motion"], true],
    [["isOn"], true],
    [["button"], true],
    [["brightness"], false],
    [[], false],
    [["colour", "constructor", "__proto__"], false],
  ] as const) {
    assert.equal(hasPulse(names), urgent, names.join());
  }
});
