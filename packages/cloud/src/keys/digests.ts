import { createHmac } from "node:crypto";

/** What a digest is of: the same text comes to another one for another purpose. */
export type DigestPurpose = "address" | "caller" | "login" | "code" | "hub-session";

/** Keyed digests (HMAC-SHA-256, base64url): without the key nobody learns by trying what they are of. */
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
}
