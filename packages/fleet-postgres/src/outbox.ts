import type { Batch, OutboxEntry, OutboxMessage } from "@ledge/fleet";
import { limits } from "@ledge/model";
import type { Connections, Session } from "./connections.ts";

/**
 * Leaves the messages of a batch in their outboxes. The row of a topic is locked until the batch is committed, so
 * that a reader never sees a later position before an earlier one.
 */
export async function leave(session: Session, { source, outbox }: Batch): Promise<void> {
  const texts = outbox.map((message) => JSON.stringify(message));
  // In one order, so that two batches do not wait for each other.
  for (const topic of [...new Set(outbox.map((message) => message.topic))].toSorted()) {
    const messages = texts.filter((_, at) => outbox[at]?.topic === topic);
    const bytes = messages.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    const [last] = await session.query<{ position: string }>(
      `INSERT INTO ledge.topics AS known (topic, position, bytes) VALUES ($1, $2, $3)
       ON CONFLICT (topic) DO UPDATE SET position = known.position + excluded.position,
         bytes = known.bytes + excluded.bytes
       RETURNING position`,
      [topic, messages.length, bytes],
    );
    await session.query(
      `INSERT INTO ledge.outbox (topic, position, source, message)
       SELECT $1, $2::bigint + place, $3, message
       FROM unnest($4::text[]) WITH ORDINALITY AS given (message, place)`,
      [topic, Number(last?.position) - messages.length, source, messages],
    );
  }
}

/** Puts messages into the outbox of a topic at the positions that they have; called with later and later ones. */
export async function putMessages(
  session: Session,
  topic: string,
  entries: readonly OutboxEntry[],
): Promise<void> {
  const last = entries.at(-1);
  if (last === undefined) return;
  const texts = entries.map(({ ref, body }) => JSON.stringify({ topic, ref, body } satisfies OutboxMessage));
  await session.query(
    `INSERT INTO ledge.topics AS known (topic, position, bytes) VALUES ($1, $2, $3)
     ON CONFLICT (topic) DO UPDATE SET position = excluded.position, bytes = known.bytes + excluded.bytes`,
    [topic, last.position, texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)],
  );
  await session.query(
    `INSERT INTO ledge.outbox (topic, position, source, message)
     SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[])`,
    [topic, entries.map(({ position }) => position), entries.map(({ source }) => source), texts],
  );
}

export async function readOutbox(
  session: Session,
  topic: string,
  range: { readonly after: number; readonly max: number; readonly bytes: number },
): Promise<readonly OutboxEntry[]> {
  const { after, max, bytes } = range;
  const found = await session.query<{ position: string; source: string; message: string }>(
    `SELECT position, source, message FROM (
       SELECT *, sum(octet_length(message)) OVER (ORDER BY position) - octet_length(message) AS before
       FROM (SELECT * FROM ledge.outbox WHERE topic = $1 AND position > $2 ORDER BY position LIMIT $3) AS first
     ) AS summed WHERE before < $4::float8 ORDER BY position`,
    [topic, after, max, bytes],
  );
  return found.map(({ position, source, message }) => ({
    ...(JSON.parse(message) as OutboxMessage),
    position: Number(position),
    source,
  }));
}

/** @returns how many messages were removed */
export async function trimOutbox(connections: Connections, topic: string, upto: number): Promise<number> {
  for (let count = 0; ;) {
    const removed = await connections.transaction(async (session) => {
      await session.query("SELECT 1 FROM ledge.topics WHERE topic = $1 FOR UPDATE", [topic]);
      return removeMessages(
        session,
        "SELECT topic, position FROM ledge.outbox WHERE topic = $1 AND position <= $2 ORDER BY position LIMIT $3",
        [topic, upto, limits.scanSliceRows],
      );
    });
    if (removed === 0) return count;
    count += removed;
  }
}

/**
 * Removes some messages of a source.
 * @returns how many
 */
export async function forgetMessages(session: Session, source: string): Promise<number> {
  const values = [source, limits.scanSliceRows];
  const slice =
    "SELECT topic, position FROM ledge.outbox WHERE source = $1 ORDER BY topic, position LIMIT $2";
  await session.query(
    `SELECT 1 FROM ledge.topics WHERE topic IN (SELECT topic FROM (${slice}) AS slice) ORDER BY topic FOR UPDATE`,
    values,
  );
  return removeMessages(session, slice, values);
}

async function removeMessages(session: Session, slice: string, values: readonly unknown[]): Promise<number> {
  const [removed] = await session.query<{ count: number }>(
    `WITH removed AS (
       DELETE FROM ledge.outbox WHERE (topic, position) IN (${slice})
       RETURNING topic, octet_length(message) AS bytes
     ), sums AS (SELECT topic, sum(bytes) AS bytes FROM removed GROUP BY topic
     ), lowered AS (
       UPDATE ledge.topics SET bytes = topics.bytes - sums.bytes FROM sums WHERE topics.topic = sums.topic
     )
     SELECT count(*)::integer AS count FROM removed`,
    values,
  );
  return removed?.count ?? 0;
}
