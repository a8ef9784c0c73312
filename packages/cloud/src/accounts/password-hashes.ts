import { type Argon2Parameters, argon2, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { limits } from "@ledge/model";
import { Slots } from "../process/slots.ts";

/** Derives a key from a password. */
export type Derive = (parameters: Argon2Parameters) => Promise<Buffer>;

const hashed = promisify<"argon2id", Argon2Parameters, Buffer>(argon2);
const argon2id: Derive = (parameters) => hashed("argon2id", parameters);

/** OWASP's second choice: 19 MiB, two passes, one lane. */
const cost = { memory: limits.passwordHashBytes / 1024, passes: 2, parallelism: 1 } as const;
const saltBytes = 16;
const tagBytes = 32;

/** Thrown when too many passwords wait to be hashed. */
export class BusyError extends Error {
  override readonly name = "BusyError";
}

/**
 * Hashes fixed passwords with argon2id, a few at once. Each hash occupies a core and megabytes for a while,
 * and must not delay work that waits for the disk.
 */
export class PasswordHashes {
  readonly #random: (size: number) => Uint8Array;
  readonly #hashed: Derive;
  readonly #slots = new Slots(limits.passwordHashes);

  constructor(random: (size: number) => Uint8Array, derive: Derive = argon2id) {
    this.#random = random;
    this.#hashed = derive;
  }

  /**
   * Returns a hash in the usual form (`$argon2id$v=19$m=…,t=…,p=…$salt$hash`).
   * @throws BusyError
   */
  async hash(password: string): Promise<string> {
    const salt = Buffer.from(this.#random(saltBytes));
    const { memory, passes, parallelism } = cost;
    const tag = await this.#derive(password, salt, cost);
    return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
  }

  /**
   * Whether a password matches a hash. Without a hash the answer is no, after the same time.
   * @throws BusyError
   */
  async verify(password: string, hash: string | undefined): Promise<boolean> {
    const form = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([^$]{22})\$([^$]{43})$/;
    const [, memory, passes, parallelism, salt = "", tag = ""] = form.exec(hash ?? "") ?? [];
    if (memory === undefined) {
      await this.#derive(password, Buffer.alloc(saltBytes), cost);
      return false;
    }
    const held = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
    const found = await this.#derive(password, Buffer.from(salt, "base64"), held);
    return timingSafeEqual(found, Buffer.from(tag, "base64"));
  }

  async #derive(
    password: string,
    nonce: Buffer,
    parameters: { memory: number; passes: number; parallelism: number },
  ): Promise<Buffer> {
    if (this.#slots.waiting >= limits.passwordsWaiting)
      throw new BusyError("too many passwords are being checked: try again");
    const leave = await this.#slots.enter();
    try {
      const message = password.normalize("NFC");
      return await this.#hashed({ message, nonce, tagLength: tagBytes, ...parameters });
    } finally {
      leave();
    }
  }
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}
