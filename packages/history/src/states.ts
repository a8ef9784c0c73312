import { limits } from "@ledge/model";
import type { Sample } from "./sample.ts";

/** A value, when it began to hold (ms), and for how long. */
export interface Change {
  readonly from: number;
  readonly value: unknown;
  readonly ms: number;
}

/** How long each value held within a span of time. */
export interface Share {
  /** ms; the span ends where the next one begins. */
  readonly from: number;
  /** Longest first; values beyond the limit are left out. */
  readonly values: readonly { readonly value: unknown; readonly ms: number }[];
  /** How often the value changed. */
  readonly count: number;
}

/** Summarises values that are not numbers: each change while there are few, otherwise shares of spans of time. */
export class States {
  readonly #from: number;
  readonly #to: number;
  readonly #points: number;
  readonly #width: number;
  readonly #shares = new Map<number, { readonly ms: Map<string, number>; count: number }>();
  #changes: { from: number; text: string; ms: number }[] | undefined = [];
  #held: string | undefined;
  #heldFrom: number;

  /** @param held the JSON of the value at `from`; undefined when unknown */
  constructor(from: number, to: number, points: number, held: string | undefined) {
    this.#from = from;
    this.#to = to;
    this.#points = points;
    this.#width = Math.max(1, Math.ceil((to - from + 1) / points));
    this.#held = held;
    this.#heldFrom = from;
    if (held !== undefined) this.#changes?.push({ from, text: held, ms: 0 });
  }

  /** Adds a sample with `from` <= timestamp <= `to`, oldest first. */
  add({ timestamp, value }: Sample): void {
    const text = JSON.stringify(value);
    if (text === this.#held) return;
    this.#hold(timestamp);
    this.#held = text;
    this.#shareAt(timestamp).count++;
    this.#changes?.push({ from: timestamp, text, ms: 0 });
    if ((this.#changes?.length ?? 0) > this.#points) this.#changes = undefined;
  }

  /**
   * Returns the changes or shares.
   * @param until up to when (ms) the last value is known to hold, at most `to`
   */
  finish(until: number): { form: "changes"; points: Change[] } | { form: "shares"; points: Share[] } {
    this.#hold(Math.min(until, this.#to));
    if (this.#changes !== undefined) {
      const points = this.#changes.map(({ from, text, ms }) => ({ from, value: valueOf(text), ms }));
      return { form: "changes", points };
    }
    const points = [...this.#shares]
      .toSorted(([a], [b]) => a - b)
      .map(([place, { ms, count }]) => {
        const longest = [...ms].toSorted(([, a], [, b]) => b - a).slice(0, limits.historyPointValues);
        const values = longest.map(([text, held]) => ({ value: valueOf(text), ms: held }));
        return { from: this.#from + place * this.#width, values, count };
      });
    return { form: "shares", points };
  }

  #hold(until: number): void {
    const text = this.#held;
    let from = this.#heldFrom;
    this.#heldFrom = until;
    if (text === undefined) return;
    const change = this.#changes?.at(-1);
    if (change !== undefined) change.ms += until - from;
    while (from < until) {
      const { ms } = this.#shareAt(from);
      const end = Math.min(until, this.#from + (this.#place(from) + 1) * this.#width);
      ms.set(text, (ms.get(text) ?? 0) + end - from);
      from = end;
    }
  }

  #place(timestamp: number): number {
    return Math.floor((timestamp - this.#from) / this.#width);
  }

  #shareAt(timestamp: number): { readonly ms: Map<string, number>; count: number } {
    const place = this.#place(timestamp);
    let share = this.#shares.get(place);
    if (share === undefined) this.#shares.set(place, (share = { ms: new Map(), count: 0 }));
    return share;
  }
}

function valueOf(text: string): unknown {
  return JSON.parse(text);
}
