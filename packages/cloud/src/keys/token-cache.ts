import { hash } from "node:crypto";
import { limits } from "@ledge/model";

/**
 * Caches verified tokens, so that a token is not verified with every request; drops the oldest first. A
 * signing key is published until everything that it has signed has expired, so a cached result holds until
 * then, unless the key is withdrawn.
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

  /** Forgets all tokens, because a key was withdrawn. */
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

/** Returns a digest, so that nobody who can read the cache learns tokens. */
function keyOf(token: string): string {
  return hash("sha256", token, "base64url");
}
