import type { CategoryType, DeltaCategory } from "@ledge/model";
import { accessMasks, guestRoles } from "@ledge/model";
import type { Fragment } from "./arena.ts";
import type { Viewer } from "./viewer.ts";

/** Who may read an object. */
export interface Readers {
  readonly mask: number;
  /** The only user who may read it; null for everyone whom the mask admits. */
  readonly user: string | null;
}

/** Who could read an earlier form of an object, and when that right was last lost (ms). */
export interface FormerReaders extends Readers {
  readonly until: number;
}

const nobody: Readers = { mask: 0, user: null };
/** Readers by mask, for objects without a reader of their own. Most objects of a home share a few of them. */
const everyone = new Map<number, Readers>([[0, nobody]]);
const noReaders: readonly FormerReaders[] = [];

/** One category of the poll delta: its place in the answer and, when an aggregate fills it, its rules. */
export interface Category {
  readonly index: number;
  readonly type: CategoryType;
  readonly field: string;
  readonly kind: string | undefined;
  readonly rules: DeltaCategory<unknown> | undefined;
  /** Role bits of the viewers for whom its objects are rendered. */
  readonly audience: number;
  readonly entries: Map<string, Entry>;
  /** The same objects as guests see them, when they are rendered differently for guests. */
  readonly forGuests: Category | undefined;
}

/** Returns the category as a viewer sees it. */
export function viewOf(category: Category, { role }: Pick<Viewer, "role">): Category {
  const { forGuests } = category;
  return forGuests !== undefined && (role & guestRoles) !== 0 ? forGuests : category;
}

/** An object's place in the recency list, with its serialised forms. A deleted object stays as a tombstone. */
export class Entry {
  readonly category: Category;
  readonly id: string;
  state: unknown = undefined;
  timestamp = 0;
  /** When it was last heard of (ms); kept in memory only. */
  seen: number | undefined = undefined;
  readers: Readers = nobody;
  /** Viewers who could read an earlier form. They see the loss of the right as a deletion. */
  formerReaders: readonly FormerReaders[] = noReaders;
  /** `"<id>":<object>` as JSON, per language. Dropped at every change. */
  fragments: Map<string, Fragment> | undefined = undefined;
  /** The same for objects without texts. */
  fragment: Fragment | undefined = undefined;
  /** `"<id>":null`. */
  absence: Fragment | undefined = undefined;
  newer: Entry | undefined = undefined;
  older: Entry | undefined = undefined;

  constructor(category: Category, id: string) {
    this.category = category;
    this.id = id;
  }

  get deleted(): boolean {
    return this.state === undefined;
  }

  readableBy(viewer: Viewer): boolean {
    return this.state !== undefined && admits(this.readers, viewer);
  }

  /** Whether the viewer could read it until after `cursor` (ms), although it is deleted or hidden now. */
  wasReadableBy(viewer: Viewer, cursor: number): boolean {
    for (const former of this.formerReaders) if (former.until > cursor && admits(former, viewer)) return true;
    return false;
  }

  /** Drops the serialised forms after a change. They are created again when needed. */
  dropFragments(): void {
    if (this.fragment !== undefined) {
      this.fragment.drop();
      this.fragment = undefined;
    }
    if (this.fragments !== undefined) {
      for (const fragment of this.fragments.values()) fragment.drop();
      this.fragments = undefined;
    }
  }

  /** Releases everything that it holds, because it will not be read again. */
  forget(): void {
    this.dropFragments();
    this.absence?.drop();
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
  readonly formerReaders: readonly FormerReaders[];
  readonly forGuests: boolean;
}

/**
 * All objects of all categories, the newest change first, including deletions. A poll walks it from the head down
 * to its cursor. The list keeps a limited number of deletions; `horizon` is the timestamp of the newest forgotten
 * one.
 */
export class RecencyList {
  readonly #tombstonesMax: number;
  /** Deleted entries, oldest deletion first. */
  readonly #tombstones = new Set<Entry>();
  #tail: Entry | undefined;
  head: Entry | undefined;
  horizon = 0;

  constructor(tombstonesMax: number) {
    this.#tombstonesMax = tombstonesMax;
  }

  /** Puts an object at the head with its new state; undefined marks it deleted. */
  put(category: Category, id: string, state: unknown, timestamp: number): void {
    let entry = category.entries.get(id);
    if (entry === undefined) {
      if (state === undefined) return;
      entry = new Entry(category, id);
      category.entries.set(id, entry);
    } else {
      this.#unlink(entry);
      if (entry.deleted) this.#tombstones.delete(entry);
    }
    entry.state = state;
    entry.timestamp = timestamp;
    entry.dropFragments();
    setReaders(entry);
    this.#pushHead(entry);
    if (state === undefined) this.#bury(entry);
  }

  /** The number of entries, including deletions. */
  get size(): number {
    let count = 0;
    for (let entry = this.#tail; entry !== undefined; entry = entry.newer) count++;
    return count;
  }

  /** Yields entries from the oldest change to the newest, for a snapshot. */
  *rows(): IterableIterator<EntryRow> {
    for (let entry = this.#tail; entry !== undefined; entry = entry.newer) {
      const { id, timestamp, state, formerReaders, category } = entry;
      const kind = category.kind ?? "";
      const forGuests = isForGuests(category);
      yield { kind, id, timestamp, state: state ?? null, formerReaders, forGuests };
    }
  }

  /** Restores an entry from a snapshot. Rows come from the oldest to the newest. */
  restore(category: Category, row: EntryRow): void {
    const entry = new Entry(category, row.id);
    category.entries.set(row.id, entry);
    entry.state = row.state ?? undefined;
    entry.timestamp = row.timestamp;
    setReaders(entry);
    if (row.formerReaders.length > 0) entry.formerReaders = row.formerReaders;
    this.#pushHead(entry);
    if (entry.deleted) this.#bury(entry);
  }

  #bury(entry: Entry): void {
    entry.seen = undefined;
    this.#tombstones.add(entry);
    for (const oldest of this.#tombstones) {
      if (this.#tombstones.size <= this.#tombstonesMax) return;
      this.#tombstones.delete(oldest);
      this.#unlink(oldest);
      oldest.forget();
      oldest.category.entries.delete(oldest.id);
      this.horizon = Math.max(this.horizon, oldest.timestamp);
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

/** Whether a category is the guests' view, without hidden devices. */
export function isForGuests({ audience }: Category): boolean {
  return audience === guestRoles;
}

/** Computes who may read an entry now, and remembers who could until now. */
function setReaders(entry: Entry): void {
  const { readers: before, state } = entry;
  const { rules, audience } = entry.category;
  const mask = state === undefined ? 0 : (rules?.readMask?.(state) ?? accessMasks.GUEST) & audience;
  const user = state === undefined ? null : (rules?.reader?.(state) ?? null);
  if (before.mask === mask && before.user === user) return;
  if (before.mask !== 0) {
    const others = entry.formerReaders.filter(
      (former) => former.mask !== before.mask || former.user !== before.user,
    );
    entry.formerReaders = [...others, { ...before, until: entry.timestamp }];
  }
  entry.readers = readersOf(mask, user);
}

function readersOf(mask: number, user: string | null): Readers {
  if (user !== null) return { mask, user };
  let readers = everyone.get(mask);
  if (readers === undefined) everyone.set(mask, (readers = { mask, user }));
  return readers;
}
