import { attribute } from "@ledge/model";
import type { DeviceDescription, Report } from "@ledge/port";

/** What came while nothing could be recorded. */
export interface Held {
  readonly announced: readonly DeviceDescription[];
  /** One per device: the newest value of each attribute. */
  readonly reports: readonly Report[];
  /** Pulses that are lost: presses, and values that another followed. */
  readonly dropped: number;
}

/**
 * Keeps what adapters say while the kernel is read-only. Of an attribute the newest value counts, whatever came
 * before; a press is over and cannot be told later, so it is counted only.
 */
export class HeldReports {
  #announced = new Map<string, DeviceDescription>();
  #reports = new Map<string, Report>();
  #dropped = 0;

  /** Whether a device was announced that could not be added. */
  isAnnounced(native: string): boolean {
    return this.#announced.has(native);
  }

  announce(device: DeviceDescription): void {
    this.#announced.set(device.native, device);
  }

  /** @param report of which `at` (ms) is set */
  hold(report: Report): void {
    const { native } = report;
    const known = this.#reports.get(native)?.attributes ?? {};
    const attributes: Record<string, unknown> = { ...known };
    for (const [name, value] of Object.entries(report.attributes)) {
      const { cadence, momentary = false } = attribute(name) ?? {};
      const isOver = cadence === "pulse" && name in known && known[name] !== value;
      if (momentary || isOver) this.#dropped++;
      if (!momentary) attributes[name] = value;
    }
    this.#reports.set(native, { ...report, attributes });
  }

  /** Gives out what is held, and holds nothing any more. */
  take(): Held {
    const held = {
      announced: [...this.#announced.values()],
      reports: [...this.#reports.values()].filter(({ attributes }) => Object.keys(attributes).length > 0),
      dropped: this.#dropped,
    };
    this.#announced = new Map();
    this.#reports = new Map();
    this.#dropped = 0;
    return held;
  }
}
