import { attribute, limits } from "@ledge/model";
import type { NativeId, Report } from "./adapter.ts";

/** How many reports may wait: those with a pulse, and slots of levels. */
export interface QueueBounds {
  readonly pulses: number;
  readonly levels: number;
}

interface Slot {
  readonly native: NativeId;
  report: Report;
  readonly pulse: boolean;
}

/** Below this many slots that were handed out it is not worth moving the rest down. */
const compactAfter = 1024;

/**
 * Reports on their way to the hub, bounded. A report of levels only is merged into the device's waiting one:
 * the newest value of each attribute counts, at the place of the older report. A report with any pulse is kept
 * as it is, and closes the device's waiting levels, so that the device's reports never overtake each other.
 * An attribute that the model does not know counts as a level.
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

  /** Reports that wait. */
  get size(): number {
    return this.#slots.length - this.#head;
  }

  /** Reports with a pulse that were lost so far because as many as allowed were waiting: the newest is lost. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Reports of levels that were lost so far: only when more devices report than a hub can have. */
  get droppedLevels(): number {
    return this.#droppedLevels;
  }

  push(report: Report): void {
    if (!hasPulse(report)) this.#pushLevels(report);
    else if (this.#pulses < this.#bounds.pulses) {
      this.#open.delete(report.native);
      this.#append(report, true);
      this.#pulses += 1;
    } else {
      this.#dropped += 1;
      this.#pushLevels(levelsOf(report));
    }
  }

  /** Hands out at most `count` reports, oldest first. */
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

  /** Drops what waits of one device, uncounted. */
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

function isPulse(name: string): boolean {
  return attribute(name)?.cadence === "pulse";
}

function hasPulse(report: Report): boolean {
  return Object.keys(report.attributes).some(isPulse);
}

function levelsOf(report: Report): Report {
  const levels = Object.entries(report.attributes).filter(([name]) => !isPulse(name));
  return { ...report, attributes: Object.fromEntries(levels) };
}

/** `at` is the newer report's: an older time must not make a newer value look old. */
function merged(older: Report, newer: Report): Report {
  return { ...newer, attributes: { ...older.attributes, ...newer.attributes } };
}
