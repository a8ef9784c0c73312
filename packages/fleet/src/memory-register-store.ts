import { limits } from "@ledge/model";
import { KeySet, refusalOf, sourceAfter, stateOf, type StoredSource, upserted } from "./batches.ts";
import { released, type StoredLease, taken } from "./leases.ts";
import { facetsOf } from "./list/facets.ts";
import { matches } from "./list/matching.ts";
import { comparePositions, compareText, positionOf } from "./list/order.ts";
import type { ListQuery, Page } from "./list/query.ts";
import {
  type Applied,
  type Batch,
  type IdRange,
  type Lease,
  type OutboxEntry,
  type Refused,
  type RegisterStore,
  RegisterStoreError,
  type SourceState,
} from "./register-store.ts";
import type { DeviceRow, Row, RowKey, RowKind } from "./row.ts";
import { encodeRow } from "./row-record.ts";
import { type SourceBounds, SourceRoom } from "./source-room.ts";

/** A store in memory: the twin of the durable ones, for tests and trials. */
class MemoryRegisterStore implements RegisterStore {
  readonly #now: () => number;
  readonly #bounds: SourceBounds;
  /** `register NUL kind` -> id -> row. */
  readonly #rows = new Map<string, Map<string, Row>>();
  readonly #sources = new Map<string, StoredSource>();
  readonly #outbox = new Map<string, OutboxEntry[]>();
  readonly #readers = new Map<string, number>();
  readonly #leases = new Map<string, StoredLease>();
  #lastPosition = 0;
  #isClosed = false;

  constructor(now: () => number, bounds: SourceBounds) {
    this.#now = now;
    this.#bounds = bounds;
  }

  async apply(batch: Batch): Promise<Applied | Refused> {
    this.#requireOpen();
    const stored = this.#sources.get(batch.source);
    const refused = refusalOf(batch, stored);
    if (refused !== undefined) return refused;
    const changed = new KeySet();
    const leftOut = new KeySet();
    const room = new SourceRoom(stored, this.#bounds);
    for (const key of batch.removals) {
      const known = this.#rowOf(key);
      if (known?.source !== batch.source) continue;
      this.#rowsOf(key).delete(key.id);
      changed.add(key);
      room.leave(encodeRow(known).length);
    }
    for (const row of batch.upserts) {
      const known = this.#rowOf(row);
      const next = upserted(known, { ...row, source: batch.source });
      if (next === "same") continue;
      const isIn = next !== "left-out" && room.take(encodeRow(next).length, known && encodeRow(known).length);
      if (!isIn) {
        leftOut.add(row);
        continue;
      }
      this.#rowsOf(row).set(row.id, structuredClone(next));
      changed.add(row);
    }
    for (const { topic, ref, body } of batch.outbox) {
      const position = ++this.#lastPosition;
      const entries = this.#outbox.get(topic) ?? [];
      entries.push({ topic, ref, body: structuredClone(body), position, source: batch.source });
      this.#outbox.set(topic, entries);
    }
    this.#sources.set(batch.source, sourceAfter(batch, stored, room));
    return { outcome: "applied", changed: changed.all, leftOut: leftOut.all };
  }

  async cursorOf(source: string): Promise<SourceState | undefined> {
    this.#requireOpen();
    const stored = this.#sources.get(source);
    return stored && stateOf(stored);
  }

  async sources(): Promise<readonly string[]> {
    this.#requireOpen();
    return [...this.#sources.keys()].toSorted(compareText);
  }

  async get(key: RowKey): Promise<Row | undefined> {
    this.#requireOpen();
    return structuredClone(this.#rowOf(key));
  }

  async page(register: string, query: ListQuery): Promise<Page> {
    this.#requireOpen();
    const { orderBy, descending, search, filters, pageSize, from, backward } = query;
    const isReversed = descending !== backward;
    const found = [...this.#rowsOf({ register, kind: "device" }).values()]
      .map((row) => ({ row: row as DeviceRow, facets: facetsOf((row as DeviceRow).device) }))
      .filter(({ facets }) => matches(facets, search, filters))
      .map(({ row, facets }) => ({ row, position: positionOf(row.id, facets, orderBy) }))
      .toSorted((a, b) => comparePositions(a.position, b.position));
    const ordered = isReversed ? found.toReversed() : found;
    const isBeyond = ({ position }: (typeof found)[number]): boolean => {
      const order = from === undefined ? 1 : comparePositions(position, from);
      return isReversed ? order < 0 || from === undefined : order > 0;
    };
    const following = ordered.filter(isBeyond);
    const rows = following.slice(0, pageSize).map(({ row }) => structuredClone(row));
    return { rows: backward ? rows.toReversed() : rows, hasMore: following.length > pageSize };
  }

  async *scan(register: string, kind: RowKind, { after, until }: IdRange = {}): AsyncGenerator<Row> {
    this.#requireOpen();
    const ids = [...this.#rowsOf({ register, kind }).keys()].toSorted(compareText);
    for (const id of ids) {
      if (after !== undefined && compareText(id, after) <= 0) continue;
      if (until !== undefined && compareText(id, until) > 0) return;
      const row = this.#rowOf({ register, kind, id });
      if (row !== undefined) yield structuredClone(row);
    }
  }

  async outbox(topic: string, after: number, max: number, bytes = Infinity): Promise<readonly OutboxEntry[]> {
    this.#requireOpen();
    const all = (this.#outbox.get(topic) ?? []).filter(({ position }) => position > after).slice(0, max);
    let sum = 0;
    const end = all.findIndex((entry) => (sum += JSON.stringify(entry).length) >= bytes);
    return end < 0 ? all : all.slice(0, end + 1);
  }

  async positionOf(reader: string): Promise<number> {
    this.#requireOpen();
    return this.#readers.get(reader) ?? 0;
  }

  async moveCursor(reader: string, from: number, to: number): Promise<boolean> {
    this.#requireOpen();
    if ((this.#readers.get(reader) ?? 0) !== from) return false;
    if (to === 0) this.#readers.delete(reader);
    else this.#readers.set(reader, to);
    return true;
  }

  async trimOutbox(topic: string, upto: number): Promise<number> {
    this.#requireOpen();
    const before = this.#outbox.get(topic)?.length ?? 0;
    this.#keepInOutbox(topic, ({ position }) => position > upto);
    return before - (this.#outbox.get(topic)?.length ?? 0);
  }

  async beyondNewest(topic: string, count: number): Promise<number> {
    this.#requireOpen();
    return this.#outbox.get(topic)?.at(-count - 1)?.position ?? 0;
  }

  async outboxBytes(topic: string): Promise<number> {
    this.#requireOpen();
    return (this.#outbox.get(topic) ?? []).reduce((sum, entry) => sum + JSON.stringify(entry).length, 0);
  }

  async forget(source: string): Promise<void> {
    this.#requireOpen();
    for (const rows of this.#rows.values())
      for (const [id, row] of rows) if (row.source === source) rows.delete(id);
    for (const topic of this.#outbox.keys()) this.#keepInOutbox(topic, (entry) => entry.source !== source);
    this.#sources.delete(source);
  }

  async takeLease(name: string, holder: string, forMs: number): Promise<Lease | undefined> {
    this.#requireOpen();
    const lease = taken(this.#leases.get(name), holder, this.#now(), forMs);
    if (lease !== undefined) this.#leases.set(name, lease);
    return lease && { name, ...lease };
  }

  async releaseLease(name: string, holder: string): Promise<void> {
    this.#requireOpen();
    const lease = released(this.#leases.get(name), holder);
    if (lease !== undefined) this.#leases.set(name, lease);
  }

  async leases(prefix: string): Promise<readonly Lease[]> {
    this.#requireOpen();
    const now = this.#now();
    return [...this.#leases]
      .filter(([name, { until }]) => name.startsWith(prefix) && until > now)
      .map(([name, lease]) => ({ name, ...lease }))
      .toSorted((a, b) => compareText(a.name, b.name));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  #rowsOf({ register, kind }: Omit<RowKey, "id">): Map<string, Row> {
    const name = `${register}\u0000${kind}`;
    const rows = this.#rows.get(name) ?? new Map<string, Row>();
    this.#rows.set(name, rows);
    return rows;
  }

  #rowOf(key: RowKey): Row | undefined {
    return this.#rowsOf(key).get(key.id);
  }

  #keepInOutbox(topic: string, isKept: (entry: OutboxEntry) => boolean): void {
    this.#outbox.set(topic, (this.#outbox.get(topic) ?? []).filter(isKept));
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new RegisterStoreError("closed", "the register store is closed");
  }
}

/**
 * @param now ms since the epoch, for leases
 * @param bounds how much a source may have
 */
export function memoryRegisterStore(now: () => number, bounds: SourceBounds = limits): RegisterStore {
  return new MemoryRegisterStore(now, bounds);
}
