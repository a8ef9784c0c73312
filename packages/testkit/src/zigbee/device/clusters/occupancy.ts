import { Cluster } from "../cluster.ts";
import { signify } from "./hue-button.ts";

type Name = "occupancy" | "sensorType" | "delay" | "sensitivity" | "sensitivityMax";

/** Occupancy (0x0406). It ends some seconds after the last movement. */
export class Occupancy extends Cluster<Name> {
  #cancel: () => void = () => undefined;

  /** @param delaySeconds from the last movement to unoccupied. */
  constructor(delaySeconds = 60) {
    super(0x0406, {
      occupancy: { id: 0x0000, type: "map8", value: 0, isReportable: true },
      sensorType: { id: 0x0001, type: "enum8", value: 0 },
      delay: { id: 0x0010, type: "uint16", value: delaySeconds, isWritable: true },
      // Philips' own attributes, which only readers with Philips' manufacturer code know.
      sensitivity: { id: 0x0030, type: "uint8", value: 2, isWritable: true, manufacturer: signify },
      sensitivityMax: { id: 0x0031, type: "uint8", value: 2, manufacturer: signify },
    });
  }

  get isOccupied(): boolean {
    return this.number("occupancy") === 1;
  }

  move(): void {
    this.#cancel();
    this.set({ occupancy: 1 });
    this.#cancel = this.host.after(this.number("delay") * 1000, () => this.set({ occupancy: 0 }));
  }
}
