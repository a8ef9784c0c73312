import type { Upcasters } from "@ledge/model";
import type { Sealing } from "@ledge/log";
import { BlockLog } from "@ledge/log/store";
import { Connections } from "../connections.ts";
import { migrate } from "../migrations.ts";
import { type Fence, PostgresStore, type Writing } from "./postgres-store.ts";
import { readStored } from "./reading.ts";

export interface PostgresLogOptions extends Writing {
  /** As in `PostgresRegisterStoreOptions`. */
  readonly url: string;
  /** Set while a `DatabaseImport` is under way. */
  readonly isImport?: true;
  readonly upcasters?: Upcasters;
  readonly sealing?: Sealing;
}

/** A log whose truth is in a database; this process reads its copy of it. */
export class PostgresLog extends BlockLog {
  readonly #store: PostgresStore;

  constructor(store: PostgresStore, { upcasters, sealing }: PostgresLogOptions) {
    super(store, upcasters, sealing);
    this.#store = store;
  }

  /** Fails what waits for the database, which may have taken it. The log writes nothing more. */
  abandon(): void {
    this.#store.abandon();
  }

  /**
   * Reads what another process has written since. One call at a time.
   * @returns whether there was anything
   * @throws RegisterStoreError when the database does not answer
   */
  catchUp(): Promise<boolean> {
    return this.#store.catchUp();
  }

  /**
   * Becomes the writer of a log that was followed. Not while it catches up.
   * @throws RegisterStoreError when the database does not answer; LogError as `openPostgresLog`
   */
  async lead(fence: Fence): Promise<void> {
    await this.#store.lead(fence);
    this.takeOver();
  }
}

/**
 * Opens the event log in the schema `ledge` of a database, and creates it when it is missing. Holds all of it in memory.
 * @throws RegisterStoreError `failed` when the database does not answer, or a newer release has written it; LogError
 *   `locked` when an import was not finished, `damaged` when its end or the record of its compaction cannot be read
 */
export async function openPostgresLog(options: PostgresLogOptions): Promise<PostgresLog> {
  const connections = new Connections(options.url);
  try {
    await migrate(connections);
    const disk = await readStored(connections, options.isImport === true);
    return new PostgresLog(new PostgresStore(connections, disk, options), options);
  } catch (error) {
    await connections.close();
    throw error;
  }
}
