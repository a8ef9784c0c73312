import { RegisterStoreError } from "@ledge/fleet";
import { LogError } from "@ledge/log";
import { limits } from "@ledge/model";
import pg from "pg";

/** Runs statements, one after the other. */
export interface Session {
  query<Found extends object>(text: string, values?: readonly unknown[]): Promise<Found[]>;
}

/** SQLSTATE: another transaction was in the way, so that the same one may succeed when it is tried again. */
const collisions: ReadonlySet<unknown> = new Set(["40001", "40P01"]);
const diskFull = "53100";

/** Another process wrote a row first; the transaction is tried again. */
export class Overtaken extends Error {}

/** Connections to a database, opened when they are needed. */
export class Connections implements Session {
  readonly #pool: pg.Pool;
  #isClosed = false;

  /** @param url postgres://user:password@host:port/database, or with the folder of a socket as `?host=` */
  constructor(url: string) {
    this.#pool = new pg.Pool({
      connectionString: url,
      max: limits.databaseConnections,
      connectionTimeoutMillis: limits.databaseConnectMs,
      statement_timeout: limits.databaseStatementMs,
      query_timeout: limits.databaseAnswerMs,
      keepAlive: true,
      application_name: "ledge-cloud",
    });
    // A connection that is lost while nobody uses it: the next query opens another.
    this.#pool.on("error", () => {});
  }

  async query<Found extends object>(text: string, values: readonly unknown[] = []): Promise<Found[]> {
    this.#requireOpen();
    return guarded(async () => (await this.#pool.query<Found>(text, [...values])).rows);
  }

  /**
   * Runs statements in one transaction: all of them count, or none. Tries again when another transaction was in the
   * way, so `run` must not remember what a try before it did.
   * @throws RegisterStoreError `failed` also when the connection was lost while the transaction was committed: then it
   * may count; LogError as `run` throws it
   */
  async transaction<T>(run: (session: Session) => Promise<T>): Promise<T> {
    this.#requireOpen();
    return guarded(async () => {
      for (let tries = 1; ; tries++) {
        try {
          return await this.#once(run);
        } catch (error) {
          const isCollision =
            error instanceof Overtaken || collisions.has((error as { code?: unknown }).code);
          if (!isCollision || tries === limits.databaseTries) throw error;
        }
      }
    });
  }

  async #once<T>(run: (session: Session) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let isUsable = true;
    // Without a listener, a connection that breaks between two statements ends the process.
    const broken = (): void => void (isUsable = false);
    client.on("error", broken);
    try {
      await client.query("BEGIN");
      const result = await run({
        query: async <Found extends object>(text: string, values?: readonly unknown[]) =>
          (await client.query<Found>(text, values && [...values])).rows,
      });
      await client.query("COMMIT");
      return result;
    } catch (error) {
      if (isUnanswered(error)) broken();
      else await client.query("ROLLBACK").catch(broken);
      throw error;
    } finally {
      client.off("error", broken);
      client.release(!isUsable);
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#pool.end();
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new RegisterStoreError("closed", "the register store is closed");
  }
}

/** Whether the client has given a statement up, which the database may still carry out. */
function isUnanswered(error: unknown): boolean {
  return (error as Error).message === "Query read timeout";
}

async function guarded<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    if (cause instanceof RegisterStoreError || cause instanceof LogError) throw cause;
    const { code, message } = cause as { code?: unknown; message: string };
    const kind = code === diskFull ? "full" : "failed";
    throw new RegisterStoreError(kind, `the database failed: ${message}`, { cause });
  }
}
