import type { AttributeName, Capability } from "@ledge/model";
import { attribute } from "@ledge/model";
import type { ObjectType } from "../map/object-type.ts";

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

const unit = {
  degreesCelsius: 62,
  kelvin: 63,
  percent: 98,
  percentRelativeHumidity: 29,
  luxes: 37,
  partsPerMillion: 96,
  pascals: 53,
  volts: 5,
  amperes: 3,
  hertz: 27,
  watts: 47,
  kilowattHours: 19,
  litersPerHour: 136,
  liters: 82,
  microgramsPerCubicMeter: 219,
  none: 95,
} as const;

interface AnalogRow {
  readonly unit: number;
  readonly scale?: number;
  readonly covIncrement: number;
  /** Of a commandable object: a setpoint is a value, a position is an output. */
  readonly commands?: "analogOutput" | "analogValue";
}

const analog: Readonly<Partial<Record<AttributeName, AnalogRow>>> = {
  temperature: { unit: unit.degreesCelsius, covIncrement: 0.1 },
  humidity: { unit: unit.percentRelativeHumidity, covIncrement: 0.5 },
  lux: { unit: unit.luxes, covIncrement: 5 },
  co2Ppm: { unit: unit.partsPerMillion, covIncrement: 10 },
  vocPpm: { unit: unit.partsPerMillion, covIncrement: 0.01 },
  pm25: { unit: unit.microgramsPerCubicMeter, covIncrement: 1 },
  pressure: { unit: unit.pascals, covIncrement: 10 },
  soilMoisture: { unit: unit.percent, covIncrement: 0.5 },
  battery: { unit: unit.percent, covIncrement: 1 },
  batteryV: { unit: unit.volts, covIncrement: 0.05 },
  activePower: { unit: unit.watts, covIncrement: 1 },
  power: { unit: unit.watts, covIncrement: 1 },
  totalPower: { unit: unit.kilowattHours, covIncrement: 0.01 },
  powerToday: { unit: unit.kilowattHours, covIncrement: 0.01 },
  voltage: { unit: unit.volts, covIncrement: 0.5 },
  current: { unit: unit.amperes, covIncrement: 0.05 },
  frequency: { unit: unit.hertz, covIncrement: 0.05 },
  flow: { unit: unit.litersPerHour, covIncrement: 1 },
  volume: { unit: unit.liters, covIncrement: 1 },
  flowTemp: { unit: unit.degreesCelsius, covIncrement: 0.1 },
  deviceTemperature: { unit: unit.degreesCelsius, covIncrement: 0.5 },
  freshTemperature: { unit: unit.degreesCelsius, covIncrement: 0.1 },
  supplyTemperature: { unit: unit.degreesCelsius, covIncrement: 0.1 },
  extractTemperature: { unit: unit.degreesCelsius, covIncrement: 0.1 },
  heatingDemand: { unit: unit.percent, scale: 100, covIncrement: 1 },
  rssi: { unit: unit.none, covIncrement: 3 },
  brightness: { unit: unit.percent, scale: 100, covIncrement: 1, commands: "analogOutput" },
  liftPct: { unit: unit.percent, covIncrement: 1, commands: "analogOutput" },
  tiltPct: { unit: unit.percent, covIncrement: 1, commands: "analogOutput" },
  openPct: { unit: unit.percent, covIncrement: 1, commands: "analogOutput" },
  targetTemp: { unit: unit.degreesCelsius, covIncrement: 0.1, commands: "analogValue" },
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
  const plain = { unit: unit.none, scale: 1, states: 0, covIncrement: 0, commandable: false };
  const exposed: Exposed[] = [];
  for (const key of Object.keys(state)) {
    const name = key as AttributeName;
    // A lamp's temperature is that of its colour (wire-facts 1.1).
    const isColour = kind === "LIGHT" && name === "temperature";
    const row = Object.hasOwn(analog, name) ? analog[name] : undefined;
    if (isColour) {
      const commandable = capabilities.includes("COLOR_TEMP");
      const type = commandable ? "analogValue" : "analogInput";
      exposed.push({ ...plain, attribute: name, type, unit: unit.kelvin, covIncrement: 10, commandable });
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
