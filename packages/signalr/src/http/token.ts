// Connection tokens. A token carries what negotiation decided, signed, so that a negotiation that leads to nothing
// costs no memory.
import { createHmac, timingSafeEqual } from "node:crypto";

/** What a token says. */
export interface Negotiated {
  readonly connectionId: string;
  /** On the clock of the hub. */
  readonly expires: number;
  readonly isStateful: boolean;
}

const macBytes = 24;
const tokenLengthMax = 200;

export class Tokens {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** A token that only this user can use. */
  issue({ connectionId, expires, isStateful }: Negotiated, userId: string): string {
    const text = `${connectionId}.${Math.ceil(expires)}.${isStateful ? 1 : 0}`;
    return `${text}.${this.#mac(text, userId)}`;
  }

  /** What a token says; undefined if we did not issue it, or issued it to somebody else. */
  read(token: string, userId: string): Negotiated | undefined {
    if (token.length > tokenLengthMax) return undefined;
    const end = token.lastIndexOf(".");
    const text = token.slice(0, Math.max(end, 0));
    const mac = Buffer.from(token.slice(end + 1));
    const expected = Buffer.from(this.#mac(text, userId));
    if (mac.byteLength !== expected.byteLength || !timingSafeEqual(mac, expected)) return undefined;
    const [connectionId = "", expires, stateful] = text.split(".");
    return { connectionId, expires: Number(expires), isStateful: stateful === "1" };
  }

  #mac(text: string, userId: string): string {
    const mac = createHmac("sha256", this.#key).update(`${text}\n${userId}`).digest();
    return mac.subarray(0, macBytes).toString("base64url");
  }
}
