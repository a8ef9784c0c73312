import { Cluster, settled } from "../cluster.ts";
import type { ReadRecord } from "../zcl/foundation.ts";
import { foundation, writeIds } from "../zcl/foundation.ts";

const epoch = Date.UTC(2000, 0, 1);
const [time, localTime] = [0x0000, 0x0007];

/** Reads the time from the coordinator (0x000a) for a device without a clock, after joining and on request. */
export class TimeClient extends Cluster<never> {
  #told: number | null = null;

  constructor() {
    super(0x000a, {}, { side: "client" });
  }

  /** The last time received, ms since 1970; null if there was no answer. */
  get told(): number | null {
    return this.#told;
  }

  ask(): void {
    const payload = writeIds([time, localTime]);
    this.host.sendTo(1, this, { command: foundation.read, payload, isClusterSpecific: false });
  }

  override online(): void {
    this.host.after(settled, () => this.ask());
  }

  override learned(records: readonly ReadRecord[]): void {
    const value = records.find((record) => record.attribute === time)?.typed?.value;
    if (typeof value === "number") this.#told = epoch + value * 1000;
  }
}
