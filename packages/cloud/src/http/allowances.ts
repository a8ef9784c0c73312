import { type AddressClass, addressKey, AddressRates, Buckets, Refused, siteKey } from "@ledge/link";
import { foldedEmail, limits } from "@ledge/model";
import type { ShareRate } from "../rates/rate-exchange.ts";

const dayMs = 86_400_000;

/** Limits per `limits.allowanceMs`: for one caller, and for one caller about one mail address. */
const table = {
  requestLogin: [limits.loginRequestsPerCaller, limits.loginRequestsPerEmail],
  emailLogin: [limits.loginAttemptsPerCaller, limits.loginAttemptsPerEmail],
  passwordLogin: [limits.passwordAttemptsPerCaller, limits.passwordAttemptsPerEmail],
  invite: [limits.invitationsPerCaller, limits.invitationsPerEmail],
  accept: [limits.acceptancesPerCaller, limits.acceptancesPerCaller],
  challenge: [limits.challengesPerCaller, limits.challengesPerCaller],
  claim: [limits.claimsPerCaller, limits.claimsPerEmail],
} as const satisfies Record<string, readonly [perCaller: number, perEmail: number]>;

export type Allowance = keyof typeof table;

interface Counted {
  readonly callers: Buckets;
  readonly sites: Buckets;
  /** By caller and mail address: strangers cannot use up the allowance of others. */
  readonly pairs: Buckets;
}

/** Credentials from one address that are being verified, and requests that wait for the next to be done. */
interface Verifying {
  pending: number;
  waiting: number;
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

/** Counts requests by caller. Never depends on whether an address has an account. */
export class Allowances {
  readonly #addresses = new AddressRates(
    {
      open: limits.openReadsPerMinutePerAddress,
      key: limits.wrongKeysPerMinutePerAddress,
      act: limits.cloudActsPerMinute,
    },
    limits.addressBuckets,
  );
  /** By address group. */
  readonly #verifying = new Map<string, Verifying>();
  readonly #holders = new Buckets(limits.requestsPerMinutePerToken, limits.allowances);
  readonly #counted: Readonly<Record<Allowance, Counted>>;
  /** Limits per day of what a caller, and its network, may create. */
  readonly #new = new Buckets(limits.newPerCallerADay, limits.allowances, dayMs);
  readonly #newOfSite = new Buckets(
    limits.newPerCallerADay * limits.allowanceSites,
    limits.allowances,
    dayMs,
  );
  /** By mail address alone, because fixed passwords are guessed from many addresses at once. */
  readonly #passwords = bucketsOf(limits.passwordAttemptsOfAll);

  constructor() {
    const entries = Object.entries(table).map(([name, [perCaller, perEmail]]): [string, Counted] => [
      name,
      {
        callers: bucketsOf(perCaller),
        sites: bucketsOf(perCaller * limits.allowanceSites),
        pairs: bucketsOf(perEmail),
      },
    ]);
    this.#counted = Object.fromEntries(entries) as Record<Allowance, Counted>;
  }

  /** Names each limit to what counts it over several processes. */
  shareRates(share: ShareRate): void {
    for (const [kind, buckets] of Object.entries(this.#addresses.classes)) share(`address-${kind}`, buckets);
    for (const [name, { callers, sites, pairs }] of Object.entries(this.#counted)) {
      share(`${name}-callers`, callers);
      share(`${name}-sites`, sites);
      share(`${name}-pairs`, pairs);
    }
    share("holders", this.#holders);
    share("new", this.#new);
    share("new-of-sites", this.#newOfSite);
    share("passwords", this.#passwords);
  }

  /**
   * Counts a request without a credential known to be valid.
   * @param now elapsed time (ms), as in all methods here
   * @returns 429 when there were too many
   */
  request(kind: AddressClass, address: string, now: number): Refused | undefined {
    return refused(this.#addresses.take(kind, address, now));
  }

  /**
   * Verifies a credential that is not known to be valid. It counts as a wrong one of the address until it has
   * turned out to be valid.
   * @param verify returns a refusal for a wrong one
   */
  async verify<T>(address: string, now: number, verify: () => Promise<T | Refused>): Promise<T | Refused> {
    const tooMany = await this.#beginVerifying(address, now);
    if (tooMany !== undefined) return tooMany;
    let isGood = false;
    try {
      const found = await verify();
      isGood = !(found instanceof Refused);
      return found;
    } finally {
      this.#endVerifying(address, now, isGood);
    }
  }

  /**
   * Counts a credential. When the allowance of the address is taken up by others that are being verified, it
   * waits for them: valid ones do not count.
   */
  async #beginVerifying(address: string, now: number): Promise<Refused | undefined> {
    const key = addressKey(address);
    for (;;) {
      const tooMany = this.request("key", address, now);
      const before = this.#verifying.get(key);
      if (tooMany === undefined) {
        this.#verifying.set(key, before ?? { pending: 0, waiting: 0, ...Promise.withResolvers<void>() });
        (this.#verifying.get(key) as Verifying).pending++;
        return undefined;
      }
      if (before === undefined || before.waiting >= limits.wrongKeysPerMinutePerAddress) return tooMany;
      before.waiting++;
      await before.promise;
    }
  }

  #endVerifying(address: string, now: number, isGood: boolean): void {
    const key = addressKey(address);
    if (isGood) this.#addresses.giveBack("key", address, now);
    const before = this.#verifying.get(key);
    if (before === undefined) return;
    const pending = before.pending - 1;
    if (pending === 0) this.#verifying.delete(key);
    else this.#verifying.set(key, { pending, waiting: 0, ...Promise.withResolvers<void>() });
    before.resolve();
  }

  /**
   * Counts a request of a known account or hub.
   * @param name of an account or a hub
   */
  holder(name: string, now: number): Refused | undefined {
    return refused(this.#holders.take(name, now));
  }

  /** Counts a request that creates something permanent. */
  bringing(address: string, now: number): Refused | undefined {
    const seconds = this.#new.take(addressKey(address), now);
    return refused(seconds === 0 ? this.#newOfSite.take(siteKey(address), now) : seconds);
  }

  /** Counts an action of a network address. */
  caller(allowance: Allowance, address: string, now: number): Refused | undefined {
    const { callers, sites } = this.#counted[allowance];
    const seconds = callers.take(addressKey(address), now);
    return refused(seconds === 0 ? sites.take(siteKey(address), now) : seconds);
  }

  /** Counts an action of a network address about a mail address, in any spelling. */
  email(allowance: Allowance, email: string, address: string, now: number): Refused | undefined {
    const folded = foldedEmail(email.trim());
    const seconds = this.#counted[allowance].pairs.take(`${addressKey(address)} ${folded}`, now);
    if (seconds > 0 || allowance !== "passwordLogin") return refused(seconds);
    return refused(this.#passwords.take(folded, now));
  }
}

function bucketsOf(most: number): Buckets {
  return new Buckets(most, limits.allowances, limits.allowanceMs);
}

function refused(seconds: number): Refused | undefined {
  return seconds === 0 ? undefined : new Refused(429, "too many requests: try again later", [], seconds);
}
