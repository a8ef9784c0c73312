import type { CategoryType, DeltaCategory } from '@ledge/model';
import { accessMasks } from '@ledge/model';
import type { Viewer } from './viewer.ts';

/** Who may read an object. */
interface Readers {
  readonly mask: number;
  /** Null: everyone whom the mask admits. */
  readonly user: string | null;
}

const noReaders: readonly Readers[] = [];

/** One category of the poll delta: its place in the answer and, when an aggregate fills it, its rules. */
export interface Category {
  readonly index: number;
  readonly type: CategoryType;
  readonly field: string;
  readonly kind: string | undefined;
  readonly rules: DeltaCategory<unknown> | undefined;
  readonly entries: Map<string, Entry>;
}

/** An object's place in the recency list, with what it reads as. A deleted one stays as a tombstone. */
export class Entry {
  readonly category: Category;
  readonly id: string;
  state: unknown;
  timestamp: number;
  readers: Readers = { mask: 0, user: null };
  /** Those who could read an earlier form: to them the loss of the right shows as a deletion. */
  formerReaders: readonly Readers[] = noReaders;
  /** `"<id>":<object>` as JSON, per language; dropped at every change. */
  fragments: Map<string, Uint8Array> | undefined;
  /** The same for objects without texts. */
  fragment: Uint8Array | undefined;
  newer: Entry | undefined;
  older: Entry | undefined;

  constructor(category: Category, id: string) {
    this.category = category;
    this.id = id;
    this.timestamp = 0;
  }

  get deleted(): boolean {
    return this.state === undefined;
  }

  readableBy(viewer: Viewer): boolean {
    return this.state !== undefined && admits(this.readers, viewer);
  }

  /** True when the viewer may know it from before, though it is gone or hidden now. */
  wasReadableBy(viewer: Viewer): boolean {
    return this.formerReaders.some((readers) => admits(readers, viewer));
  }

  dropFragments(): void {
    this.fragment = undefined;
    this.fragments = undefined;
  }
}

function admits(readers: Readers, viewer: Viewer): boolean {
  return (viewer.role & readers.mask) > 0 && (readers.user === null || readers.user === viewer.user);
}

/** A row of a snapshot: an entry without what can be derived. */
export interface EntryRow {
  readonly kind: string;
  readonly id: string;
  readonly timestamp: number;
  readonly state: unknown;
  readonly formerReaders: readonly Readers[];
}

/**
 * All objects of all categories, the newest change first, deletions included. A poll walks it from the head as
 * far as its cursor. Deletions are kept up to a number; `horizon` is the timestamp of the newest forgotten one.
 */
export class RecencyList {
  readonly #tombstonesMax: number;
  readonly #tombstones: { readonly entry: Entry; readonly timestamp: number }[] = [];
  #firstTombstone = 0;
  #tail: Entry | undefined;
  head: Entry | undefined;
  horizon = 0;

  constructor(tombstonesMax: number) {
    this.#tombstonesMax = tombstonesMax;
  }

  /** Puts an object at the head with what it is now; undefined marks it deleted. */
  put(category: Category, id: string, state: unknown, timestamp: number): void {
    let entry = category.entries.get(id);
    if (entry === undefined) {
      if (state === undefined) return;
      entry = new Entry(category, id);
      category.entries.set(id, entry);
    } else {
      this.#unlink(entry);
    }
    entry.state = state;
    entry.timestamp = timestamp;
    entry.dropFragments();
    setReaders(entry, state === undefined ? { mask: 0, user: null } : readersOf(category, state));
    this.#pushHead(entry);
    if (state === undefined) this.#bury(entry, timestamp);
  }

  /** Entries from the oldest change to the newest, for a snapshot. */
  *rows(): IterableIterator<EntryRow> {
    for (let entry = this.#tail; entry !== undefined; entry = entry.newer) {
      const { id, timestamp, state, formerReaders, category } = entry;
      yield { kind: category.kind ?? '', id, timestamp, state: state ?? null, formerReaders };
    }
  }

  /** Puts back an entry of a snapshot; rows come from the oldest to the newest. */
  restore(category: Category, row: EntryRow): void {
    const entry = new Entry(category, row.id);
    category.entries.set(row.id, entry);
    entry.state = row.state ?? undefined;
    entry.timestamp = row.timestamp;
    entry.formerReaders = row.formerReaders.length === 0 ? noReaders : row.formerReaders;
    if (entry.state !== undefined) entry.readers = readersOf(category, entry.state);
    this.#pushHead(entry);
    if (entry.state === undefined) this.#bury(entry, row.timestamp);
  }

  #bury(entry: Entry, timestamp: number): void {
    this.#tombstones.push({ entry, timestamp });
    while (this.#tombstones.length - this.#firstTombstone > this.#tombstonesMax) {
      const oldest = this.#tombstones[this.#firstTombstone++] as { entry: Entry; timestamp: number };
      const { id, category } = oldest.entry;
      if (oldest.entry.timestamp !== oldest.timestamp || !oldest.entry.deleted) continue;
      this.#unlink(oldest.entry);
      category.entries.delete(id);
      this.horizon = Math.max(this.horizon, oldest.timestamp);
    }
    if (this.#firstTombstone > this.#tombstonesMax) {
      this.#tombstones.splice(0, this.#firstTombstone);
      this.#firstTombstone = 0;
    }
  }

  #pushHead(entry: Entry): void {
    entry.newer = undefined;
    entry.older = this.head;
    if (this.head !== undefined) this.head.newer = entry;
    this.head = entry;
    this.#tail ??= entry;
  }

  #unlink(entry: Entry): void {
    if (entry.newer === undefined) this.head = entry.older;
    else entry.newer.older = entry.older;
    if (entry.older === undefined) this.#tail = entry.newer;
    else entry.older.newer = entry.newer;
  }
}

function readersOf(category: Category, state: unknown): Readers {
  const { rules } = category;
  return { mask: rules?.readMask?.(state) ?? accessMasks.GUEST, user: rules?.reader?.(state) ?? null };
}

function setReaders(entry: Entry, now: Readers): void {
  const before = entry.readers;
  if (before.mask === now.mask && before.user === now.user) return;
  const known = entry.formerReaders.some(({ mask, user }) => mask === before.mask && user === before.user);
  if (before.mask !== 0 && !known) entry.formerReaders = [...entry.formerReaders, before];
  entry.readers = now;
}
