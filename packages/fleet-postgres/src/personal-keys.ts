import { Connections } from "./connections.ts";

/** The key of a person, sealed with a secret key that is not in the database. */
export interface SealedKey {
  readonly subject: string;
  /** Says which secret key opens it. */
  readonly keyId: string;
  readonly sealed: Buffer;
}

/** The keys of people in a database that `openPostgresRegisterStore` has opened before. */
export class PersonalKeyTable {
  readonly #connections: Connections;

  /** @param url as of `openPostgresRegisterStore` */
  constructor(url: string) {
    this.#connections = new Connections(url);
  }

  /** @throws RegisterStoreError, as the others do */
  all(): Promise<readonly SealedKey[]> {
    return this.#connections.query<SealedKey>(
      `SELECT subject, key_id AS "keyId", sealed FROM ledge.personal_keys`,
    );
  }

  /** Stores keys; one that is there already stays. */
  async put(keys: readonly SealedKey[]): Promise<void> {
    await this.#connections.query(
      `INSERT INTO ledge.personal_keys SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[])
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
