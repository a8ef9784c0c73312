import { addressKey, Buckets, Refused } from "@ledge/link";
import { foldedEmail, limits } from "@ledge/model";

/** How often each may be done in `limits.allowanceMs`: by one address of the network, and about one of mail. */
const table = {
  requestLogin: [limits.loginRequestsPerCaller, limits.loginRequestsPerEmail],
  emailLogin: [limits.loginAttemptsPerCaller, limits.loginAttemptsPerEmail],
  passwordLogin: [limits.passwordAttemptsPerCaller, limits.passwordAttemptsPerEmail],
  invite: [limits.invitationsPerCaller, limits.invitationsPerEmail],
  accept: [limits.acceptancesPerCaller, null],
  challenge: [limits.challengesPerCaller, null],
  claim: [limits.claimsPerCaller, limits.claimsPerEmail],
} as const satisfies Record<string, readonly [perCaller: number, perEmail: number | null]>;

export type Allowance = keyof typeof table;

/** Counts what callers do. Whether there is an account of an address makes no difference here. */
export class Allowances {
  readonly #all = new Buckets(limits.cloudRequestsPerMinute, limits.addressBuckets);
  readonly #counted = new Map(
    Object.entries(table).map(([name, [perCaller, perEmail]]) => [
      name,
      { callers: bucketsOf(perCaller), emails: perEmail === null ? null : bucketsOf(perEmail) },
    ]),
  );

  /**
   * Counts any request.
   * @param now elapsed time (ms), as everywhere here
   * @returns 429 when there were too many
   */
  request(address: string, now: number): Refused | undefined {
    return refused(this.#all.take(addressKey(address), now));
  }

  /** Counts what an address of the network does. */
  caller(allowance: Allowance, address: string, now: number): Refused | undefined {
    return refused(this.#counted.get(allowance)?.callers.take(addressKey(address), now) ?? 0);
  }

  /** Counts what is done about an address of mail, however that is written. */
  email(allowance: Allowance, email: string, now: number): Refused | undefined {
    return refused(this.#counted.get(allowance)?.emails?.take(foldedEmail(email.trim()), now) ?? 0);
  }
}

function bucketsOf(most: number): Buckets {
  return new Buckets(most, limits.allowances, limits.allowanceMs);
}

function refused(seconds: number): Refused | undefined {
  return seconds === 0 ? undefined : new Refused(429, "too often: try again later", [], seconds);
}
