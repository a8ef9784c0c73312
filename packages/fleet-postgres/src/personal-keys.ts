import { Connections } from "./connections.ts";

/** The key of a person, sealed with a secret key that is not in the database. */
export interface SealedKey {
  readonly subject: string;
  /** Says which secret key opens it. */
  readonly keyId: string;
  readonly sealed: Buffer;
  /** Grows with each key that is stored. */
  readonly position: number;
}

/** The keys of people in a database that `openPostgresRegisterStore` has opened before. */
export class PersonalKeyTable {
  readonly #connections: Connections;

  /** @param url as of `openPostgresRegisterStore` */
  constructor(url: string) {
    this.#connections = new Connections(url);
  }

  /**
   * Returns the keys that were stored after a position, in order.
   * @throws RegisterStoreError, as the others do
   */
  async all(after = 0): Promise<readonly SealedKey[]> {
    const found = await this.#connections.query<Omit<SealedKey, "position"> & { position: string }>(
      `SELECT subject, key_id AS "keyId", sealed, position FROM ledge.personal_keys WHERE position > $1 ORDER BY position`,
      [after],
    );
    return found.map((key) => ({ ...key, position: Number(key.position) }));
  }

  /** Stores keys; one that is there already stays. */
  async put(keys: readonly Omit<SealedKey, "position">[]): Promise<void> {
    await this.#connections.query(
      `INSERT INTO ledge.personal_keys (subject, key_id, sealed) SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[])
       ON CONFLICT DO NOTHING`,
      [keys.map(({ subject }) => subject), keys.map(({ keyId }) => keyId), keys.map(({ sealed }) => sealed)],
    );
  }

  async remove(subjects: readonly string[]): Promise<void> {
    await this.#connections.query("DELETE FROM ledge.personal_keys WHERE subject = ANY($1)", [subjects]);
  }

  close(): Promise<void> {
    return this.#connections.close();
  }
}
