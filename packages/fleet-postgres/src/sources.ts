import type { StoredSource } from "@ledge/fleet/store";
import type { Session } from "./connections.ts";

interface SourceRecord {
  readonly cursor: string;
  readonly generation: string;
  readonly note: string | null;
  readonly rows: string;
  readonly bytes: string;
  readonly is_forgotten: boolean;
}

/** Keeps other transactions from a source until this one ends. */
export async function lockSource(session: Session, source: string): Promise<void> {
  await session.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 1))", [source]);
}

export async function sourceIn(session: Session, source: string): Promise<StoredSource | undefined> {
  const [found] = await session.query<SourceRecord>(
    "SELECT cursor, generation, note, rows, bytes, is_forgotten FROM ledge.sources WHERE id = $1",
    [source],
  );
  if (found === undefined) return undefined;
  return {
    cursor: found.cursor,
    generation: Number(found.generation),
    rows: Number(found.rows),
    bytes: Number(found.bytes),
    ...(found.note !== null && { note: found.note }),
    ...(found.is_forgotten && { isForgotten: true }),
  };
}

export async function putSource(session: Session, source: string, state: StoredSource): Promise<void> {
  const { cursor, generation, note, rows, bytes } = state;
  await session.query(
    `INSERT INTO ledge.sources (id, cursor, generation, note, rows, bytes) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (id) DO UPDATE SET cursor = excluded.cursor, generation = excluded.generation, note = excluded.note,
       rows = excluded.rows, bytes = excluded.bytes`,
    [source, cursor, generation, note ?? null, rows, bytes],
  );
}
