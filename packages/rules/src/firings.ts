import { limits } from "@ledge/model";

const minuteMs = 60_000;

/** How often rules have commanded something lately; it begins anew with the process. */
export class Firings {
  readonly #byRule = new Map<string, number[]>();

  /** Notes that a rule commands something at `now` (ms); true when that is too often. */
  note(rule: string, now: number): boolean {
    const lately = (this.#byRule.get(rule) ?? []).filter((at) => now - at < minuteMs);
    lately.push(now);
    this.#byRule.set(rule, lately);
    return lately.length > limits.ruleFiringsPerMinute;
  }

  forget(rule: string): void {
    this.#byRule.delete(rule);
  }
}
