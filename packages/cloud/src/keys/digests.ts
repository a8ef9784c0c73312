import { createHmac, timingSafeEqual } from "node:crypto";

/** Purpose of a digest. The same text has a different digest for each purpose. */
export type DigestPurpose =
  | "address"
  | "caller"
  | "login"
  | "code"
  | "hub-session"
  | "hub-challenge"
  | "cursor"
  | "oauth"
  | "client"
  | "rates";

/** Keyed digests (HMAC-SHA-256, base64url). Nobody without the key can find the text by guessing. */
export class Digests {
  readonly #key: Buffer;

  /** @param key base64url */
  constructor(key: string) {
    this.#key = Buffer.from(key, "base64url");
  }

  of(purpose: DigestPurpose, ...texts: readonly string[]): string {
    return createHmac("sha256", this.#key)
      .update(JSON.stringify([purpose, ...texts]))
      .digest("base64url");
  }

  /** Whether a digest that somebody has sent is that of these texts. Takes equally long for all wrong ones. */
  isOf(digest: string, purpose: DigestPurpose, ...texts: readonly string[]): boolean {
    const [given, wanted] = [Buffer.from(digest), Buffer.from(this.of(purpose, ...texts))];
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }
}
