import type { Applied, Batch, Refused, Row, RowKey, SourceBounds } from "@ledge/fleet";
import { encodeRow, KeySet, refusalOf, SourceRoom, sourceAfter, succeed } from "@ledge/fleet/store";
import { Overtaken, type Session } from "./connections.ts";
import { leave } from "./outbox.ts";
import { columnsOf, insertRows } from "./row-columns.ts";
import { lockSource, putSource, sourceIn } from "./sources.ts";

interface StoredRow extends RowKey {
  readonly source: string;
  readonly record: Buffer;
}

/** Applies a batch. @param bounds how much the source may have */
export async function applyIn(
  session: Session,
  batch: Batch,
  bounds: SourceBounds,
): Promise<Applied | Refused> {
  const { source } = batch;
  await lockSource(session, source);
  const stored = await sourceIn(session, source);
  const refused = refusalOf(batch, stored);
  if (refused !== undefined) return refused;
  const room = new SourceRoom(stored, bounds);
  const changed = new KeySet();
  await remove(session, batch, { room, changed });
  const leftOut = await upsert(session, batch, { room, changed });
  if (batch.outbox.length > 0) await leave(session, batch);
  await putSource(session, source, sourceAfter(batch, stored, room));
  return { outcome: "applied", changed: changed.all, leftOut: leftOut.all };
}

interface Progress {
  readonly room: SourceRoom;
  readonly changed: KeySet;
}

async function remove(session: Session, { source, removals }: Batch, { room, changed }: Progress) {
  if (removals.length === 0) return;
  const removed = await session.query<RowKey & { readonly bytes: number }>(
    `DELETE FROM ledge.rows USING unnest($1::text[], $2::text[], $3::text[]) AS key (register, kind, id)
     WHERE rows.register = key.register AND rows.kind = key.kind AND rows.id = key.id AND rows.source = $4
     RETURNING rows.register, rows.kind, rows.id, octet_length(record) AS bytes`,
    [...keyColumns(removals), source],
  );
  const sizes = new Map(removed.map((row) => [textOf(row), row.bytes]));
  for (const key of removals) {
    const bytes = sizes.get(textOf(key));
    if (bytes === undefined || !sizes.delete(textOf(key))) continue;
    changed.add(key);
    room.leave(bytes);
  }
}

/** @returns the rows that were left out */
async function upsert(session: Session, batch: Batch, { room, changed }: Progress): Promise<KeySet> {
  const leftOut = new KeySet();
  if (batch.upserts.length === 0) return leftOut;
  const stored = new Map((await storedRows(session, batch.upserts)).map((row) => [textOf(row), row]));
  const written = new Map<string, { row: Row; record: Buffer }>();
  for (const given of batch.upserts) {
    const row = { ...given, source: batch.source };
    const record = encodeRow(row);
    const key = textOf(row);
    const former = stored.get(key);
    if (former !== undefined && former.source === row.source) succeed(record, former.record);
    if (former?.record.equals(record)) continue;
    const isOwn = former === undefined || former.source === row.source;
    if (!isOwn || !room.take(record.length, former?.record.length)) {
      leftOut.add(row);
      continue;
    }
    stored.set(key, { ...row, record });
    written.set(key, { row, record });
    changed.add(row);
  }
  if (written.size === 0) return leftOut;
  // In one order, so that two sources do not wait for each other.
  const rows = [...written.keys()].toSorted().flatMap((key) => written.get(key) ?? []);
  const count = await insertRows(
    session,
    rows.map(({ row, record }) => columnsOf(row, record)),
  );
  if (count < rows.length) throw new Overtaken("another source has the row");
  return leftOut;
}

function storedRows(session: Session, keys: readonly RowKey[]): Promise<StoredRow[]> {
  return session.query<StoredRow>(
    `SELECT rows.register, rows.kind, rows.id, source, record FROM ledge.rows
     JOIN (SELECT DISTINCT * FROM unnest($1::text[], $2::text[], $3::text[]) AS key (register, kind, id)) AS key
     ON rows.register = key.register AND rows.kind = key.kind AND rows.id = key.id`,
    keyColumns(keys),
  );
}

function keyColumns(keys: readonly RowKey[]): [string[], string[], string[]] {
  return [keys.map(({ register }) => register), keys.map(({ kind }) => kind), keys.map(({ id }) => id)];
}

const textOf = ({ register, kind, id }: RowKey): string => `${register}\u0000${kind}\u0000${id}`;
