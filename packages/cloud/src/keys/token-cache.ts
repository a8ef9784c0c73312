import { hash } from "node:crypto";
import { limits } from "@ledge/model";

/**
 * What tokens were found to be, so that the same one is not verified with every request; the oldest goes first. A
 * signing key is published until all that it has signed has expired: what was found once holds until then, unless the
 * key is withdrawn.
 */
export class TokenCache<T extends { readonly expires: number }> {
  readonly #found = new Map<string, T>();

  /** @param now ms since the epoch */
  get(token: string, now: number): T | undefined {
    const key = keyOf(token);
    const found = this.#found.get(key);
    if (found === undefined || found.expires > now) return found;
    this.#found.delete(key);
    return undefined;
  }

  /** A key was withdrawn. */
  clear(): void {
    this.#found.clear();
  }

  put(token: string, found: T): void {
    if (this.#found.size >= limits.cloudTokensVerified) {
      const [oldest] = this.#found.keys();
      if (oldest !== undefined) this.#found.delete(oldest);
    }
    this.#found.set(keyOf(token), found);
  }
}

/** A cache that is read by others must not hold tokens. */
function keyOf(token: string): string {
  return hash("sha256", token, "base64url");
}
