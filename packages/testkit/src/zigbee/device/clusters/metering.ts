import type { AttributeSpec } from "../cluster.ts";
import { Cluster } from "../cluster.ts";

type Name =
  | "summation"
  | "received"
  | "status"
  | "unit"
  | "multiplier"
  | "divisor"
  | "formatting"
  | "kind"
  | "demand";

const hour = 3_600_000;
/** How often the count is updated while power is drawn, ms. */
const tick = 10_000;

export interface MeterScale {
  readonly multiplier: number;
  /** Divisor of kWh. */
  readonly divisor: number;
}

/** Energy (0x0702), in kWh × divisor / multiplier. */
export class Metering extends Cluster<Name> {
  readonly #scale: MeterScale;
  #watts = 0;
  #kiloWattHours = 0;
  #since = 0;
  #cancel: () => void = () => undefined;

  /** @param isTwoWay whether it also counts the energy that the home feeds into the grid. */
  constructor(scale: MeterScale = { multiplier: 1, divisor: 1000 }, { isTwoWay = false } = {}) {
    const received: AttributeSpec = { id: 0x0001, type: "uint48", value: 0, isReportable: true };
    super(0x0702, {
      summation: { id: 0x0000, type: "uint48", value: 0, isReportable: true },
      ...((isTwoWay ? { received } : {}) as { received: AttributeSpec }),
      status: { id: 0x0200, type: "map8", value: 0 },
      unit: { id: 0x0300, type: "enum8", value: 0 },
      multiplier: { id: 0x0301, type: "uint24", value: scale.multiplier },
      divisor: { id: 0x0302, type: "uint24", value: scale.divisor },
      formatting: { id: 0x0303, type: "map8", value: 0 },
      kind: { id: 0x0306, type: "map8", value: 0 },
      demand: { id: 0x0400, type: "int24", value: 0, isReportable: true },
    });
    this.#scale = scale;
  }

  /** The counted energy. */
  get kiloWattHours(): number {
    return this.#kiloWattHours;
  }

  /** Sets the power drawn from now on. */
  draw(watts: number): void {
    this.#count();
    this.#watts = watts;
    this.set({ demand: this.#units(watts / 1000) });
    this.#goOn();
  }

  /** Sets the energy that was fed into the grid, kWh; null for a count that is not known. */
  feed(kiloWattHours: number | null): void {
    this.set({ received: kiloWattHours === null ? null : this.#units(kiloWattHours) });
  }

  override online(): void {
    this.#goOn();
  }

  #goOn(): void {
    this.#cancel();
    this.#since = this.host.now();
    if (this.#watts === 0) return;
    this.#cancel = this.host.after(tick, () => {
      this.#count();
      this.#goOn();
    });
  }

  #count(): void {
    const hours = (this.host.now() - this.#since) / hour;
    this.#kiloWattHours += (this.#watts / 1000) * hours;
    this.#since = this.host.now();
    this.set({ summation: this.#units(this.#kiloWattHours) });
  }

  #units(kilo: number): number {
    return Math.round((kilo * this.#scale.divisor) / this.#scale.multiplier);
  }
}
