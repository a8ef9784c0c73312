import { Cluster } from "../cluster.ts";

/** The temperature inside of a device (0x0002). It can be read only, as the standard has it. */
export class DeviceTemperature extends Cluster<"current"> {
  constructor(celsius: number) {
    super(0x0002, { current: { id: 0x0000, type: "int16", value: celsius } });
  }

  /** @param celsius null for a temperature that it cannot measure. */
  measure(celsius: number | null): void {
    this.set({ current: celsius });
  }
}
