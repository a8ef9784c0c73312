import type { EventLog, Snapshot } from "@ledge/log";
import type { AnyDecider } from "@ledge/model";
import type { Layer } from "./layer.ts";
import type { Projection } from "./projection.ts";
import type { Category, EntryRow, RecencyList } from "./recency.ts";

/** First row of a snapshot. The rows of the recency list follow, then states of kinds without a category. */
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
 * Yields the rows of a snapshot of projections, which must not change until the last row is taken.
 * @param plainKinds kinds without a category.
 */
export function* snapshotRows(list: RecencyList, plainKinds: readonly string[], states: Layer): Generator {
  const head: Head = { horizon: list.horizon, entries: list.size };
  yield head;
  yield* list.rows();
  for (const kind of plainKinds) {
    for (const [id, state] of states.all(kind)) yield { kind, id, state } satisfies StateRow;
  }
}

/** Fills an empty projection from the rows of a snapshot. */
export function restoreRows(rows: Iterator<unknown>, { list, byKind, states }: Projection): void {
  const head = rows.next().value as Head;
  list.horizon = head.horizon;
  for (let left = head.entries; left > 0; left--) {
    const row = rows.next().value as EntryRow;
    const category = byKind.get(row.kind);
    if (category === undefined) throw new Error(`the snapshot holds rows of the unknown kind ${row.kind}`);
    list.restore(row.forGuests ? (category.forGuests as Category) : category, row);
    if (row.state !== null) states.set(row.kind, row.id, row.state);
  }
  for (let next = rows.next(); next.done !== true; next = rows.next()) {
    const row = next.value as StateRow;
    states.set(row.kind, row.id, row.state);
  }
}

/** Increase it with every change of what a row holds. */
const rowShape = 2;

/**
 * Returns the format of snapshots, which names the shape of their rows. When the kinds, the event types, or the
 * kinds that look different to guests change, so does the format, and the log is read anew.
 */
export function snapshotFormat(aggregates: readonly AnyDecider[], release: string): string {
  const kinds = aggregates.map(({ kind, delta }) => (delta?.hidesFromGuests ? `${kind}+guests` : kind));
  const types = aggregates.flatMap(({ events }) => events.map(({ type, version }) => `${type}@${version}`));
  return [release, `rows@${rowShape}`, ...kinds, ...types.toSorted()].join(" ");
}

/** Writes snapshots one after the other. */
export class Snapshots {
  readonly #log: EventLog;
  readonly #format: string;
  readonly #projection: Projection;
  readonly #plainKinds: readonly string[];
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(log: EventLog, format: string, projection: Projection, aggregates: readonly AnyDecider[]) {
    this.#log = log;
    this.#format = format;
    this.#projection = projection;
    this.#plainKinds = aggregates.map(({ kind }) => kind).filter((kind) => !projection.byKind.has(kind));
  }

  /** Resolves when a snapshot of now, or of a little later, is on disk. */
  write(): Promise<void> {
    // All callers during one write share the next.
    this.#next ??= this.#after(this.#writing);
    return this.#next;
  }

  /** Resolves when no write is in progress. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  /** Returns the projections as they are now. */
  take(): Snapshot {
    const { timestamp, list, states } = this.#projection;
    // Collect the rows at once, because the maps may change. The objects are immutable, so writing them may take
    // time.
    const rows = [...snapshotRows(list, this.#plainKinds, states)];
    return { timestamp, format: this.#format, rows };
  }

  async #after(before: Promise<void>): Promise<void> {
    await before;
    this.#next = undefined;
    const saved = this.#log.saveSnapshot(this.take());
    this.#writing = saved.catch(() => undefined);
    await saved;
  }
}
