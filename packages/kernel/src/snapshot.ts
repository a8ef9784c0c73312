import type { Snapshot } from '@ledge/log';
import type { EventDefinition, States } from '@ledge/model';
import type { Layer } from './layer.ts';
import type { Category, EntryRow, RecencyList } from './recency.ts';

/** First row of a snapshot; the rows of the recency list follow, then states of kinds without a category. */
interface Head {
  readonly horizon: number;
  readonly entries: number;
}

interface StateRow {
  readonly kind: string;
  readonly id: string;
  readonly state: unknown;
}

/**
 * The projections as of `timestamp`. What can change is taken at once; objects are immutable, so writing them
 * may take its time.
 */
export function takeSnapshot(
  timestamp: number,
  format: string,
  list: RecencyList,
  plainKinds: readonly string[],
  states: Layer,
): Snapshot {
  const entries = [...list.rows()];
  const plain: StateRow[] = [];
  for (const kind of plainKinds) for (const [id, state] of states.all(kind)) plain.push({ kind, id, state });
  const head: Head = { horizon: list.horizon, entries: entries.length };
  return { timestamp, format, rows: [head, ...entries, ...plain] };
}

/** Fills empty projections from a snapshot. */
export function restoreSnapshot(
  snapshot: Snapshot,
  list: RecencyList,
  categories: ReadonlyMap<string, Category>,
  states: Layer,
): void {
  const rows = snapshot.rows[Symbol.iterator]();
  const head = rows.next().value as Head;
  list.horizon = head.horizon;
  for (let left = head.entries; left > 0; left--) {
    const row = rows.next().value as EntryRow;
    const category = categories.get(row.kind);
    if (category === undefined) throw new Error(`the snapshot has an unknown kind ${row.kind}`);
    list.restore(category, row);
    if (row.state !== null) states.set(row.kind as keyof States, row.id, row.state);
  }
  for (let next = rows.next(); next.done !== true; next = rows.next()) {
    const row = next.value as StateRow;
    states.set(row.kind, row.id, row.state);
  }
}

/** Names the shape of snapshots: another set of kinds or event types is another shape, read from the log anew. */
export function snapshotFormat(kinds: readonly string[], events: Iterable<EventDefinition>, release: string): string {
  const types = [...events].map(({ type, version }) => `${type}@${version}`).sort();
  return [release, ...kinds, ...types].join(' ');
}
