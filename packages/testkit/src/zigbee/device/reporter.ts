import type { Attribute } from "./cluster.ts";
import type { Reporting } from "./zcl/foundation.ts";
import type { Value } from "./zcl/types.ts";
import { isAnalog } from "./zcl/types.ts";

/** The clock of reports. */
export interface ReportClock {
  now(): number;
  after(ms: number, callback: () => void): () => void;
}

interface Row {
  readonly reporting: Reporting;
  lastValue: Value;
  lastAt: number;
  cancel: () => void;
}

/**
 * Sends the configured reports of one cluster (Zigbee Cluster Library, 2.5.7 and 2.5.11): at once when a value
 * has changed enough, but at most once per minimum interval and at least once per maximum interval.
 */
export class Reporter {
  readonly #clock: ReportClock;
  readonly #send: (attributes: readonly Attribute[]) => void;
  readonly #rows: Map<Attribute, Row> = new Map();

  constructor(clock: ReportClock, send: (attributes: readonly Attribute[]) => void) {
    this.#clock = clock;
    this.#send = send;
  }

  of(attribute: Attribute): Reporting | undefined {
    return this.#rows.get(attribute)?.reporting;
  }

  configure(attribute: Attribute, reporting: Reporting): void {
    this.#rows.get(attribute)?.cancel();
    this.#rows.delete(attribute);
    if (reporting.maxSeconds === 0xffff) return;
    const row: Row = { reporting, lastValue: attribute.value, lastAt: this.#clock.now(), cancel: nothing };
    this.#rows.set(attribute, row);
    this.#await(attribute, row);
  }

  /** Called when values have changed. */
  changed(attributes: readonly Attribute[]): void {
    const due: Attribute[] = [];
    for (const attribute of attributes) {
      const row = this.#rows.get(attribute);
      if (!row) continue;
      const isFree = this.#clock.now() - row.lastAt >= row.reporting.minSeconds * 1000;
      if (isFree && isWorthIt(attribute, row)) due.push(attribute);
      else this.#await(attribute, row);
    }
    this.#report(due);
  }

  /** Restarts the intervals, because the device is back in its network. */
  resume(): void {
    for (const [attribute, row] of this.#rows) {
      row.lastAt = this.#clock.now();
      this.#await(attribute, row);
    }
  }

  /** Sends no more reports until `resume`. */
  pause(): void {
    for (const row of this.#rows.values()) row.cancel();
  }

  forget(): void {
    this.pause();
    this.#rows.clear();
  }

  #report(attributes: readonly Attribute[]): void {
    if (attributes.length === 0) return;
    for (const attribute of attributes) {
      const row = this.#rows.get(attribute);
      if (!row) continue;
      row.lastValue = attribute.value;
      row.lastAt = this.#clock.now();
      this.#await(attribute, row);
    }
    this.#send(attributes);
  }

  /** Waits for the end of the current interval: the minimum when a change is pending, otherwise the maximum. */
  #await(attribute: Attribute, row: Row): void {
    row.cancel();
    row.cancel = nothing;
    const { minSeconds, maxSeconds } = row.reporting;
    const isNews = isWorthIt(attribute, row);
    if (!isNews && maxSeconds === 0) return;
    const seconds = isNews ? minSeconds : maxSeconds;
    const due = row.lastAt + seconds * 1000;
    row.cancel = this.#clock.after(due - this.#clock.now(), () => this.#report([attribute]));
  }
}

function isWorthIt(attribute: Attribute, { lastValue, reporting }: Row): boolean {
  const { value, type } = attribute;
  if (value === lastValue) return false;
  if (!isAnalog(type) || !isNumber(value) || !isNumber(lastValue) || !isNumber(reporting.change)) return true;
  const difference = Number(value) - Number(lastValue);
  return Math.abs(difference) >= Number(reporting.change);
}

function isNumber(value: Value): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

function nothing(): void {}
