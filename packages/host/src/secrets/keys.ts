import { hash, randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { keyBytes } from "../aes.ts";
import { writeWhole } from "../folder.ts";

/** The name of the credential that systemd may pass. */
const credential = "ledge-secret-key";

/** Returns the file with the secret key of a data folder (0600): base64 of 32 bytes. */
export function secretKeyFile(folder: string): string {
  return join(folder, "secret-key");
}

/** A key with its id, which does not reveal it. */
export interface SecretKey {
  readonly id: string;
  readonly key: Buffer;
}

/**
 * The hub's secret keys: the one that seals, and those that still open. A systemd credential seals if there
 * is one, otherwise the key of the data folder, which is made when it is first needed.
 */
export class SecretKeys {
  readonly #file: string;
  readonly #keys = new Map<string, SecretKey>();
  #sealing: SecretKey | undefined;
  /** Why a key could not be read. */
  readonly damage: string | undefined;

  /** @param credentials the folder with systemd's credentials */
  constructor(folder: string, credentials: string | undefined = process.env["CREDENTIALS_DIRECTORY"]) {
    this.#file = secretKeyFile(folder);
    const given = credentials === undefined ? undefined : readKey(join(credentials, credential));
    const own = readKey(this.#file);
    for (const found of [own, given]) {
      if (found === undefined) continue;
      if (typeof found === "string") this.damage = found;
      else {
        this.#keys.set(found.id, found);
        this.#sealing = found;
      }
    }
  }

  get(id: string): Buffer | undefined {
    return this.#keys.get(id)?.key;
  }

  /**
   * Returns the key that seals; it is on disk when this returns.
   * @throws the error of `node:fs`; then there is no key
   */
  sealing(): SecretKey {
    if (this.#sealing !== undefined) return this.#sealing;
    const made = keyOf(randomBytes(keyBytes));
    // An unreadable file may still be repaired.
    const aside = `${this.#file}.damaged`;
    if (existsSync(this.#file) && !existsSync(aside)) renameSync(this.#file, aside);
    writeWhole(this.#file, `${made.key.toString("base64")}\n`);
    this.#keys.set(made.id, made);
    this.#sealing = made;
    return made;
  }
}

function readKey(file: string): SecretKey | string | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const text = readFileSync(file, "latin1").trim();
    const key = Buffer.from(text, "base64");
    return key.length === keyBytes && key.toString("base64") === text ? keyOf(key) : `${file} holds no key`;
  } catch (error) {
    return (error as Error).message;
  }
}

function keyOf(key: Buffer): SecretKey {
  return { id: hash("sha256", key, "hex").slice(0, 16), key };
}
