import { type Bucket, Buckets } from "@ledge/link";
import { foldedEmail, limits } from "@ledge/model";

/** Permission to send one mail to an address. */
export interface Place {
  /** Gives the permission back, because the mail was not delivered. */
  giveBack(): void;
}

/**
 * Limits mails of one kind to an address within `limits.allowanceMs`. Counts the first mail for each
 * requester apart from further ones, so that a requester who asks again and again leaves others theirs.
 */
export class MailShare {
  readonly #askers = bucketsOf(1);
  readonly #firsts: Buckets;
  readonly #furthers: Buckets;

  /**
   * @param firsts how many requesters get a first mail
   * @param furthers how many further mails all requesters share
   */
  constructor(firsts: number, furthers: number) {
    this.#firsts = bucketsOf(firsts);
    this.#furthers = bucketsOf(furthers);
  }

  /**
   * Counts a mail.
   * @param email the address in any spelling
   * @param asker who causes the mail
   * @param now elapsed time (ms)
   * @returns its place, or after how many seconds to try again
   */
  take(email: string, asker: string, now: number): Place | number {
    const folded = foldedEmail(email.trim());
    const own = this.#askers.of(`${asker} ${folded}`, now);
    const first = this.#firsts.of(folded, now);
    const further = this.#furthers.of(folded, now);
    const isFirst = this.#askers.rate.take(own, now) === 0;
    if (isFirst && this.#firsts.rate.take(first, now) === 0) return placeIn(own, first);
    const seconds = this.#furthers.rate.take(further, now);
    return seconds === 0 ? placeIn(further, ...(isFirst ? [own] : [])) : seconds;
  }
}

function placeIn(...buckets: readonly Bucket[]): Place {
  return {
    giveBack() {
      for (const bucket of buckets) bucket.left++;
    },
  };
}

function bucketsOf(most: number): Buckets {
  return new Buckets(most, limits.allowances, limits.allowanceMs);
}
