import { hash, randomBytes } from "node:crypto";
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { limits, lazyValidator } from "@ledge/model";
import Type from "typebox";
import { keyBytes } from "../aes.ts";
import { wipe, writeWhole } from "../folder.ts";
import type { Keyring } from "./keyring.ts";

const KeysFile = Type.Object({
  /** Subject -> key, in base64. */
  keys: Type.Record(Type.String(), Type.String({ minLength: 44, maxLength: 44 })),
  /** Fingerprints of destroyed keys, so that an older file that is put back cannot bring them back. */
  forgotten: Type.Array(Type.String()),
});
type KeysFile = Type.Static<typeof KeysFile>;
const validator = lazyValidator(KeysFile);

/** Returns the file with the keys in a data folder (0600). */
export function keysFile(folder: string): string {
  return join(folder, "personal-keys.json");
}

/**
 * The keys of personal fields: one for each person, in a small file of its own. The log cannot delete
 * anything; a person is forgotten by destroying the key, which makes everything that it has sealed
 * unreadable.
 */
export class PersonalKeys implements Keyring {
  readonly #file: string;
  readonly #keys: Map<string, Buffer>;
  #forgotten: readonly string[];
  /** Whether the file still has keys that are destroyed here. */
  #isBehind = false;
  /** Why the file could not be read; what was sealed with its keys is then blank. */
  readonly damage: string | undefined;

  /** Reads the file; a missing one has no keys. Writes nothing until there is something to keep. */
  constructor(folder: string) {
    this.#file = keysFile(folder);
    const found = readKeys(this.#file);
    this.damage = typeof found === "string" ? found : undefined;
    const { keys, forgotten } = typeof found === "string" ? nothing : found;
    this.#keys = new Map(Object.entries(keys).map(([subject, key]) => [subject, Buffer.from(key, "base64")]));
    this.#forgotten = forgotten;
  }

  get(subject: string): Buffer | undefined {
    return this.#keys.get(subject);
  }

  /** All keys by subject. */
  get all(): ReadonlyMap<string, Buffer> {
    return this.#keys;
  }

  /** The fingerprints of the destroyed keys, oldest first. */
  get forgotten(): readonly string[] {
    return this.#forgotten;
  }

  /**
   * Makes keys for the subjects that have none; new keys are on disk when this returns.
   * @throws the error of `node:fs`; then none of them has a new key
   */
  make(subjects: Iterable<string>): void {
    const fresh = [...new Set(subjects)].filter((subject) => !this.#keys.has(subject));
    if (fresh.length === 0) return;
    for (const subject of fresh) this.#keys.set(subject, randomBytes(keyBytes));
    try {
      this.#write();
    } catch (error) {
      for (const subject of fresh) this.#keys.delete(subject);
      throw error;
    }
  }

  /**
   * Destroys the keys of subjects, for good when this returns.
   * @throws the error of `node:fs`; then they are gone for this process, and from the disk with the next
   * write
   */
  destroy(subjects: Iterable<string>): void {
    for (const subject of subjects) {
      const key = this.#keys.get(subject);
      if (key === undefined) continue;
      this.#keys.delete(subject);
      this.#remember([...this.#forgotten, fingerprint(key)]);
      this.#isBehind = true;
    }
    if (this.#isBehind) this.#write();
  }

  /**
   * Destroys the keys that were destroyed elsewhere, and remembers them.
   * @param forgotten the `forgotten` of the other keys
   * @returns the subjects of those keys
   * @throws as `destroy`
   */
  destroyAll(forgotten: readonly string[]): string[] {
    if (forgotten.length === 0) return [];
    const gone = new Set(forgotten);
    const subjects = [...this.#keys].flatMap(([subject, key]) =>
      gone.has(fingerprint(key)) ? [subject] : [],
    );
    this.#remember([...forgotten, ...this.#forgotten]);
    this.#isBehind = true;
    this.destroy(subjects);
    return subjects;
  }

  #remember(forgotten: readonly string[]): void {
    this.#forgotten = [...new Set(forgotten)].slice(-limits.forgottenKeys);
  }

  #write(): void {
    const keys = Object.fromEntries(
      [...this.#keys].map(([subject, key]) => [subject, key.toString("base64")]),
    );
    const aside = `${this.#file}.damaged`;
    // An unreadable file is kept until somebody has to be forgotten, whose key may be in it.
    if (this.damage !== undefined && existsSync(this.#file) && !existsSync(aside))
      renameSync(this.#file, aside);
    const old = this.#isBehind && existsSync(this.#file) ? openSync(this.#file, "r+") : undefined;
    try {
      writeWhole(
        this.#file,
        `${JSON.stringify({ keys, forgotten: [...this.#forgotten] } satisfies KeysFile)}\n`,
      );
      if (old !== undefined) wipe(old);
    } finally {
      if (old !== undefined) closeSync(old);
    }
    if (this.#isBehind) rmSync(aside, { force: true });
    this.#isBehind = false;
  }
}

const nothing: KeysFile = { keys: {}, forgotten: [] };

function readKeys(file: string): KeysFile | string {
  if (!existsSync(file)) return nothing;
  try {
    const found: unknown = JSON.parse(readFileSync(file, "utf8"));
    return validator.Check(found) ? found : "it is not a list of keys";
  } catch (error) {
    return (error as Error).message;
  }
}

/** Identifies a key without revealing it. */
function fingerprint(key: Buffer): string {
  return hash("sha256", key, "hex").slice(0, 32);
}
