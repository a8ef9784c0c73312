import type { AttributeSpec } from "../cluster.ts";
import { Cluster } from "../cluster.ts";
import type { Value } from "../zcl/types.ts";

/** Measurement of active, reactive and apparent power, and of each phase. */
const measures = { powers: 0x07, phases: [0x08, 0x10, 0x20] } as const;

/** What one phase carries. */
export interface PhaseLoad {
  readonly volts: number;
  readonly amperes: number;
  /** W; negative when the home feeds the grid. */
  readonly watts: number;
}

/** A phase without load. */
export const idle: PhaseLoad = { volts: 230, amperes: 0, watts: 0 };

/** The first attribute of each phase. */
const starts = [0x0505, 0x0905, 0x0a05] as const;
/** Steps of a volt, an ampere, a watt and a hertz. */
const divisors = { volt: 10, ampere: 100, watt: 1, hertz: 10 } as const;

/** The readings of a phase, with their distances from its voltage. */
const rows = {
  voltage: { distance: 0, type: "uint16" },
  current: { distance: 3, type: "uint16" },
  power: { distance: 6, type: "int16" },
  reactive: { distance: 9, type: "int16" },
  apparent: { distance: 10, type: "uint16" },
  factor: { distance: 11, type: "int8" },
} as const;
type Reading = keyof typeof rows;

function valuesOf({ volts, amperes, watts }: PhaseLoad): Readonly<Record<Reading, number>> {
  const apparent = volts * amperes;
  return {
    voltage: Math.round(volts * divisors.volt),
    current: Math.round(amperes * divisors.ampere),
    power: Math.round(watts * divisors.watt),
    reactive: Math.round(Math.sqrt(Math.max(0, apparent ** 2 - watts ** 2)) * divisors.watt),
    apparent: Math.round(apparent * divisors.watt),
    factor: apparent === 0 ? 0 : Math.round((watts / apparent) * 100),
  };
}

function typeOf(loads: readonly PhaseLoad[]): number {
  return measures.phases.slice(0, loads.length).reduce<number>((type, bit) => type | bit, measures.powers);
}

function attributes(loads: readonly PhaseLoad[], hertz: number): Readonly<Record<string, AttributeSpec>> {
  const readings = loads.flatMap((load, phase) =>
    Object.entries(valuesOf(load)).map(([name, value]): [string, AttributeSpec] => {
      const { distance, type } = rows[name as Reading];
      // The standard does not let a power factor be reported.
      return [
        `${name}${phase}`,
        { id: (starts[phase] ?? 0) + distance, type, value, isReportable: name !== "factor" },
      ];
    }),
  );
  const scale = (id: number, value: number): AttributeSpec => ({ id, type: "uint16", value });
  return {
    ...Object.fromEntries(readings),
    measurementType: { id: 0x0000, type: "map32", value: typeOf(loads) },
    frequency: { id: 0x0300, type: "uint16", value: hertz * divisors.hertz, isReportable: true },
    frequencyMultiplier: scale(0x0400, 1),
    frequencyDivisor: scale(0x0401, divisors.hertz),
    voltageMultiplier: scale(0x0600, 1),
    voltageDivisor: scale(0x0601, divisors.volt),
    currentMultiplier: scale(0x0602, 1),
    currentDivisor: scale(0x0603, divisors.ampere),
    powerMultiplier: scale(0x0604, 1),
    powerDivisor: scale(0x0605, divisors.watt),
  };
}

/** The mains of a home with one to three phases (0x0b04). */
export class Phases extends Cluster {
  constructor(loads: readonly PhaseLoad[], hertz = 50) {
    super(0x0b04, attributes(loads, hertz));
  }

  /** Sets what a phase carries; its number is 0 to 2. */
  carry(phase: number, load: PhaseLoad): void {
    this.set(
      Object.fromEntries(Object.entries(valuesOf(load)).map(([name, value]) => [`${name}${phase}`, value])),
    );
  }

  /** Sets a reading of a phase to a raw value; null for the invalid one. */
  show(phase: number, reading: Reading, value: Value): void {
    this.set({ [`${reading}${phase}`]: value });
  }
}
