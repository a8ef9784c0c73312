import type { EventRef } from "@ledge/model";
import { eventRef } from "@ledge/model";
import { decodeChunk, decodeHead, type Head } from "./chunk.ts";
import { Environment, type Table } from "./environment.ts";
import { HistoryError } from "./error.ts";
import { type ChunkKey, chunkKey, decodeSeries, parseChunkKey, type SeriesEntry } from "./keys.ts";
import { type SeriesName, seriesKey, seriesName, seriesOf } from "./keys.ts";
import type { Mark } from "./mark.ts";
import type { Sample } from "./sample.ts";

/** How many heads one read takes, so that a read transaction stays short. */
const headsPerRead = 256;

/**
 * Adjacent samples: their summary, and single samples on request. Some of them may lie outside the requested
 * span.
 */
export interface Chunk {
  readonly head: Head;
  /** Whether the whole chunk lies within the requested span. */
  readonly isWhole: boolean;
  /** Returns the samples within the requested span. */
  samples(): readonly Sample[];
}

/** The index of a log, for reading. It knows nothing of commits after its mark. */
export class HistoryIndex {
  readonly #env: Environment;
  readonly mark: Mark;
  /** The timestamp (ms) up to which samples were pruned. `before` still returns the values that held then. */
  readonly prunedTo: number;
  /** The format in which it is written, see `indexFormat`. */
  readonly format: string;
  readonly #personal: ReadonlySet<string>;

  constructor(env: Environment) {
    this.#env = env;
    const state = env.state();
    if (state === undefined) throw new HistoryError("damaged", "the index was never written");
    this.mark = state.mark;
    this.prunedTo = state.prunedTo;
    this.format = state.format;
    this.#personal = new Set(state.personal);
  }

  /** Whether a device belonged to a person at the mark, so that no history of it is kept. */
  isPersonal(device: string): boolean {
    return this.#personal.has(device);
  }

  /** Returns the attributes of a device that have samples. */
  attributes(device: string): string[] {
    const names = [...this.#env.series.getKeys(seriesOf(device))].map((key) => seriesName(key)[2]);
    return names.toSorted();
  }

  /**
   * Returns when a device was removed (ms). Returns undefined when it was not, or was added again, as far as the
   * index knows.
   */
  removedAt(device: string, attribute: string): number | undefined {
    return this.#entry(["samples", device, attribute])?.removedAt || undefined;
  }

  /** Yields the samples with `from` <= timestamp <= `to`, oldest first. */
  *samples(device: string, attribute: string, from: number, to: number): Generator<Sample> {
    for (const chunk of this.chunks(device, attribute, from, to)) yield* chunk.samples();
  }

  /** Yields the same samples in chunks. The summary of a whole chunk needs no further read. */
  *chunks(device: string, attribute: string, from: number, to: number): Generator<Chunk> {
    const series = this.#entry(["samples", device, attribute])?.number;
    if (series === undefined) return;
    const until = Math.min(to, this.mark.timestamp);
    let start = this.#chunkAt(series, from) ?? { series, timestamp: 0, index: 0 };
    let exclusiveStart = false;
    for (;;) {
      const heads = this.#heads({ start, end: { series, timestamp: until + 1, index: 0 }, exclusiveStart });
      for (const { key, head } of heads) {
        if (head.last < from) continue;
        yield {
          head,
          isWhole: head.first >= from && head.last <= until,
          samples: () =>
            this.#samplesAt(key).filter(({ timestamp }) => timestamp >= from && timestamp <= until),
        };
      }
      const last = heads.at(-1);
      if (last === undefined) return;
      start = last.key;
      exclusiveStart = true;
    }
  }

  /** Returns the newest indexed sample before a timestamp, which held at that time. */
  before(device: string, attribute: string, timestamp: number): Sample | undefined {
    const series = this.#entry(["samples", device, attribute])?.number;
    const end = Math.min(timestamp, this.mark.timestamp + 1);
    const key = series === undefined ? undefined : this.#chunkAt(series, end - 1);
    return key && this.#samplesAt(key).findLast((sample) => sample.timestamp < end);
  }

  /**
   * Yields references to the events of an object that are not telemetry, newest first.
   * @param options.before only events before this one
   */
  *objectEvents(
    kind: string,
    id: string,
    { before, limit = Number.MAX_SAFE_INTEGER }: { before?: Place; limit?: number } = {},
  ): Generator<EventRef> {
    const series = this.#entry(["events", kind, id])?.number;
    if (series === undefined) return;
    const end = before ?? { timestamp: this.mark.timestamp + 1, index: 0 };
    let key: ChunkKey | undefined = { series, ...end };
    let left = limit;
    while (left > 0 && (key = this.#chunkBefore(key)) !== undefined) {
      for (const { timestamp, index } of this.#samplesAt(key).toReversed()) {
        if (timestamp > end.timestamp || (timestamp === end.timestamp && index >= end.index)) continue;
        if (timestamp > this.mark.timestamp) continue;
        yield eventRef(timestamp, index);
        if (--left === 0) return;
      }
    }
  }

  #entry(name: SeriesName): SeriesEntry | undefined {
    const key = seriesKey(name);
    const value = key && this.#env.series.getBinary(key);
    return value && this.#required(decodeSeries(value));
  }

  /** Returns the chunk that a timestamp falls into, or the last one before. */
  #chunkAt(series: number, timestamp: number): ChunkKey | undefined {
    return this.#chunkBefore({ series, timestamp: Math.max(0, timestamp) + 1, index: 0 });
  }

  #chunkBefore({ series, timestamp, index }: ChunkKey): ChunkKey | undefined {
    const start = chunkKey({ series, timestamp, index });
    const end = chunkKey({ series, timestamp: 0, index: 0 });
    const [found] = this.#env.heads.getKeys({ start, end, exclusiveStart: true, reverse: true, limit: 1 });
    return found && parseChunkKey(found);
  }

  #heads(range: {
    start: ChunkKey;
    end: ChunkKey;
    exclusiveStart: boolean;
  }): { key: ChunkKey; head: Head }[] {
    const found = this.#env.heads.getRange({
      start: chunkKey(range.start),
      end: chunkKey(range.end),
      exclusiveStart: range.exclusiveStart,
      limit: headsPerRead,
    });
    return [...found].map(({ key, value }) => ({
      key: parseChunkKey(key),
      head: this.#required(decodeHead(value)),
    }));
  }

  #samplesAt(key: ChunkKey): readonly Sample[] {
    const bytes = this.#env.chunks.getBinary(chunkKey(key));
    // A missing chunk was pruned meanwhile.
    return bytes === undefined ? [] : this.#required(decodeChunk(bytes)).samples;
  }

  #required<T>(found: T | undefined): T {
    if (found === undefined) throw new HistoryError("damaged", "the index is damaged");
    return found;
  }

  /**
   * Reads the whole index.
   * @returns what is wrong with it, or undefined
   */
  verify(): string | undefined {
    try {
      const series = new Map<number, SeriesEntry>();
      for (const { value } of this.#env.series.getRange()) {
        const entry = this.#required(decodeSeries(value));
        series.set(entry.number, entry);
      }
      let heads = 0;
      for (const { key, value } of this.#env.heads.getRange()) {
        const at = parseChunkKey(key);
        const head = this.#required(decodeHead(value));
        const samples = this.#samplesAt(at);
        const isSame =
          series.has(at.series) &&
          samples.length === head.count &&
          samples[0]?.timestamp === head.first &&
          samples[0].index === at.index &&
          head.first === at.timestamp &&
          samples.at(-1)?.timestamp === head.last &&
          head.last <= this.mark.timestamp;
        if (!isSame) return `a chunk of series ${at.series} does not match its head`;
        heads++;
      }
      return heads === countOf(this.#env.chunks) ? undefined : "there are chunks without a head";
    } catch (error) {
      return (error as Error).message;
    }
  }

  get usedBytes(): number {
    return this.#env.sizes().usedBytes;
  }

  close(): Promise<void> {
    return this.#env.close();
  }
}

/** The place of an event in the log. */
interface Place {
  readonly timestamp: number;
  readonly index: number;
}

function countOf(table: Pick<Table, "getStats">): number {
  return (table.getStats() as { entryCount: number }).entryCount;
}

/**
 * Opens an index for reading, while another process may write it. Close it soon: until then the writer cannot
 * reuse the pages that it has seen.
 * @throws HistoryError `damaged` when there is no index, or it cannot be read
 */
export function openHistoryIndex(folder: string): HistoryIndex {
  let env: Environment;
  try {
    env = new Environment(folder, true);
  } catch (cause) {
    throw new HistoryError("damaged", `the index in ${folder} cannot be opened`, { cause });
  }
  try {
    return new HistoryIndex(env);
  } catch (error) {
    void env.close();
    throw error;
  }
}
