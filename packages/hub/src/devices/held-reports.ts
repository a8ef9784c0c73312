import { attribute, cadenceOf, stateAndPress } from "@ledge/model";
import type { DeviceDescription, Report } from "@ledge/port";

/** Announcements and reports that came while nothing could be recorded. */
export interface Held {
  readonly announced: readonly DeviceDescription[];
  /** One per device: the newest value of each attribute. */
  readonly reports: readonly Report[];
  /** The count of lost pulses: presses, and values that a newer one replaced. */
  readonly dropped: number;
}

/**
 * Keeps the messages of adapters while the kernel is read-only. It keeps the newest value of each attribute. A
 * press cannot be reported later, nor how it was made, so it is only counted.
 */
export class HeldReports {
  #announced = new Map<string, DeviceDescription>();
  #reports = new Map<string, Report>();
  #dropped = 0;

  /** Whether a device was announced and could not be added. */
  isAnnounced(native: string): boolean {
    return this.#announced.has(native);
  }

  announce(device: DeviceDescription): void {
    this.#announced.set(device.native, device);
  }

  /** @param report with `at` (ms) set */
  hold(report: Report): void {
    const { native } = report;
    const known = this.#reports.get(native)?.attributes ?? {};
    const { state, press } = stateAndPress(report.attributes);
    for (const name of Object.keys(press)) if (attribute(name)?.momentary) this.#dropped++;
    for (const [name, value] of Object.entries(state)) {
      const isOver = cadenceOf(name, value) === "pulse" && name in known && known[name] !== value;
      if (isOver) this.#dropped++;
    }
    this.#reports.set(native, { ...report, attributes: { ...known, ...state } });
  }

  /** Returns all that is held and clears it. */
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
