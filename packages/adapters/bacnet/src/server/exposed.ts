import type { AttributeName, Capability } from "@ledge/model";
import { attribute } from "@ledge/model";
import type { ObjectType } from "../map/object-type.ts";
import { engineeringUnits as units } from "../map/units.ts";

/** A device of the hub, as its clients see it. */
export interface ServedDevice {
  readonly id: string;
  readonly name: string;
  readonly class: string;
  readonly capabilities: readonly string[];
  /** Attributes by name. */
  readonly state: Readonly<Record<string, unknown>>;
}

/** A device of the hub; `hidden`: it is not shown, and may be again; null: it is gone. */
export type ServedEntry = readonly [id: string, device: ServedDevice | "hidden" | null];

/** One attribute of a device as an object, before it has a number. */
export interface Exposed {
  readonly attribute: AttributeName;
  readonly type: ObjectType;
  readonly unit: number;
  /** The object's value for 1 of the attribute's. */
  readonly scale: number;
  /** Of a multi-state object. */
  readonly states: number;
  /** A smaller change is not notified. */
  readonly covIncrement: number;
  readonly commandable: boolean;
}

interface AnalogRow {
  readonly unit: number;
  readonly scale?: number;
  readonly covIncrement: number;
  /** Of a commandable object: a setpoint is a value, a position is an output. */
  readonly commands?: "analogOutput" | "analogValue";
}

const analog: Readonly<Partial<Record<AttributeName, AnalogRow>>> = {
  temperature: { unit: units.degreesCelsius, covIncrement: 0.1 },
  humidity: { unit: units.percentRelativeHumidity, covIncrement: 0.5 },
  lux: { unit: units.luxes, covIncrement: 5 },
  co2Ppm: { unit: units.partsPerMillion, covIncrement: 10 },
  vocPpm: { unit: units.partsPerMillion, covIncrement: 0.01 },
  pm25: { unit: units.microgramsPerCubicMeter, covIncrement: 1 },
  pressure: { unit: units.pascals, covIncrement: 10 },
  soilMoisture: { unit: units.percent, covIncrement: 0.5 },
  battery: { unit: units.percent, covIncrement: 1 },
  batteryV: { unit: units.volts, covIncrement: 0.05 },
  activePower: { unit: units.watts, covIncrement: 1 },
  power: { unit: units.watts, covIncrement: 1 },
  totalPower: { unit: units.kilowattHours, covIncrement: 0.01 },
  powerToday: { unit: units.kilowattHours, covIncrement: 0.01 },
  voltage: { unit: units.volts, covIncrement: 0.5 },
  current: { unit: units.amperes, covIncrement: 0.05 },
  frequency: { unit: units.hertz, covIncrement: 0.05 },
  flow: { unit: units.litersPerHour, covIncrement: 1 },
  volume: { unit: units.liters, covIncrement: 1 },
  flowTemp: { unit: units.degreesCelsius, covIncrement: 0.1 },
  deviceTemperature: { unit: units.degreesCelsius, covIncrement: 0.5 },
  freshTemperature: { unit: units.degreesCelsius, covIncrement: 0.1 },
  supplyTemperature: { unit: units.degreesCelsius, covIncrement: 0.1 },
  extractTemperature: { unit: units.degreesCelsius, covIncrement: 0.1 },
  heatingDemand: { unit: units.percent, scale: 100, covIncrement: 1 },
  rssi: { unit: units.noUnits, covIncrement: 3 },
  brightness: { unit: units.percent, scale: 100, covIncrement: 1, commands: "analogOutput" },
  liftPct: { unit: units.percent, covIncrement: 1, commands: "analogOutput" },
  tiltPct: { unit: units.percent, covIncrement: 1, commands: "analogOutput" },
  openPct: { unit: units.percent, covIncrement: 1, commands: "analogOutput" },
  targetTemp: { unit: units.degreesCelsius, covIncrement: 0.1, commands: "analogValue" },
};

/**
 * Attributes that are on or off; those of locks, cameras and alarm devices cannot be commanded, as BACnet/IP knows
 * no users.
 */
const binary: Readonly<Partial<Record<AttributeName, { readonly commands?: true }>>> = {
  isOn: { commands: true },
  sirenOn: {},
  fn_fireplace: { commands: true },
  motion: {},
  open: {},
  moisture: {},
  alert: {},
  coDetected: {},
  twilight: {},
  locked: {},
  tamper: {},
  windowOpen: {},
  batteryLow: {},
  lowTemp: {},
  highTemp: {},
};

interface ChoiceRow {
  /** The attribute's 0 is state 1. */
  readonly states: number;
  readonly commands: "multiStateOutput" | "multiStateValue";
}

const choices: Readonly<Partial<Record<AttributeName, ChoiceRow>>> = {
  mode: { states: 7, commands: "multiStateOutput" },
  fanMode: { states: 7, commands: "multiStateOutput" },
  preset: { states: 3, commands: "multiStateValue" },
};

/** Returns the objects of a device: one for each attribute that it shows. */
export function exposedBy({ class: kind, capabilities, state }: ServedDevice): readonly Exposed[] {
  const settable = (name: AttributeName): boolean => {
    const by: readonly Capability[] = attribute(name)?.settableBy ?? [];
    return by.some((capability) => capabilities.includes(capability));
  };
  // Nobody may silence or sound a siren who cannot be named.
  const isAlarm = kind === "ALARM_DEVICE" || capabilities.includes("GENERATE_ALERT");
  const plain = { unit: units.noUnits, scale: 1, states: 0, covIncrement: 0, commandable: false };
  const exposed: Exposed[] = [];
  for (const key of Object.keys(state)) {
    const name = key as AttributeName;
    // A lamp's temperature is that of its colour (wire-facts 1.1).
    const isColour = kind === "LIGHT" && name === "temperature";
    const row = Object.hasOwn(analog, name) ? analog[name] : undefined;
    if (isColour) {
      const commandable = capabilities.includes("COLOR_TEMP");
      const type = commandable ? "analogValue" : "analogInput";
      exposed.push({ ...plain, attribute: name, type, unit: units.kelvin, covIncrement: 10, commandable });
    } else if (row !== undefined) {
      const commandable = row.commands !== undefined && settable(name);
      const type = commandable && row.commands !== undefined ? row.commands : "analogInput";
      const { scale = 1, covIncrement } = row;
      exposed.push({ ...plain, attribute: name, type, unit: row.unit, scale, covIncrement, commandable });
    } else if (Object.hasOwn(binary, name)) {
      const commandable = binary[name]?.commands === true && !isAlarm && settable(name);
      exposed.push({
        ...plain,
        attribute: name,
        type: commandable ? "binaryOutput" : "binaryInput",
        commandable,
      });
    } else {
      const choice = Object.hasOwn(choices, name) ? choices[name] : undefined;
      if (choice === undefined) continue;
      const commandable = settable(name);
      const type = commandable ? choice.commands : "multiStateInput";
      exposed.push({ ...plain, attribute: name, type, states: choice.states, commandable });
    }
  }
  return exposed;
}
