import type { AnyDecider, Commit } from "@ledge/model";
import { limits } from "@ledge/model";
import { ChunkBuilder, type ChunkKind, decodeChunk, encodeHead } from "./chunk.ts";
import { Collector, type Found } from "./collect.ts";
import { emptyState, Environment, type IndexState } from "./environment.ts";
import { HistoryError } from "./error.ts";
import { chunkKey, decodeSeries, encodeSeries, type SeriesEntry, seriesKey, seriesOf } from "./keys.ts";
import { type Mark, markOf } from "./mark.ts";
import { pruneChunks, quotaHorizon } from "./prune.ts";
import { isNumeric, type Sample } from "./sample.ts";

/** Returns the format of the index. An index that another release wrote in another format is deleted. */
export function indexFormat(aggregates: readonly AnyDecider[]): string {
  const versions = aggregates.flatMap(({ events }) =>
    events.map(({ type, version }) => `${type}@${version}`),
  );
  return `1 ${versions.filter((event) => event.startsWith("Device")).join(" ")}`;
}

/**
 * Writes the index. Only one writer may be active among all processes. After each transaction the index on disk
 * is consistent with its mark.
 */
export class IndexWriter {
  readonly #env: Environment;
  #state: IndexState;
  readonly #collector: Collector;
  readonly #entries = new Map<string, SeriesEntry>();
  /** Samples for the next transaction, by the key of their series. */
  readonly #pending = new Map<string, Sample[]>();
  #pendingSamples = 0;
  #removed: { readonly device: string; readonly at: number }[] = [];
  /** The last commit that was added and not yet written. */
  #newest: Commit | undefined;

  /** @throws HistoryError `damaged` when the index is damaged or written by another release */
  constructor(folder: string, aggregates: readonly AnyDecider[]) {
    this.#env = new Environment(folder, false);
    try {
      const format = indexFormat(aggregates);
      this.#state = this.#env.state() ?? emptyState(format);
      if (this.#state.format !== format) throw new HistoryError("damaged", "another release wrote the index");
      this.#collector = new Collector(aggregates, this.#state.personal, (device, at) =>
        this.#removed.push({ device, at }),
      );
      for (const { key, value } of this.#env.series.getRange())
        this.#entries.set(Buffer.from(key).toString(), this.#entryOf(value));
    } catch (error) {
      void this.#env.close();
      throw error;
    }
  }

  #entryOf(value: Buffer): SeriesEntry {
    const entry = decodeSeries(value);
    if (entry === undefined) throw new HistoryError("damaged", "the index's list of series is damaged");
    return entry;
  }

  /** The mark of the index on disk. */
  get mark(): Mark {
    return this.#state.mark;
  }

  get prunedTo(): number {
    return this.#state.prunedTo;
  }

  get pendingSamples(): number {
    return this.#pendingSamples;
  }

  get usedBytes(): number {
    return this.#env.sizes().usedBytes;
  }

  /** How many bytes the file takes before it grows. */
  get spareBytes(): number {
    return this.#env.sizes().spareBytes;
  }

  /** The most that `flush` writes (bytes): the newest chunk of every series is written again. */
  get pendingBytes(): number {
    return this.#pendingSamples * 24 + this.#pending.size * 2 * limits.historyChunkSamples * 18;
  }

  /** Adds a commit, which the next `flush` writes. Commits must come in the order of the log. */
  add(commit: Commit): void {
    for (const found of this.#collector.of(commit)) this.#addFound(found);
    this.#newest = commit;
  }

  #addFound({ name, sample }: Found): void {
    const key = JSON.stringify(name);
    const waiting = this.#pending.get(key);
    if (waiting !== undefined) waiting.push(sample);
    else if (seriesKey(name) === undefined) return;
    else this.#pending.set(key, [sample]);
    this.#pendingSamples++;
  }

  /** Writes the added commits, with the mark of the last one, in one transaction. On disk when this returns. */
  flush(): void {
    if (this.#newest === undefined) return;
    const entries = new Map<string, SeriesEntry>();
    let { nextSeries } = this.#state;
    for (const key of this.#pending.keys()) {
      const known = this.#entries.get(key);
      if (known === undefined) entries.set(key, { number: nextSeries++, removedAt: 0 });
      else if (known.removedAt > 0) entries.set(key, { ...known, removedAt: 0 });
    }
    const numberOf = (key: string): number => (entries.get(key) ?? this.#entries.get(key))?.number ?? 0;
    const state = {
      ...this.#state,
      mark: markOf(this.#newest),
      personal: this.#collector.personal,
      nextSeries,
    };
    this.#write(() => {
      for (const [key, samples] of this.#pending)
        this.#append(numberOf(key), samples, key.startsWith('["events"') ? "references" : undefined);
      for (const { device, at } of this.#removed) this.#noteRemoved(device, at, entries);
      for (const [key, entry] of entries) this.#env.series.putSync(Buffer.from(key), encodeSeries(entry));
      this.#env.putState(state);
    });
    for (const [key, entry] of entries) this.#entries.set(key, entry);
    this.#state = state;
    this.#pending.clear();
    this.#pendingSamples = 0;
    this.#removed = [];
    this.#newest = undefined;
  }

  /** Runs writes in one transaction. Throws when another process has written meanwhile. */
  #write(puts: () => void): void {
    this.#env.root.transactionSync(() => {
      const { mark, prunedTo } = this.#env.state() ?? emptyState(this.#state.format);
      if (mark.timestamp !== this.#state.mark.timestamp || prunedTo !== this.#state.prunedTo)
        throw new HistoryError("busy", "another process writes the index");
      puts();
    });
  }

  /**
   * Notes a removed device. Its series are pruned when the horizon has passed the removal, unless the device was
   * added again.
   */
  #noteRemoved(device: string, removedAt: number, entries: Map<string, SeriesEntry>): void {
    const { start, end } = seriesOf(device);
    const stored = [...this.#env.series.getRange({ start, end })].map(({ key }) =>
      Buffer.from(key).toString(),
    );
    const fresh = [...entries.keys()].filter((key) => key.startsWith(start.toString()));
    for (const key of new Set([...stored, ...fresh])) {
      const entry = entries.get(key) ?? this.#entries.get(key);
      const last = this.#pending.get(key)?.at(-1)?.timestamp ?? 0;
      if (entry !== undefined && last <= removedAt) entries.set(key, { ...entry, removedAt });
    }
  }

  #append(series: number, samples: readonly Sample[], kind: "references" | undefined): void {
    let builder = this.#lastChunk(series);
    for (const sample of samples) {
      if (builder === undefined || !builder.takes(sample)) {
        if (builder !== undefined) this.#put(series, builder);
        const fresh: ChunkKind = kind ?? (isNumeric(sample.value) ? "numbers" : "values");
        builder = new ChunkBuilder(fresh);
      }
      builder.add(sample);
    }
    if (builder !== undefined) this.#put(series, builder);
  }

  #lastChunk(series: number): ChunkBuilder | undefined {
    const start = chunkKey({ series: series + 1, timestamp: 0, index: 0 });
    const end = chunkKey({ series, timestamp: 0, index: 0 });
    const [last] = this.#env.chunks.getRange({ start, end, reverse: true, limit: 1 });
    if (last === undefined) return undefined;
    const chunk = decodeChunk(last.value);
    if (chunk === undefined) throw new HistoryError("damaged", `a chunk of series ${series} is damaged`);
    return new ChunkBuilder(chunk.kind, chunk.samples);
  }

  #put(series: number, builder: ChunkBuilder): void {
    const { timestamp, index } = builder.first;
    const key = chunkKey({ series, timestamp, index });
    this.#env.chunks.putSync(key, builder.encode());
    this.#env.heads.putSync(key, encodeHead(builder.head()));
  }

  /**
   * Prunes samples up to a timestamp (ms), in one transaction. Keeps the values that held then, and samples that
   * share a chunk with later ones.
   * @returns how many chunks were removed
   */
  prune(to: number): number {
    if (to <= this.#state.prunedTo) return 0;
    const state = { ...this.#state, prunedTo: to };
    let gone = 0;
    this.#write(() => {
      const { chunks, series } = pruneChunks(this.#env, this.#entries, to);
      gone = chunks;
      for (const key of series) this.#entries.delete(key);
      this.#env.putState(state);
    });
    this.#state = state;
    return gone;
  }

  /**
   * Prunes the oldest samples until the index fits its share of the disk.
   * @returns whether it fits now
   */
  pruneToQuota(bytes: number): boolean {
    if (this.usedBytes <= bytes) return true;
    const goal = Math.floor((bytes * limits.quotaPrunedPercent) / 100);
    const horizon = quotaHorizon(this.#env, this.#entries, this.usedBytes - goal);
    if (horizon !== undefined) this.prune(horizon);
    return this.usedBytes <= bytes;
  }

  async close(): Promise<void> {
    await this.#env.close();
  }
}
