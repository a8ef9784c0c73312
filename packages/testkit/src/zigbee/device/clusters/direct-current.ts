import { Cluster } from "../cluster.ts";
import type { ElectricalName } from "./electrical.ts";

/** The bit of `measurementType` that means direct current. */
const direct = 0x40;
/** Steps of a volt, an ampere and a watt. */
const divisors = { volt: 100, ampere: 1000, watt: 10 } as const;

/** Voltage, current and power of direct current (0x0b04): of solar panels, or of a battery. */
export class DirectCurrent extends Cluster<ElectricalName> {
  constructor() {
    super(0x0b04, {
      measurementType: { id: 0x0000, type: "map32", value: direct },
      voltage: { id: 0x0100, type: "int16", value: 0, isReportable: true },
      current: { id: 0x0103, type: "int16", value: 0, isReportable: true },
      power: { id: 0x0106, type: "int16", value: 0, isReportable: true },
      voltageMultiplier: { id: 0x0200, type: "uint16", value: 1 },
      voltageDivisor: { id: 0x0201, type: "uint16", value: divisors.volt },
      currentMultiplier: { id: 0x0202, type: "uint16", value: 1 },
      currentDivisor: { id: 0x0203, type: "uint16", value: divisors.ampere },
      powerMultiplier: { id: 0x0204, type: "uint16", value: 1 },
      powerDivisor: { id: 0x0205, type: "uint16", value: divisors.watt },
    });
  }

  /** Sets what flows, A; negative when a battery is charged. Null for readings that fail. */
  carry(volts: number, amperes: number | null): void {
    this.set({
      voltage: Math.round(volts * divisors.volt),
      current: amperes === null ? null : Math.round(amperes * divisors.ampere),
      power: amperes === null ? null : Math.round(volts * amperes * divisors.watt),
    });
  }
}
