import { rmSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { limits } from "@ledge/model";
import { stateOf } from "../batches.ts";
import { released, type StoredLease, taken } from "../leases.ts";
import type { ListQuery, Page } from "../list/query.ts";
import { OncePerKey } from "../once-per-key.ts";
import {
  type Applied,
  type Batch,
  type IdRange,
  type Lease,
  type OutboxEntry,
  type OutboxMessage,
  type Refused,
  type RegisterStore,
  RegisterStoreError,
  type SourceState,
} from "../register-store.ts";
import { decodeRow } from "../row-record.ts";
import type { Row, RowKey, RowKind } from "../row.ts";
import type { SourceBounds } from "../source-room.ts";
import { applyIn, bytesIn, prepared, putSource, removeMessages, removeRow, sourceIn } from "./applying.ts";
import { Environment, jsonIn } from "./environment.ts";
import { boundsOf, keyOf, ownedRow, positionIn, positionText, rowKey, textsOf } from "./keys.ts";
import { readPage, slices } from "./paging.ts";
import { Writes } from "./writes.ts";

export interface LmdbRegisterStoreOptions {
  /** A folder of the store's own. */
  readonly folder: string;
  /** ms since the epoch, for leases. */
  readonly now: () => number;
  /** Called when a damaged store is discarded, with what is wrong. The store is empty then. */
  readonly onDiscarded: (problem: string) => void;
  /** How much a source may have; default: as in `limits`. */
  readonly bounds?: SourceBounds;
}

/**
 * Opens the register store in a folder, and creates both when missing. Discards a damaged one.
 * @throws RegisterStoreError `full`
 */
export async function openLmdbRegisterStore(options: LmdbRegisterStoreOptions): Promise<RegisterStore> {
  const store = new LmdbRegisterStore(options);
  store.continueForgetting();
  return store;
}

class LmdbRegisterStore implements RegisterStore {
  readonly #options: LmdbRegisterStoreOptions;
  #env: Environment;
  #writes: Writes;
  readonly #forgetting = new OncePerKey();
  #isClosed = false;

  constructor(options: LmdbRegisterStoreOptions) {
    this.#options = options;
    this.#env = openEnvironment(options);
    this.#writes = new Writes(this.#env);
  }

  apply(batch: Batch): Promise<Applied | Refused> {
    return this.#guarded(() => {
      const { bounds = limits } = this.#options;
      const ready = prepared(batch);
      const rows = batch.upserts.length + batch.removals.length + batch.outbox.length;
      return this.#writes.add({ rows, bytes: ready.bytes, run: (env) => applyIn(env, ready, bounds) });
    });
  }

  cursorOf(source: string): Promise<SourceState | undefined> {
    return this.#guarded(async () => {
      const stored = sourceIn(this.#env, source);
      return stored === undefined || stored.isForgotten ? undefined : stateOf(stored);
    });
  }

  sources(): Promise<readonly string[]> {
    return this.#guarded(async () =>
      [...this.#env.sources.getKeys()]
        .map((key) => textsOf(key).join())
        .filter((source) => !sourceIn(this.#env, source)?.isForgotten),
    );
  }

  get(key: RowKey): Promise<Row | undefined> {
    return this.#guarded(async () => {
      const bytes = this.#env.rows.getBinary(rowKey(key));
      return bytes && decodeRow(key, bytes);
    });
  }

  page(register: string, query: ListQuery): Promise<Page> {
    return this.#guarded(() => readPage(this.#env, register, query));
  }

  async *scan(register: string, kind: RowKind, { after, until }: IdRange = {}): AsyncGenerator<Row> {
    this.#requireOpen();
    const start = after === undefined ? undefined : keyOf(register, kind, after);
    const last = until === undefined ? undefined : keyOf(register, kind, until);
    const range = { bounds: boundsOf(register, kind), start, isReversed: false };
    for await (const slice of slices(this.#env.rows, range))
      for (const { key, value } of slice) {
        if (last !== undefined && Buffer.compare(key, last) > 0) return;
        const id = textsOf(key).at(-1) as string;
        yield await this.#guarded(async () => decodeRow({ register, kind, id }, value));
      }
  }

  outbox(topic: string, after: number, max: number, bytes = Infinity): Promise<readonly OutboxEntry[]> {
    return this.#guarded(async () => {
      const start = keyOf(topic, positionText(after));
      const range = { start, end: boundsOf(topic).end, exclusiveStart: true, limit: max };
      const entries: OutboxEntry[] = [];
      let sum = 0;
      for (const { key, value } of this.#env.outbox.getRange(range)) {
        entries.push(entryOf(key, value));
        sum += value.length;
        if (sum >= bytes) break;
      }
      return entries;
    });
  }

  positionOf(reader: string): Promise<number> {
    return this.#guarded(async () => Number(this.#env.note(readerKey(reader)) ?? 0));
  }

  moveCursor(reader: string, from: number, to: number): Promise<boolean> {
    return this.#write((env) => {
      if (Number(env.note(readerKey(reader)) ?? 0) !== from) return false;
      if (to === 0) env.removeNote(readerKey(reader));
      else env.putNote(readerKey(reader), to);
      return true;
    });
  }

  async trimOutbox(topic: string, upto: number): Promise<number> {
    for (let count = 0; ;) {
      const oldest = await this.outbox(topic, 0, limits.scanSliceRows, limits.egressBatchBytes);
      const entries = oldest.filter(({ position }) => position <= upto);
      if (entries.length === 0) return count;
      count += entries.length;
      await this.#write((env) =>
        removeMessages(
          env,
          entries.map(({ source, position }) => [source, topic, positionText(position)]),
        ),
      );
    }
  }

  beyondNewest(topic: string, count: number): Promise<number> {
    return this.#guarded(async () => {
      const { start, end } = boundsOf(topic);
      const backwards = { start: end, end: start, reverse: true, offset: count, limit: 1 };
      const [key] = this.#env.outbox.getKeys(backwards);
      return key === undefined ? 0 : positionIn(textsOf(key)[1] ?? "");
    });
  }

  outboxBytes(topic: string): Promise<number> {
    return this.#guarded(async () => bytesIn(this.#env, topic));
  }

  forget(source: string): Promise<void> {
    return this.#forgetting.run(source, () => this.#forget(source));
  }

  async #forget(source: string): Promise<void> {
    const isThere = await this.#write((env) => {
      const state = sourceIn(env, source);
      if (state === undefined) return false;
      putSource(env, source, { ...state, isForgotten: true });
      return true;
    });
    if (!isThere) return;
    while (await this.#forgetSlice(source)) await setImmediate();
  }

  /** @returns whether more may be left */
  #forgetSlice(source: string): Promise<boolean> {
    return this.#write((env) => {
      const slice = { ...boundsOf(source), limit: limits.scanSliceRows };
      const rows = [...env.owned.getKeys(slice)];
      for (const key of rows) removeRow(env, source, ownedRow(key));
      const messages = [...env.left.getKeys(slice)].map(textsOf);
      removeMessages(
        env,
        messages.map(([, topic = "", place = ""]) => [source, topic, place]),
      );
      if (rows.length + messages.length > 0) return true;
      env.sources.removeSync(keyOf(source));
      return false;
    });
  }

  /** Continues what a process that ended has begun to forget. */
  continueForgetting(): void {
    for (const key of this.#env.sources.getKeys()) {
      const source = textsOf(key).join();
      // Whatever fails here is forgotten at the next start.
      if (sourceIn(this.#env, source)?.isForgotten) this.forget(source).catch(() => {});
    }
  }

  takeLease(name: string, holder: string, forMs: number): Promise<Lease | undefined> {
    return this.#write((env) => {
      const key = leaseKey(name);
      const lease = taken(env.note(key) as StoredLease | undefined, holder, this.#options.now(), forMs);
      if (lease !== undefined) env.putNote(key, lease);
      return lease && { name, ...lease };
    });
  }

  releaseLease(name: string, holder: string): Promise<void> {
    return this.#write((env) => {
      const key = leaseKey(name);
      const lease = released(env.note(key) as StoredLease | undefined, holder);
      if (lease !== undefined) env.putNote(key, lease);
    });
  }

  leases(prefix: string): Promise<readonly Lease[]> {
    return this.#guarded(async () => {
      const now = this.#options.now();
      const start = leaseKey(prefix);
      const leases: Lease[] = [];
      for (const { key, value } of this.#env.notes.getRange({ start, end: boundsOf("lease").end })) {
        const [, name = ""] = textsOf(key);
        if (!name.startsWith(prefix)) break;
        const lease = { name, ...(jsonIn(value) as StoredLease) };
        if (lease.until > now) leases.push(lease);
      }
      return leases;
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#writes.settled();
    await this.#forgetting.settled();
    await this.#env.close();
  }

  #write<T>(run: (env: Environment) => T): Promise<T> {
    return this.#guarded(() => this.#writes.add({ rows: 1, bytes: 4096, run }));
  }

  /** Discards the store when it turns out to be damaged. */
  async #guarded<T>(action: () => Promise<T>): Promise<T> {
    this.#requireOpen();
    const env = this.#env;
    try {
      return await action();
    } catch (error) {
      const isDamage = error instanceof RegisterStoreError && error.code === "damaged";
      if (isDamage && env === this.#env && !this.#isClosed) await this.#discard(error.message);
      throw error;
    }
  }

  async #discard(problem: string): Promise<void> {
    const { folder, onDiscarded } = this.#options;
    const env = this.#env;
    const writes = this.#writes;
    rmSync(folder, { recursive: true, force: true });
    this.#env = new Environment(folder);
    this.#writes = new Writes(this.#env);
    onDiscarded(problem);
    await writes.settled();
    await env.close();
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new RegisterStoreError("closed", "the register store is closed");
  }
}

function openEnvironment({ folder, onDiscarded }: LmdbRegisterStoreOptions): Environment {
  try {
    return new Environment(folder);
  } catch (error) {
    if (!(error instanceof RegisterStoreError) || error.code !== "damaged") throw error;
    onDiscarded(error.message);
    rmSync(folder, { recursive: true, force: true });
    return new Environment(folder);
  }
}

const readerKey = (reader: string): Buffer => keyOf("reader", reader);
const leaseKey = (name: string): Buffer => keyOf("lease", name);

function entryOf(key: Uint8Array, value: Buffer): OutboxEntry {
  const [, place = ""] = textsOf(key);
  const [source, text] = jsonIn(value) as [string, string];
  return { ...(JSON.parse(text) as OutboxMessage), position: positionIn(place), source };
}
