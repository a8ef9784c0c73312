import { cadenceOf, hasPulse, limits } from "@ledge/model";
import type { NativeId, Report } from "./adapter.ts";

/** Limits of waiting reports: those with a pulse, and slots of levels. */
export interface QueueBounds {
  readonly pulses: number;
  readonly levels: number;
}

interface Slot {
  readonly native: NativeId;
  report: Report;
  readonly pulse: boolean;
}

/** With fewer drained slots than this, moving the rest down is not worth it. */
const compactAfter = 1024;

/**
 * A bounded queue of reports on their way to the hub. A report with only levels is merged into the device's
 * waiting report: the newest value of each attribute wins, at the place of the older report. A report with a
 * pulse stays as it is, and later levels of its device start a new report, so that a device's reports stay in
 * order. An attribute that the model does not know counts as a level.
 */
export class ReportQueue {
  readonly #bounds: QueueBounds;
  #slots: Slot[] = [];
  #head = 0;
  readonly #open = new Map<NativeId, Slot>();
  #pulses = 0;
  #dropped = 0;
  #droppedLevels = 0;

  constructor(bounds: QueueBounds = { pulses: limits.pulseQueue, levels: limits.levelQueue }) {
    this.#bounds = bounds;
  }

  /** The number of waiting reports. */
  get size(): number {
    return this.#slots.length - this.#head;
  }

  /** The number of reports with a pulse dropped so far. A full queue drops the newest. */
  get dropped(): number {
    return this.#dropped;
  }

  /** The number of reports of levels dropped so far: only when more devices report than a hub can have. */
  get droppedLevels(): number {
    return this.#droppedLevels;
  }

  push(report: Report): void {
    if (!hasPulse(report.attributes)) this.#pushLevels(report);
    else if (this.#pulses < this.#bounds.pulses) {
      this.#open.delete(report.native);
      this.#append(report, true);
      this.#pulses += 1;
    } else {
      this.#dropped += 1;
      this.#pushLevels(levelsOf(report));
    }
  }

  /** Removes and returns at most `count` reports, oldest first. */
  drain(count: number): Report[] {
    const end = Math.min(this.#head + count, this.#slots.length);
    const reports: Report[] = [];
    for (; this.#head < end; this.#head += 1) {
      const slot = this.#slots[this.#head];
      if (!slot) continue;
      if (slot.pulse) this.#pulses -= 1;
      else if (this.#open.get(slot.native) === slot) this.#open.delete(slot.native);
      reports.push(slot.report);
    }
    this.#compact();
    return reports;
  }

  /** Drops a device's waiting reports without counting them. */
  forget(native: NativeId): void {
    this.#open.delete(native);
    this.#slots = this.#slots.slice(this.#head).filter((slot) => {
      if (slot.native === native && slot.pulse) this.#pulses -= 1;
      return slot.native !== native;
    });
    this.#head = 0;
  }

  #pushLevels(report: Report): void {
    if (Object.keys(report.attributes).length === 0) return;
    const slot = this.#open.get(report.native);
    if (slot) {
      slot.report = merged(slot.report, report);
    } else if (this.size - this.#pulses < this.#bounds.levels) {
      this.#open.set(report.native, this.#append(report, false));
    } else {
      this.#droppedLevels += 1;
    }
  }

  #append(report: Report, pulse: boolean): Slot {
    const slot: Slot = { native: report.native, report, pulse };
    this.#slots.push(slot);
    return slot;
  }

  #compact(): void {
    if (this.#head === this.#slots.length) this.#slots = [];
    else if (this.#head > compactAfter && this.#head * 2 > this.#slots.length)
      this.#slots = this.#slots.slice(this.#head);
    else return;
    this.#head = 0;
  }
}

function levelsOf(report: Report): Report {
  const levels = Object.entries(report.attributes).filter(
    ([name, value]) => cadenceOf(name, value) === "level",
  );
  return { ...report, attributes: Object.fromEntries(levels) };
}

/** Takes `at` from the newer report: an older time would make a new value look old. */
function merged(older: Report, newer: Report): Report {
  return { ...newer, attributes: { ...older.attributes, ...newer.attributes } };
}
