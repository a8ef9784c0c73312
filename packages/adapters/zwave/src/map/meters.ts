import type { Capability } from "@ledge/model";
import { commandClass } from "./command-class.ts";
import type { ValueRow } from "./row.ts";
import type { AttributeValues } from "./value.ts";
import { numberIn, rounded } from "./value.ts";

const electric = 0x01;

interface Scale {
  readonly capabilities: readonly Capability[];
  readonly attributes: (value: number) => AttributeValues;
  readonly range: readonly [least: number, most: number];
}

/** What an electric meter counts, by its unit (SDS13781, Meter). */
const scales: Readonly<Record<string, Scale>> = {
  kWh: {
    capabilities: ["POWER_METER"],
    attributes: (value) => ({ totalPower: rounded(value, 4) }),
    range: [0, 1e9],
  },
  W: {
    capabilities: ["MEASURE_POWER", "ACTIVE_POWER"],
    attributes: (value) => ({ activePower: rounded(value, 3), power: rounded(value, 3) }),
    range: [-1e6, 1e6],
  },
  V: { capabilities: ["VOLTAGE"], attributes: (value) => ({ voltage: rounded(value, 3) }), range: [0, 1000] },
  A: { capabilities: ["CURRENT"], attributes: (value) => ({ current: rounded(value, 3) }), range: [0, 1000] },
  "Power Factor": {
    capabilities: ["POWER_FACTOR"],
    attributes: (value) => ({ powerFactor: rounded(value, 3) }),
    range: [-1, 1],
  },
  kVar: {
    capabilities: ["REACTIVE_POWER"],
    attributes: (value) => ({ reactivePower: rounded(value * 1000, 1) }),
    range: [-1000, 1000],
  },
};

export const meter: ValueRow = {
  commandClass: commandClass.meter,
  property: "value",
  capabilities: ({ unit = "", meterType }) =>
    meterType === electric && Object.hasOwn(scales, unit) ? (scales[unit]?.capabilities ?? []) : [],
  attributes({ value, unit = "", meterType }) {
    const scale = meterType === electric && Object.hasOwn(scales, unit) ? scales[unit] : undefined;
    const read = scale && numberIn(value, ...scale.range);
    return read === undefined ? {} : (scale?.attributes(read) ?? {});
  },
};

/** What a device produces, by the parameter (SDS13781, Energy Production). */
const produced: Readonly<Record<number, Scale & { readonly unit: string }>> = {
  0: {
    unit: "W",
    capabilities: ["MEASURE_POWER", "ACTIVE_POWER"],
    attributes: (value) => ({ activePower: rounded(value, 3), power: rounded(value, 3) }),
    range: [-1e6, 1e6],
  },
  1: {
    unit: "Wh",
    capabilities: ["PRODUCED_ENERGY"],
    attributes: (value) => ({ producedEnergy: rounded(value / 1000, 4) }),
    range: [0, 1e12],
  },
};

export const production: readonly ValueRow[] = Object.entries(produced).map(([key, scale]) => ({
  commandClass: commandClass.energyProduction,
  property: "value",
  propertyKey: Number(key),
  capabilities: () => scale.capabilities,
  attributes({ value, unit }) {
    const read = unit === scale.unit ? numberIn(value, ...scale.range) : undefined;
    return read === undefined ? {} : scale.attributes(read);
  },
}));
