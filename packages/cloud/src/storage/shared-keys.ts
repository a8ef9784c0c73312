import { randomBytes } from "node:crypto";
import type { PersonalKeyTable } from "@ledge/fleet-postgres";
import { decrypt, encrypt, keyBytes } from "@ledge/host/aes";
import type { Keyring } from "@ledge/host/personal/keyring";
import type { Logger } from "@ledge/host/logger";
import type { SecretKeys } from "@ledge/host/secrets/keys";

/**
 * The keys of people, for all processes of a cloud. They are in the database, sealed with the secret key, which is not: so
 * neither a dump of the database nor a folder alone tells names.
 */
export class SharedKeys implements Keyring {
  readonly #table: PersonalKeyTable;
  readonly #secrets: SecretKeys;
  readonly #logger: Logger;
  readonly #keys = new Map<string, Buffer>();
  /** Made here, and not yet stored. */
  readonly #fresh = new Map<string, Buffer>();
  /** Destroyed here, and perhaps still stored. */
  readonly #gone = new Set<string>();
  /** The position of the newest key that was read. */
  #position = 0;

  private constructor(table: PersonalKeyTable, secrets: SecretKeys, logger: Logger) {
    this.#table = table;
    this.#secrets = secrets;
    this.#logger = logger;
  }

  /** @throws Error when a key is sealed with a secret key that this process does not have */
  static async open(table: PersonalKeyTable, secrets: SecretKeys, logger: Logger): Promise<SharedKeys> {
    const keys = new SharedKeys(table, secrets, logger);
    await keys.refresh();
    return keys;
  }

  /** Reads the keys that other processes have made since. @throws as `open`; RegisterStoreError */
  async refresh(): Promise<void> {
    for (const { subject, keyId, sealed, position } of await this.#table.all(this.#position)) {
      const secret = this.#secrets.get(keyId);
      const key = secret && decrypt(secret, Buffer.from(subject), sealed);
      if (key === undefined)
        throw new Error(
          `the secret key ${keyId} of the cloud is missing: copy secret-key from another process`,
        );
      if (!this.#gone.has(subject)) this.#keys.set(subject, key);
      this.#position = position;
    }
  }

  get(subject: string): Buffer | undefined {
    return this.#keys.get(subject);
  }

  make(subjects: Iterable<string>): void {
    this.add(
      [...new Set(subjects)]
        .filter((subject) => !this.#keys.has(subject))
        .map((subject) => [subject, randomBytes(keyBytes)]),
    );
  }

  /** Adds keys that were made elsewhere; `flush` stores them. */
  add(keys: Iterable<readonly [subject: string, key: Buffer]>): void {
    for (const [subject, key] of keys) {
      this.#keys.set(subject, key);
      this.#fresh.set(subject, key);
    }
  }

  destroy(subjects: Iterable<string>): void {
    for (const subject of subjects) {
      this.#fresh.delete(subject);
      if (this.#keys.delete(subject)) this.#gone.add(subject);
    }
    if (this.#gone.size === 0) return;
    this.flush().catch((error: unknown) =>
      this.#logger.error({ error }, "a personal key is still in the database: deleting it will be retried"),
    );
  }

  /** Stores what was made, and deletes what was destroyed. @throws RegisterStoreError; the next call tries again */
  async flush(): Promise<void> {
    if (this.#gone.size > 0) {
      const gone = [...this.#gone];
      await this.#table.remove(gone);
      for (const subject of gone) this.#gone.delete(subject);
    }
    if (this.#fresh.size === 0) return;
    const fresh = [...this.#fresh];
    const { id: keyId, key: secret } = this.#secrets.sealing();
    await this.#table.put(
      fresh.map(([subject, key]) => ({ subject, keyId, sealed: encrypt(secret, Buffer.from(subject), key) })),
    );
    for (const [subject, key] of fresh) if (this.#fresh.get(subject) === key) this.#fresh.delete(subject);
  }
}
