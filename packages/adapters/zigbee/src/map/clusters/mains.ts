import type { Capability } from "@ledge/model";
import { powerChange } from "./scale.ts";

/** The attributes that hold a multiplier and a divisor, without these words. */
type Scale =
  | "acVoltage"
  | "acCurrent"
  | "acPower"
  | "acFrequency"
  | "power"
  | "dcVoltage"
  | "dcCurrent"
  | "dcPower";

/** A reading of the electrical cluster. */
export interface Quantity {
  /** The hub's name. */
  readonly attribute: string;
  readonly capability: Capability;
  /** The cluster's name; of a reading that each phase has, the name on the first one. */
  readonly raw: string;
  /** Its range without the invalid value. */
  readonly range: readonly [least: number, most: number];
  /** None for percent. */
  readonly scale?: Scale;
  /** The hub's units in one of the cluster, once scaled. */
  readonly unit: number;
  readonly decimals: number;
  /** The least change that is worth a report, in the hub's unit; none where the standard has no reports of it. */
  readonly change?: number;
  readonly minSeconds: number;
  readonly maxSeconds: number;
}

const unsigned = [0, 0xfffe] as const;
const signed = [-0x7fff, 0x7fff] as const;
const seldom = { minSeconds: 60, maxSeconds: 3600 } as const;
const often = { minSeconds: 10, maxSeconds: 900 } as const;
const power = { scale: "acPower", unit: 1, decimals: 2, change: powerChange, ...often } as const;

export const activePower: Quantity = {
  attribute: "power",
  capability: "PHASES",
  raw: "activePower",
  range: signed,
  ...power,
};

/** Power, of which a device with several phases shows the sum as well (ZCL 4.9.2.2.6). */
export const powers: readonly Quantity[] = [
  activePower,
  { attribute: "reactivePower", capability: "REACTIVE_POWER", raw: "reactivePower", range: signed, ...power },
  {
    attribute: "apparentPower",
    capability: "APPARENT_POWER",
    raw: "apparentPower",
    range: unsigned,
    ...power,
  },
];

export const ofPhases: readonly Quantity[] = [
  ...powers,
  {
    attribute: "voltage",
    capability: "VOLTAGE",
    raw: "rmsVoltage",
    range: unsigned,
    scale: "acVoltage",
    unit: 1,
    decimals: 2,
    change: 3,
    ...seldom,
  },
  {
    attribute: "current",
    capability: "CURRENT",
    raw: "rmsCurrent",
    range: unsigned,
    scale: "acCurrent",
    unit: 1,
    decimals: 3,
    change: 0.1,
    ...often,
  },
  {
    attribute: "powerFactor",
    capability: "POWER_FACTOR",
    raw: "powerFactor",
    range: [-100, 100],
    unit: 0.01,
    decimals: 2,
    ...seldom,
  },
];

export const frequency: Quantity = {
  attribute: "frequency",
  capability: "FREQUENCY",
  raw: "acFrequency",
  range: unsigned,
  scale: "acFrequency",
  unit: 1,
  decimals: 2,
  change: 0.2,
  ...seldom,
};

/** Power of all phases in kW, kvar and kVA (ZCL 4.9.2.2.3), each with that of the first phase. */
export const totals: readonly { readonly own: Quantity; readonly total: Quantity }[] = powers.map((own) => ({
  own,
  total: {
    ...own,
    raw: `total${own.raw.charAt(0).toUpperCase()}${own.raw.slice(1)}`,
    range: [-0x7f_ffff, 0x7f_ffff],
    scale: "power",
    unit: 1000,
  },
}));

/** Direct current, such as of solar panels and batteries (ZCL 4.9.2.2.2). */
export const ofDirect: readonly Quantity[] = [
  {
    ...power,
    attribute: "power",
    capability: "ACTIVE_POWER",
    raw: "dcPower",
    range: signed,
    scale: "dcPower",
  },
  {
    attribute: "voltage",
    capability: "VOLTAGE",
    raw: "dcVoltage",
    range: signed,
    scale: "dcVoltage",
    unit: 1,
    decimals: 2,
    change: 0.5,
    ...seldom,
  },
  {
    attribute: "current",
    capability: "CURRENT",
    raw: "dcCurrent",
    range: signed,
    scale: "dcCurrent",
    unit: 1,
    decimals: 3,
    change: 0.1,
    ...often,
  },
];

/** The attributes of scales, apart from that of `activePower`, which is read of every device. */
export const scaleNames = namesOf(["acVoltage", "acCurrent", "acFrequency", "power"]);
export const directScaleNames = namesOf(["dcVoltage", "dcCurrent", "dcPower"]);

function namesOf(scales: readonly Scale[]): readonly string[] {
  return scales.flatMap((scale) => [`${scale}Multiplier`, `${scale}Divisor`]);
}

/** The first phase, also of a device with one only, and the others with the ends of their attributes' names. */
export const phases = [
  ["A", ""],
  ["B", "PhB"],
  ["C", "PhC"],
] as const;
