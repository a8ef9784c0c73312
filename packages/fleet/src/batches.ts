import type { Batch, Refused, SourceState } from "./register-store.ts";
import type { Row, RowKey } from "./row.ts";

/** What a store has of a source. */
export interface StoredSource extends SourceState {
  /** How many rows it has, and how many bytes of them. */
  readonly rows: number;
  readonly bytes: number;
  /** Set while the source is being deleted. */
  readonly isForgotten?: true;
}

/** Returns what a store has of a source after a batch. @param room what the source then has */
export function sourceAfter(
  batch: Batch,
  source: StoredSource | undefined,
  { rows, bytes }: Pick<StoredSource, "rows" | "bytes">,
): StoredSource {
  const { upto: cursor, generation, note = source?.note } = batch;
  return { cursor, generation, rows, bytes, ...(note !== undefined && { note }) };
}

/** Returns what readers see of a stored source. */
export function stateOf({ cursor, generation, note }: StoredSource): SourceState {
  return { cursor, generation, ...(note !== undefined && { note }) };
}

/** Returns why a batch is refused; undefined when it may be applied. */
export function refusalOf(
  batch: Pick<Batch, "after" | "generation">,
  source: StoredSource | undefined,
): Refused | undefined {
  const refused = (reason: Refused["reason"]): Refused => ({
    outcome: "refused",
    reason,
    stored: source && stateOf(source),
  });
  if (source?.isForgotten) return refused("forgetting");
  if (source !== undefined && batch.generation < source.generation) return refused("generation");
  return batch.after === (source?.cursor ?? null) ? undefined : refused("cursor");
}

/**
 * Returns what a batch does to the row of a key: the row to store, `same` when it is stored already, or
 * `left-out` when the row belongs to another source.
 */
export function upserted(stored: Row | undefined, row: Row): Row | "same" | "left-out" {
  if (stored === undefined) return row;
  if (stored.source !== row.source) return "left-out";
  const timestamp = Math.max(stored.timestamp, row.timestamp);
  const next =
    row.kind === "device" && stored.kind === "device"
      ? { ...row, timestamp, device: { ...row.device, createdAt: stored.device.createdAt } }
      : { ...row, timestamp };
  return JSON.stringify(next) === JSON.stringify(stored) ? "same" : next;
}

/** Collects keys, each once. */
export class KeySet {
  readonly #keys = new Map<string, RowKey>();

  add({ register, kind, id }: RowKey): void {
    this.#keys.set(JSON.stringify([register, kind, id]), { register, kind, id });
  }

  get all(): readonly RowKey[] {
    return [...this.#keys.values()];
  }
}
