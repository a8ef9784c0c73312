import { Cluster } from "../cluster.ts";
import { status } from "../zcl/status.ts";

export interface Battery {
  readonly percent?: number;
  readonly volts?: number;
}

/** Battery (0x0001): charge, voltage, or both, whichever the device has from the start. */
export class PowerConfiguration extends Cluster<"voltage" | "percentage"> {
  readonly #says: Battery;

  constructor(battery: Battery = { percent: 100, volts: 3 }, reportsUnasked = false) {
    const { percent, volts } = battery;
    super(
      0x0001,
      {
        voltage: { id: 0x0020, type: "uint8", value: tenths(volts), ...support(volts) },
        percentage: { id: 0x0021, type: "uint8", value: halves(percent), ...support(percent) },
      },
      { reportsUnasked },
    );
    this.#says = battery;
  }

  show(percent: number, volts: number): void {
    if (this.#says.percent !== undefined) this.set({ percentage: halves(percent) });
    if (this.#says.volts !== undefined) this.set({ voltage: tenths(volts) });
  }
}

function support(said: number | undefined): { isReportable: boolean; readStatus?: 0x86 } {
  return said === undefined
    ? { isReportable: false, readStatus: status.unsupportedAttribute }
    : { isReportable: true };
}

function halves(percent: number | undefined): number | null {
  return percent === undefined ? null : Math.round(percent * 2);
}

function tenths(volts: number | undefined): number | null {
  return volts === undefined ? null : Math.round(volts * 10);
}
