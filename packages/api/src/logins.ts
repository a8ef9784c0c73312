import { hash } from "node:crypto";
import type { Clock } from "@ledge/kernel";
import { addressKey, Buckets } from "@ledge/link";
import { limits } from "@ledge/model";
import { letterCode, type RandomBytes, typedCode } from "./login-code.ts";
import { notFound, Refused } from "./refused.ts";

/** A browser that waits to be let in. */
export interface Login {
  /** What people compare and type. */
  readonly code: string;
  /** What the browser says that it is. */
  readonly name: string;
  readonly address: string;
  /** When it is over, on the monotonic clock. */
  readonly until: number;
  /** The record of its key, once somebody has let it in. */
  keyId: string | undefined;
}

/**
 * Browsers that wait to be let in, by the device flow (RFC 8628). They live in memory: after a restart a browser
 * asks anew. A secret is kept as its digest, so that a heap snapshot opens nothing.
 */
export class Logins {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #random: RandomBytes;
  /** By the secret's digest, the oldest first. */
  readonly #logins = new Map<string, Login>();
  /** What addresses begin, and wrong codes of users. */
  readonly #begun = new Buckets(limits.localLoginsPerMinutePerAddress, limits.addressBuckets);
  readonly #tries = new Buckets(limits.localLoginTries, limits.users, limits.localLoginMs);

  constructor(clock: Pick<Clock, "monotonic">, random: RandomBytes) {
    this.#clock = clock;
    this.#random = random;
  }

  get size(): number {
    this.#sweep();
    return this.#logins.size;
  }

  /** Counts a login or a setup code against an address. @returns 429 when that is too many */
  admit(address: string): Refused | undefined {
    const wait = this.#begun.take(addressKey(address), this.#clock.monotonic());
    return wait > 0 ? tooMany(wait) : undefined;
  }

  /** @returns the login with its secret of 128 bits, or 429 while too many wait */
  begin(name: string, address: string): { readonly secret: string; readonly login: Login } | Refused {
    this.#sweep();
    const key = addressKey(address);
    const own = [...this.#logins.values()].filter((login) => addressKey(login.address) === key).length;
    if (own >= limits.localLoginsPerAddress || this.#logins.size >= limits.localLogins)
      return tooMany(Math.ceil(limits.localLoginMs / 1000));
    const secret = Buffer.from(this.#random(16)).toString("base64url");
    const until = this.#clock.monotonic() + limits.localLoginMs;
    const login: Login = { code: this.#newCode(), name, address, until, keyId: undefined };
    this.#logins.set(digestOf(secret), login);
    return { secret, login };
  }

  /** @returns the login that waits under a code. Wrong codes of one user are limited. */
  waiting(code: string, by: string): Login | Refused {
    this.#sweep();
    const now = this.#clock.monotonic();
    const bucket = this.#tries.of(by, now);
    const wait = this.#tries.rate.take(bucket, now);
    if (wait > 0) return new Refused(429, `too many wrong codes; try again in ${wait} s`, [], wait);
    const typed = typedCode(code);
    for (const login of this.#logins.values()) {
      if (login.code !== typed || login.keyId !== undefined) continue;
      bucket.left++;
      return login;
    }
    return notFound("nobody waits with that code", undefined, "code");
  }

  /** @returns the login with a secret; undefined when there is none, or its time is over */
  of(secret: string): Login | undefined {
    this.#sweep();
    return this.#logins.get(digestOf(secret));
  }

  /** Ends a login: a secret is good for one key. */
  end(secret: string): void {
    this.#logins.delete(digestOf(secret));
  }

  #newCode(): string {
    const taken = new Set([...this.#logins.values()].map(({ code }) => code));
    let code = letterCode(this.#random);
    while (taken.has(code)) code = letterCode(this.#random);
    return code;
  }

  #sweep(): void {
    const now = this.#clock.monotonic();
    for (const [digest, { until }] of this.#logins) if (until <= now) this.#logins.delete(digest);
  }
}

function digestOf(secret: string): string {
  return hash("sha256", secret, "base64");
}

function tooMany(waitS: number): Refused {
  return new Refused(429, `too many logins; try again in ${waitS} s`, [], waitS);
}
