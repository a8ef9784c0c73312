import { type Facets, facet, facetsOf } from "../list/facets.ts";
import { orderedText } from "../list/order.ts";
import { KeySet, refusalOf, sourceAfter, type StoredSource } from "../batches.ts";
import { requireKeyTexts } from "../key-texts.ts";
import type { Applied, Batch, Refused } from "../register-store.ts";
import type { Row, RowKey } from "../row.ts";
import { encodeRow, sourceOf, succeed } from "../row-record.ts";
import { type SourceBounds, SourceRoom } from "../source-room.ts";
import { type Environment, jsonIn } from "./environment.ts";
import { keyOf, ownKey, positionText, rowKey } from "./keys.ts";

const nothing = Buffer.alloc(0);
const positionKey = Buffer.from("position");

/** A row to store, encoded before the transaction begins. */
interface Upsert {
  readonly row: Row;
  readonly bytes: Buffer;
  readonly facets: Facets | undefined;
}

/** A batch that can be written without a throw. */
export interface PreparedBatch {
  readonly batch: Batch;
  readonly upserts: readonly Upsert[];
  readonly outbox: readonly string[];
  /** About how much it stores. */
  readonly bytes: number;
}

/** @throws RangeError when an id or name does not fit a key */
export function prepared(batch: Batch): PreparedBatch {
  requireKeyTexts(batch);
  const upserts = batch.upserts.map((given) => {
    const row = { ...given, source: batch.source };
    const facets = row.kind === "device" ? facetsOf(row.device) : undefined;
    return { row, facets, bytes: encodeRow(row) };
  });
  const outbox = batch.outbox.map((message) => JSON.stringify(message));
  const rowBytes = upserts.reduce((sum, { bytes, facets = "" }) => sum + bytes.length + facets.length, 0);
  const messageBytes = outbox.reduce((sum, text) => sum + text.length, 0);
  return { batch, upserts, outbox, bytes: 2 * (rowBytes + messageBytes) + 4096 };
}

export function sourceIn(env: Environment, source: string): StoredSource | undefined {
  const bytes = env.sources.getBinary(keyOf(source));
  return bytes && (jsonIn(bytes) as StoredSource);
}

export function putSource(env: Environment, source: string, state: StoredSource): void {
  env.sources.putSync(keyOf(source), Buffer.from(JSON.stringify(state)));
}

/** Applies a batch. Must run within a transaction. @param bounds how much the source may have */
export function applyIn(
  env: Environment,
  { batch, upserts, outbox }: PreparedBatch,
  bounds: SourceBounds,
): Applied | Refused {
  const { source } = batch;
  const stored = sourceIn(env, source);
  const refused = refusalOf(batch, stored);
  if (refused !== undefined) return refused;
  const changed = new KeySet();
  const leftOut = new KeySet();
  const room = new SourceRoom(stored, bounds);
  for (const key of batch.removals) {
    const row = env.rows.getBinary(rowKey(key));
    if (row === undefined || sourceOf(row) !== source) continue;
    removeRow(env, source, key);
    changed.add(key);
    room.leave(row.length);
  }
  for (const upsert of upserts) {
    const outcome = put(env, upsert, room);
    if (outcome === "left-out") leftOut.add(upsert.row);
    else if (outcome !== "same") changed.add(upsert.row);
  }
  if (outbox.length > 0) putMessages(env, batch, outbox);
  putSource(env, source, sourceAfter(batch, stored, room));
  return { outcome: "applied", changed: changed.all, leftOut: leftOut.all };
}

function put(
  env: Environment,
  { row, bytes, facets }: Upsert,
  room: SourceRoom,
): "changed" | "same" | "left-out" {
  const key = rowKey(row);
  const stored = env.rows.getBinary(key);
  if (stored !== undefined) {
    if (sourceOf(stored) !== row.source) return "left-out";
    succeed(bytes, stored);
    if (bytes.equals(stored)) return "same";
  }
  if (!room.take(bytes.length, stored?.length)) return "left-out";
  if (stored === undefined) env.owned.putSync(ownKey(row.source, row), nothing);
  env.rows.putSync(key, bytes);
  if (facets !== undefined) putFacets(env, row, facets);
  return "changed";
}

function putFacets(env: Environment, { register, id }: RowKey, facets: Facets): void {
  const key = keyOf(register, id);
  const bytes = Buffer.from(facets);
  const stored = env.texts.getBinary(key);
  if (stored?.equals(bytes)) return;
  const name = nameKey(register, facets, id);
  const former = stored && nameKey(register, stored.toString(), id);
  if (former !== undefined && !former.equals(name)) env.names.removeSync(former);
  env.names.putSync(name, nothing);
  env.texts.putSync(key, bytes);
}

function nameKey(register: string, facets: Facets, id: string): Buffer {
  return keyOf(register, orderedText(facet(facets, "name")), id);
}

/** Removes a row of a source. Must run within a transaction. */
export function removeRow(env: Environment, source: string, key: RowKey): void {
  env.rows.removeSync(rowKey(key));
  env.owned.removeSync(ownKey(source, key));
  if (key.kind !== "device") return;
  const textKey = keyOf(key.register, key.id);
  const facets = env.texts.getBinary(textKey);
  if (facets === undefined) return;
  env.names.removeSync(nameKey(key.register, facets.toString(), key.id));
  env.texts.removeSync(textKey);
}

function putMessages(env: Environment, { source, outbox }: Batch, texts: readonly string[]): void {
  let position = Number(env.note(positionKey) ?? 0);
  const growth = new Map<string, number>();
  for (const [at, { topic }] of outbox.entries()) {
    const place = positionText(++position);
    const message = Buffer.from(JSON.stringify([source, texts[at]]));
    env.outbox.putSync(keyOf(topic, place), message);
    env.left.putSync(keyOf(source, topic, place), nothing);
    growth.set(topic, (growth.get(topic) ?? 0) + message.length);
  }
  for (const [topic, bytes] of growth) addBytes(env, topic, bytes);
  env.putNote(positionKey, position);
}

/** Removes messages of a source. Must run within a transaction. */
export function removeMessages(
  env: Environment,
  messages: Iterable<readonly [source: string, topic: string, place: string]>,
): void {
  const growth = new Map<string, number>();
  for (const [source, topic, place] of messages) {
    const key = keyOf(topic, place);
    const bytes = env.outbox.getBinary(key)?.length ?? 0;
    env.outbox.removeSync(key);
    env.left.removeSync(keyOf(source, topic, place));
    growth.set(topic, (growth.get(topic) ?? 0) - bytes);
  }
  for (const [topic, bytes] of growth) addBytes(env, topic, bytes);
}

/** Returns how many bytes the outbox of a topic has, but for messages from before they were counted. */
export function bytesIn(env: Environment, topic: string): number {
  return Number(env.note(bytesKey(topic)) ?? 0);
}

function addBytes(env: Environment, topic: string, growth: number): void {
  const bytes = Math.max(0, bytesIn(env, topic) + growth);
  if (bytes === 0) env.removeNote(bytesKey(topic));
  else env.putNote(bytesKey(topic), bytes);
}

function bytesKey(topic: string): Buffer {
  return keyOf("bytes", topic);
}
