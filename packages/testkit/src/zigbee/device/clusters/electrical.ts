import { Cluster } from "../cluster.ts";

/** The readings of one phase or of direct current, and their scales. */
export type ElectricalName =
  | "measurementType"
  | "voltage"
  | "current"
  | "power"
  | "voltageMultiplier"
  | "voltageDivisor"
  | "currentMultiplier"
  | "currentDivisor"
  | "powerMultiplier"
  | "powerDivisor";

/** Divisors of volts, amperes and watts; multipliers are 1. */
export interface ElectricalScale {
  readonly volts: number;
  readonly amperes: number;
  readonly watts: number;
}

const mainsVolts = 230;

/** Voltage, current and power of one phase (0x0b04). */
export class Electrical extends Cluster<ElectricalName | "frequency"> {
  readonly #scale: ElectricalScale;

  constructor(scale: ElectricalScale = { volts: 1, amperes: 1000, watts: 10 }) {
    super(0x0b04, {
      measurementType: { id: 0x0000, type: "map32", value: 0x08 },
      frequency: { id: 0x0300, type: "uint16", value: 50 },
      voltage: { id: 0x0505, type: "uint16", value: mainsVolts * scale.volts, isReportable: true },
      current: { id: 0x0508, type: "uint16", value: 0, isReportable: true },
      power: { id: 0x050b, type: "int16", value: 0, isReportable: true },
      voltageMultiplier: { id: 0x0600, type: "uint16", value: 1 },
      voltageDivisor: { id: 0x0601, type: "uint16", value: scale.volts },
      currentMultiplier: { id: 0x0602, type: "uint16", value: 1 },
      currentDivisor: { id: 0x0603, type: "uint16", value: scale.amperes },
      powerMultiplier: { id: 0x0604, type: "uint16", value: 1 },
      powerDivisor: { id: 0x0605, type: "uint16", value: scale.watts },
    });
    this.#scale = scale;
  }

  draw(watts: number, volts = mainsVolts): void {
    this.set({
      power: Math.round(watts * this.#scale.watts),
      current: Math.round((watts / volts) * this.#scale.amperes),
      voltage: Math.round(volts * this.#scale.volts),
    });
  }
}
