import { commandClass } from "./command-class.ts";
import type { ValueRow } from "./row.ts";
import { numberIn } from "./value.ts";

/** Types of setpoints. */
export const setpoint = { heating: 1, cooling: 2 } as const;

/** The hub's modes (0 off, 1 auto, 2 heat, 3 cool, 5 fan only, 6 dry) by those of Z-Wave. */
const hubModes: Readonly<Record<number, number>> = {
  0: 0,
  1: 2,
  2: 3,
  3: 1,
  6: 5,
  8: 6,
  10: 1,
  11: 2,
  12: 3,
};
/** Z-Wave's modes by those of the hub. */
export const deviceModes: Readonly<Record<number, number>> = { 0: 0, 1: 3, 2: 1, 3: 2, 5: 6, 6: 8 };

/** The hub's fan modes (0 off, 1 low, 2 medium, 3 high, 5 auto) by those of Z-Wave. */
const hubFanModes: Readonly<Record<number, number>> = { 0: 5, 1: 1, 2: 5, 3: 3, 4: 5, 5: 2 };
/** Z-Wave's fan modes by those of the hub. */
export const deviceFanModes: Readonly<Record<number, number>> = { 1: 1, 2: 5, 3: 3, 5: 0 };

const workings: Readonly<Record<number, string>> = { 0: "idle", 1: "heat", 2: "cool", 3: "fan_only" };

const setpointRow = (propertyKey: number): ValueRow => ({
  commandClass: commandClass.setpoint,
  property: "setpoint",
  propertyKey,
  capabilities: () => ["THERMOSTAT", "CONTROL_TEMPERATURE"],
  attributes({ value, unit }) {
    const read = numberIn(value, -100, 300);
    if (read === undefined) return {};
    const degrees = unit === "°F" ? ((read - 32) * 5) / 9 : read;
    const target = numberIn(Math.round(degrees * 10) / 10, -50, 150);
    return target === undefined ? {} : { targetTemp: target, targetTemperature: target };
  },
});

export const climate: readonly ValueRow[] = [
  setpointRow(setpoint.heating),
  setpointRow(setpoint.cooling),
  {
    commandClass: commandClass.mode,
    property: "mode",
    capabilities: () => ["HVAC", "CONTROL_MODE"],
    attributes({ value }) {
      const mode = typeof value === "number" ? hubModes[value] : undefined;
      return mode === undefined ? {} : { mode };
    },
  },
  {
    commandClass: commandClass.fanMode,
    property: "mode",
    capabilities: () => ["FAN_MODE"],
    attributes({ value }) {
      const fanMode = typeof value === "number" ? hubFanModes[value] : undefined;
      return fanMode === undefined ? {} : { fanMode };
    },
  },
  {
    commandClass: commandClass.fanMode,
    property: "off",
    capabilities: () => [],
    attributes: ({ value }) => (value === true ? { fanMode: 0 } : {}),
  },
  {
    commandClass: commandClass.operatingState,
    property: "state",
    capabilities: () => ["RUNNING_STATE"],
    attributes({ value }) {
      const runningState = typeof value === "number" ? workings[value] : undefined;
      return runningState === undefined ? {} : { runningState };
    },
  },
];
