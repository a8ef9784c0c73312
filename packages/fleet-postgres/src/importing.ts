import { type OutboxEntry, RegisterStoreError } from "@ledge/fleet";
import { Connections } from "./connections.ts";
import { importKey } from "./log/reading.ts";
import { migrate } from "./migrations.ts";
import { putMessages } from "./outbox.ts";

/** A database that an import fills. Until `finish`, `openPostgresLog` opens it only with `isImport`. */
export class DatabaseImport {
  readonly #connections: Connections;

  private constructor(connections: Connections) {
    this.#connections = connections;
  }

  /**
   * Begins to fill a database, and deletes what an unfinished import has left there.
   * @param url as of `openPostgresRegisterStore`
   * @throws RegisterStoreError `failed` when the database has a log already, or does not answer
   */
  static async begin(url: string): Promise<DatabaseImport> {
    const connections = new Connections(url);
    try {
      await migrate(connections);
      await empty(connections);
      return new DatabaseImport(connections);
    } catch (error) {
      await connections.close();
      throw error;
    }
  }

  /**
   * Puts messages into an outbox at the positions that they have, so that readers stay where they are.
   * @param entries in order, behind those of earlier calls
   * @throws RegisterStoreError
   */
  async putMessages(topic: string, entries: readonly OutboxEntry[]): Promise<void> {
    await this.#connections.transaction((session) => putMessages(session, topic, entries));
  }

  /** Opens the database to all. @throws RegisterStoreError */
  async finish(): Promise<void> {
    await this.#connections.query("DELETE FROM ledge.log_records WHERE key = $1", [importKey]);
  }

  close(): Promise<void> {
    return this.#connections.close();
  }
}

async function empty(connections: Connections): Promise<void> {
  await connections.transaction(async (session) => {
    await session.query("LOCK TABLE ledge.log_records IN EXCLUSIVE MODE");
    const [found] = await session.query<{ isFull: boolean }>(
      `SELECT EXISTS (SELECT FROM ledge.log_blocks) AND NOT EXISTS (SELECT FROM ledge.log_records WHERE key = $1)
       AS "isFull"`,
      [importKey],
    );
    if (found?.isFull === true) throw new RegisterStoreError("failed", "the database has a cloud already");
    await session.query(
      `TRUNCATE ledge.log_blocks, ledge.log_parts, ledge.log_records, ledge.sources, ledge.rows, ledge.topics,
         ledge.outbox, ledge.readers, ledge.personal_keys`,
    );
    await session.query("INSERT INTO ledge.log_records VALUES ($1, '')", [importKey]);
  });
}
