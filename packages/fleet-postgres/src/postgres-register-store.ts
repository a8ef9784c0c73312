import type {
  Applied,
  Batch,
  IdRange,
  Lease,
  ListQuery,
  OutboxEntry,
  Page,
  Refused,
  RegisterStore,
  Row,
  RowKey,
  RowKind,
  SourceBounds,
  SourceState,
} from "@ledge/fleet";
import { decodeRow, OncePerKey, requireKeyTexts, stateOf } from "@ledge/fleet/store";
import { limits } from "@ledge/model";
import { applyIn } from "./applying.ts";
import { Connections, type Session } from "./connections.ts";
import { leasesIn, type Now, releaseLease, takeLease } from "./leases.ts";
import { migrate } from "./migrations.ts";
import { forgetMessages, readOutbox, trimOutbox } from "./outbox.ts";
import { readPage } from "./paging.ts";
import { lockSource, sourceIn } from "./sources.ts";

export interface PostgresRegisterStoreOptions {
  /** postgres://user:password@host:port/database, or with the folder of a socket as `?host=`. */
  readonly url: string;
  /** ms since the epoch, for leases; default: the clock of the database, which all processes share. */
  readonly now?: () => number;
  /** How much a source may have; default: as in `limits`. */
  readonly bounds?: SourceBounds;
}

/**
 * Opens the register store in the schema `ledge` of a database of PostgreSQL 15 or newer, and creates it when it is
 * missing. Several processes may have it open.
 * @throws RegisterStoreError `failed` when the database does not answer, or a newer release has written it
 */
export async function openPostgresRegisterStore(
  options: PostgresRegisterStoreOptions,
): Promise<RegisterStore> {
  const connections = new Connections(options.url);
  try {
    await migrate(connections);
    const store = new PostgresRegisterStore(connections, options);
    await store.continueForgetting();
    return store;
  } catch (error) {
    await connections.close();
    throw error;
  }
}

class PostgresRegisterStore implements RegisterStore {
  readonly #connections: Connections;
  readonly #bounds: SourceBounds;
  readonly #now: Now;
  readonly #forgetting = new OncePerKey();
  /** Settle when a source is marked as one that is being forgotten. */
  readonly #marking = new Map<string, Promise<unknown>>();
  #isClosed = false;

  constructor(connections: Connections, { now, bounds = limits }: PostgresRegisterStoreOptions) {
    this.#connections = connections;
    this.#now = now;
    this.#bounds = bounds;
  }

  async apply(batch: Batch): Promise<Applied | Refused> {
    requireKeyTexts(batch);
    await this.#marking.get(batch.source);
    return this.#transaction((session) => applyIn(session, batch, this.#bounds));
  }

  async cursorOf(source: string): Promise<SourceState | undefined> {
    const stored = await sourceIn(this.#connections, source);
    return stored === undefined || stored.isForgotten ? undefined : stateOf(stored);
  }

  async sources(): Promise<readonly string[]> {
    const found = await this.#connections.query<{ id: string }>(
      "SELECT id FROM ledge.sources WHERE NOT is_forgotten ORDER BY id",
    );
    return found.map(({ id }) => id);
  }

  async get(key: RowKey): Promise<Row | undefined> {
    const [found] = await this.#connections.query<{ record: Buffer }>(
      "SELECT record FROM ledge.rows WHERE register = $1 AND kind = $2 AND id = $3",
      [key.register, key.kind, key.id],
    );
    return found && decodeRow(key, found.record);
  }

  page(register: string, query: ListQuery): Promise<Page> {
    return readPage(this.#connections, register, query);
  }

  async *scan(register: string, kind: RowKind, { after = "", until }: IdRange = {}): AsyncGenerator<Row> {
    for (let from = after; ;) {
      const slice = await this.#connections.query<{ id: string; record: Buffer }>(
        `SELECT id, record FROM ledge.rows
         WHERE register = $1 AND kind = $2 AND id > $3 AND ($4::text IS NULL OR id <= $4) ORDER BY id LIMIT $5`,
        [register, kind, from, until ?? null, limits.scanSliceRows],
      );
      for (const { id, record } of slice) yield decodeRow({ register, kind, id }, record);
      if (slice.length < limits.scanSliceRows) return;
      from = slice.at(-1)?.id ?? from;
    }
  }

  outbox(topic: string, after: number, max: number, bytes = Infinity): Promise<readonly OutboxEntry[]> {
    return readOutbox(this.#connections, topic, { after, max, bytes });
  }

  positionOf(reader: string): Promise<number> {
    return this.#number("SELECT position AS found FROM ledge.readers WHERE name = $1", [reader]);
  }

  async moveCursor(reader: string, from: number, to: number): Promise<boolean> {
    return this.#transaction(async (session) => {
      await session.query("INSERT INTO ledge.readers VALUES ($1, 0) ON CONFLICT DO NOTHING", [reader]);
      const moved = await session.query(
        "UPDATE ledge.readers SET position = $3 WHERE name = $1 AND position = $2 RETURNING 1",
        [reader, from, to],
      );
      await session.query("DELETE FROM ledge.readers WHERE name = $1 AND position = 0", [reader]);
      return moved.length > 0;
    });
  }

  trimOutbox(topic: string, upto: number): Promise<number> {
    return trimOutbox(this.#connections, topic, upto);
  }

  beyondNewest(topic: string, count: number): Promise<number> {
    return this.#number(
      "SELECT position AS found FROM ledge.outbox WHERE topic = $1 ORDER BY position DESC OFFSET $2 LIMIT 1",
      [topic, count],
    );
  }

  outboxBytes(topic: string): Promise<number> {
    return this.#number("SELECT bytes AS found FROM ledge.topics WHERE topic = $1", [topic]);
  }

  forget(source: string): Promise<void> {
    return this.#forgetting.run(source, () => this.#forget(source));
  }

  async #forget(source: string): Promise<void> {
    const marked = this.#transaction(async (session) => {
      await lockSource(session, source);
      await session.query("UPDATE ledge.sources SET is_forgotten = true WHERE id = $1", [source]);
    });
    this.#marking.set(
      source,
      marked.catch(() => {}),
    );
    try {
      await marked;
    } finally {
      this.#marking.delete(source);
    }
    while (!this.#isClosed && (await this.#forgetSlice(source)));
  }

  /** @returns whether more may be left */
  #forgetSlice(source: string): Promise<boolean> {
    return this.#transaction(async (session) => {
      await lockSource(session, source);
      const rows = await session.query(
        `DELETE FROM ledge.rows WHERE (register, kind, id) IN
           (SELECT register, kind, id FROM ledge.rows WHERE source = $1 LIMIT $2) RETURNING 1`,
        [source, limits.scanSliceRows],
      );
      const messages = await forgetMessages(session, source);
      if (rows.length + messages > 0) return true;
      await session.query("DELETE FROM ledge.sources WHERE id = $1 AND is_forgotten", [source]);
      return false;
    });
  }

  /** Continues what a process that ended has begun to forget. */
  async continueForgetting(): Promise<void> {
    const found = await this.#connections.query<{ id: string }>(
      "SELECT id FROM ledge.sources WHERE is_forgotten",
    );
    // Whatever fails here is forgotten at the next start.
    for (const { id } of found) this.forget(id).catch(() => {});
  }

  takeLease(name: string, holder: string, forMs: number): Promise<Lease | undefined> {
    return this.#transaction((session) => takeLease(session, this.#now, { name, holder, forMs }));
  }

  releaseLease(name: string, holder: string): Promise<void> {
    return this.#transaction((session) => releaseLease(session, name, holder));
  }

  leases(prefix: string): Promise<readonly Lease[]> {
    return leasesIn(this.#connections, this.#now, prefix);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#forgetting.settled();
    await this.#connections.close();
  }

  /** Returns the number that a query finds, 0 for none. */
  async #number(text: string, values: readonly unknown[]): Promise<number> {
    const [row] = await this.#connections.query<{ found: string }>(text, values);
    return Number(row?.found ?? 0);
  }

  #transaction<T>(run: (session: Session) => Promise<T>): Promise<T> {
    return this.#connections.transaction(run);
  }
}
