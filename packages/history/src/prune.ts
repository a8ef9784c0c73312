import { decodeHead } from "./chunk.ts";
import type { Environment } from "./environment.ts";
import { HistoryError } from "./error.ts";
import { type ChunkKey, chunkKey, parseChunkKey, type SeriesEntry } from "./keys.ts";

/** An estimate of how many bytes of the file a chunk and its head take. */
const chunkBytes = 4300;

/** A chunk, and the time (ms) from which none of its values holds any more; Infinity for the last of its series. */
interface Held {
  readonly key: ChunkKey;
  readonly until: number;
}

/** Yields the chunks of samples by series, oldest first within each. */
function* held(env: Environment, entries: ReadonlyMap<string, SeriesEntry>): Generator<Held> {
  for (const [name, { number: series, removedAt }] of entries) {
    if (!name.startsWith('["samples"')) continue;
    let before: ChunkKey | undefined;
    const start = chunkKey({ series, timestamp: 0, index: 0 });
    const end = chunkKey({ series: series + 1, timestamp: 0, index: 0 });
    for (const { key, value } of env.heads.getRange({ start, end })) {
      if (decodeHead(value) === undefined) throw new HistoryError("damaged", `a head of ${name} is damaged`);
      const next = parseChunkKey(key);
      if (before !== undefined) yield { key: before, until: next.timestamp };
      before = next;
    }
    if (before !== undefined) yield { key: before, until: removedAt > 0 ? removedAt : Infinity };
  }
}

/**
 * Removes chunks of which no value holds after a timestamp (ms). Must run within a transaction.
 * @returns how many chunks were removed, and the names of series that are now empty
 */
export function pruneChunks(
  env: Environment,
  entries: ReadonlyMap<string, SeriesEntry>,
  to: number,
): { readonly chunks: number; readonly series: readonly string[] } {
  const gone = [...held(env, entries)].filter(({ until }) => until <= to);
  for (const { key } of gone) {
    env.chunks.removeSync(chunkKey(key));
    env.heads.removeSync(chunkKey(key));
  }
  const series = [...entries].flatMap(([name, { removedAt }]) =>
    name.startsWith('["samples"') && removedAt > 0 && removedAt <= to ? [name] : [],
  );
  for (const name of series) env.series.removeSync(Buffer.from(name));
  return { chunks: gone.length, series };
}

/**
 * Returns the timestamp (ms) up to which samples must be pruned to free this many bytes; undefined when none may
 * be.
 */
export function quotaHorizon(
  env: Environment,
  entries: ReadonlyMap<string, SeriesEntry>,
  bytes: number,
): number | undefined {
  const ends = [...held(env, entries)].map(({ until }) => until).filter((until) => until < Infinity);
  ends.sort((a, b) => a - b);
  return ends[Math.min(Math.ceil(bytes / chunkBytes), ends.length) - 1];
}
