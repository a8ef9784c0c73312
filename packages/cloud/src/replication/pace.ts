import { limits } from "@ledge/model";

/** What an answer of a hub came to. */
export interface AnswerOutcome {
  /** Whether the answer took less than `limits.changesIdleMs`. */
  readonly isQuick: boolean;
  /** Whether the hub says that it has more to tell. */
  readonly hasMore: boolean;
  /** How many rows it changed. */
  readonly changed: number;
}

/** How long to wait between the requests to one hub: none while it has news, longer with each failure in a row. */
export class Pace {
  readonly #random: () => number;
  #failures = 0;
  #fruitless = 0;

  /** @param random from 0 to below 1 */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** Number of failures in a row. */
  get failures(): number {
    return this.#failures;
  }

  /**
   * Returns how long to wait after an answer (ms).
   * @param outcome undefined when nobody has answered
   */
  afterAnswer(outcome: AnswerOutcome | undefined): number {
    this.#failures = 0;
    if (outcome === undefined) return limits.changesBackoffMaxMs;
    const { isQuick, hasMore, changed } = outcome;
    this.#fruitless = changed > 0 ? 0 : this.#fruitless + 1;
    // The pages of a home that is as it was change nothing. Without an end they are no pages.
    const isIdle = changed === 0 && (!hasMore || this.#fruitless > limits.changesFruitless);
    return isQuick && isIdle ? limits.changesIdleMs : 0;
  }

  /** Returns how long to wait after a failure (ms). */
  afterFailure(): number {
    const { changesBackoffMinMs, changesBackoffMaxMs } = limits;
    const most = Math.min(changesBackoffMaxMs, changesBackoffMinMs * 2 ** Math.min(this.#failures, 16));
    this.#failures++;
    return most * (0.5 + this.#random() / 2);
  }
}
