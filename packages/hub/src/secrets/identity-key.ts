import { createPrivateKey } from "node:crypto";
import { existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { HubKeyClaims, IssuerKey, KeySet } from "@ledge/link";
import { generateIssuerKey, keySetOf, signHubKey } from "@ledge/link";
import type { Hub, HubUser, LocalKey } from "@ledge/model";
import { limits, lazyValidator } from "@ledge/model";
import { writeWhole } from "@ledge/host/folder";
import type { Logger } from "@ledge/host/logger";
import Type from "typebox";

/** The name of the key's file in a data folder. */
export const identityFile = "identity-key.json";

/** The content of an identity key's file, as the first start writes it. */
export const IdentityFile = Type.Object({
  kid: Type.String({ minLength: 1, maxLength: 64 }),
  publicJwk: Type.Record(Type.String(), Type.String()),
  privateJwk: Type.Record(Type.String(), Type.String()),
});
const validator = lazyValidator(IdentityFile);

/** Facts about the key from the log. */
export interface KnownIdentity {
  /** The fingerprint of the hub's key; null when the log knows none. */
  readonly fingerprint: string | null;
  /** Whether a key may be made when the log knows none and there is no file. */
  readonly mayMake: boolean;
}

/** The reason why there is no identity key. */
export class IdentityLostError extends Error {
  override readonly name = "IdentityLostError";
}

/**
 * The hub's own key pair, in the data folder (0600) since its first start. It proves the hub's identity. A lost
 * key is never replaced without a request; until then the hub goes on without its cloud.
 */
export class IdentityKey {
  /** The issuer (`iss`) in keys that it signs. */
  readonly name = "ledge-hub";
  /** The issuer in keys that have a record in the log. */
  readonly localName = "ledge-hub-key";
  readonly #file: string;
  #held: IssuerKey | string;
  #keys: KeySet = new Map();
  #generation = 0;
  /** Whether the key was made now, because there was none or because a restore left it out on purpose. */
  readonly isNew: boolean;

  private constructor(file: string, held: IssuerKey | string, isNew = false) {
    this.#file = file;
    this.isNew = isNew;
    this.#held = held;
    this.#hold(held);
  }

  /**
   * Reads the key, or makes one when there never was one. A key that cannot be written lasts as long as the
   * process.
   */
  static async open(
    folder: string,
    logger: Pick<Logger, "error">,
    { fingerprint, mayMake }: KnownIdentity = { fingerprint: null, mayMake: true },
  ): Promise<IdentityKey> {
    const file = join(folder, identityFile);
    const found = readIdentity(folder, fingerprint);
    const isFirst = fingerprint === null && mayMake && !existsSync(file);
    if (!isFirst) return new IdentityKey(file, found);
    const made = await generateIssuerKey();
    try {
      writeKey(file, made);
    } catch (error) {
      logger.error({ error }, "the hub's identity key cannot be written: free some room and restart the hub");
    }
    return new IdentityKey(file, made, true);
  }

  /** The reason why there is no key; undefined when there is one. */
  get problem(): string | undefined {
    return typeof this.#held === "string" ? this.#held : undefined;
  }

  /** @throws IdentityLostError */
  get key(): IssuerKey {
    if (typeof this.#held === "string") throw new IdentityLostError(this.#held);
    return this.#held;
  }

  /** The public key; empty when the key is lost. */
  get keys(): KeySet {
    return this.#keys;
  }

  /** Grows whenever `keys` changes. */
  get generation(): number {
    return this.#generation;
  }

  /** Whether the key is on disk, so that the log may record it. */
  get isKept(): boolean {
    return existsSync(this.#file) && this.problem === undefined;
  }

  /**
   * Replaces the key. The new one is on disk when this returns; an existing file is kept under another name.
   * @param now ms since the epoch
   * @throws the error of `node:fs`; the key is then unchanged
   */
  replace(key: IssuerKey, now: number): void {
    if (existsSync(this.#file)) renameSync(this.#file, `${this.#file}.replaced-${now}`);
    writeKey(this.#file, key);
    this.#hold(key);
  }

  /**
   * Signs a HubKey for a user, valid for `limits.recoveredKeyMs`.
   * @param now ms since the epoch
   * @throws IdentityLostError
   */
  sign(hub: Hub, user: HubUser, now: number): Promise<string> {
    return signHubKey(claimsOf(hub, user), this.name, this.key, now, limits.recoveredKeyMs);
  }

  /**
   * Signs the key of a record: the same one each time.
   * @throws IdentityLostError
   */
  signLocal(hub: Hub, { id, signedAt, expires }: LocalKey, user: HubUser): Promise<string> {
    const claims = { ...claimsOf(hub, user), jti: id };
    return signHubKey(claims, this.localName, this.key, signedAt, expires - signedAt);
  }

  #hold(held: IssuerKey | string): void {
    this.#held = held;
    this.#keys = typeof held === "string" ? new Map() : keySetOf([held]);
    this.#generation += 1;
  }
}

function claimsOf(hub: Hub, { user_info: { user, role } }: HubUser): HubKeyClaims {
  const { uid: user_id, email, nickname } = user;
  const who = { user_id, email, nickname, role, owner: user_id === hub.owner };
  return { hub_id: hub.id, hub_name: hub.name, ...who, auth_seq: 0 };
}

/**
 * Returns the key of a data folder, or the problem with it.
 * @param fingerprint of the hub's key; null when the log knows none
 */
export function readIdentity(folder: string, fingerprint: string | null): IssuerKey | string {
  const file = join(folder, identityFile);
  if (!existsSync(file)) return `${identityFile} is missing`;
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    return `${identityFile} cannot be read: ${(error as NodeJS.ErrnoException).code}`;
  }
  const found = parseIdentity(text);
  if (found === undefined) return `${identityFile} holds no key`;
  if (fingerprint !== null && found.kid !== fingerprint) return `${identityFile} is not this hub's`;
  return found;
}

/** Returns the key in the text of such a file; undefined when there is none. */
export function parseIdentity(text: string): IssuerKey | undefined {
  try {
    const key: unknown = JSON.parse(text);
    if (!validator.Check(key)) return undefined;
    createPrivateKey({ key: key.privateJwk, format: "jwk" });
    return key.publicJwk["x"] === key.privateJwk["x"] ? key : undefined;
  } catch {
    return undefined;
  }
}

function writeKey(file: string, key: IssuerKey): void {
  writeWhole(file, `${JSON.stringify(key)}\n`);
}
