import { type ReadonlySignal, type Signal, signal } from "@preact/signals";

/** Ids of objects by a key, such as those of a room; each list is sorted and changes only with its members. */
export interface Index<T> {
  idsOf(key: string): ReadonlySignal<readonly string[]>;
  /** Takes note of a change of an object. */
  move(id: string, before: T | undefined, after: T | undefined): void;
  /** Sorts the changes that were noted in. */
  settle(): void;
  /** Shows readers what has settled. */
  show(): void;
}

/** How an index finds the keys of an object, and what it sorts the ids of a key by. */
export interface IndexBy<T> {
  readonly keysOf: (object: T) => readonly string[];
  readonly rankOf: (object: T) => string;
}

const none: readonly string[] = [];
const whole: readonly string[] = [""];
const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/** Compares texts as people sort them: by letter, numbers by size. */
export function compareTexts(a: string, b: string): number {
  return collator.compare(a, b);
}

export function createIndex<T>({ keysOf, rankOf }: IndexBy<T>): Index<T> {
  const lists = new Map<string, Signal<readonly string[]>>();
  const members = new Map<string, Map<string, string>>();
  /** The ids by key that have another place in its list now, or none. */
  const moved = new Map<string, Set<string>>();
  /** The lists that readers do not see yet. */
  const settled = new Map<string, readonly string[]>();
  const note = (key: string, id: string): void => {
    const ids = moved.get(key);
    if (ids === undefined) moved.set(key, new Set([id]));
    else ids.add(id);
  };
  const listOf = (key: string): Signal<readonly string[]> => {
    let list = lists.get(key);
    if (list === undefined) lists.set(key, (list = signal(none)));
    return list;
  };
  /** Most changes are of a state, which moves nothing. */
  const isSamePlace = (before: T, after: T): boolean => {
    if (rankOf(before) !== rankOf(after)) return false;
    const [keys, others] = [keysOf(before), keysOf(after)];
    return keys === others || (keys.length === others.length && keys.every((key, at) => key === others[at]));
  };
  return {
    idsOf: listOf,
    move(id, before, after) {
      if (before !== undefined && after !== undefined && isSamePlace(before, after)) return;
      const rank = after === undefined ? "" : rankOf(after);
      const wanted = after === undefined ? none : keysOf(after);
      for (const key of before === undefined ? none : keysOf(before)) {
        if (wanted.includes(key)) continue;
        members.get(key)?.delete(id);
        note(key, id);
      }
      for (const key of wanted) {
        let of = members.get(key);
        if (of === undefined) members.set(key, (of = new Map()));
        if (of.get(id) === rank) continue;
        of.set(id, rank);
        note(key, id);
      }
    },
    settle() {
      for (const [key, ids] of moved) {
        const before = settled.get(key) ?? listOf(key).peek();
        settled.set(key, placed(before, ids, members.get(key) ?? new Map<string, string>()));
      }
      moved.clear();
    },
    show() {
      for (const [key, list] of settled) listOf(key).value = list;
      settled.clear();
    },
  };
}

/**
 * Returns a sorted list in which some ids have found their new places; the others are not compared with one another.
 * @param ranks of its members
 */
function placed(
  sorted: readonly string[],
  moved: ReadonlySet<string>,
  ranks: ReadonlyMap<string, string>,
): readonly string[] {
  const compare = (a: string, b: string): number =>
    compareTexts(ranks.get(a) ?? "", ranks.get(b) ?? "") || (a < b ? -1 : 1);
  const others = sorted.filter((id) => !moved.has(id));
  const list: string[] = [];
  let from = 0;
  for (const id of [...moved].filter((of) => ranks.has(of)).toSorted(compare)) {
    const to = placeOf(id, others, from, compare);
    for (; from < to; from++) list.push(others[from] as string);
    list.push(id);
  }
  for (; from < others.length; from++) list.push(others[from] as string);
  return list;
}

/** Returns the place of an id in a sorted list, at or after another place. */
function placeOf(
  id: string,
  sorted: readonly string[],
  from: number,
  compare: (a: string, b: string) => number,
): number {
  let [low, high] = [from, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(sorted[middle] as string, id) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The objects of a category, a signal for each. */
export interface Collection<T> {
  /** The ids of all objects, sorted. */
  readonly ids: ReadonlySignal<readonly string[]>;
  /** Returns the signal of an object, which outlives the object. */
  of(id: string): ReadonlySignal<T | undefined>;
  /** Takes over changes, null for what has gone. To be called in a batch. Lists of ids change with `show`. */
  apply(changes: Readonly<Record<string, T | null>>): void;
  /** Forgets the objects that are not told, in the same way. */
  retain(isTold: (id: string) => boolean): void;
  /** Shows readers the lists of ids as they are now. To be called in a batch. */
  show(): void;
  /** Returns all objects, sorted. Who reads it follows each of them. */
  list(): readonly T[];
  /** Returns the objects by id. */
  all(): Readonly<Record<string, T>>;
}

export function createCollection<T>(rankOf: (object: T) => string, ...others: Index<T>[]): Collection<T> {
  const signals = new Map<string, Signal<T | undefined>>();
  const everything = createIndex<T>({ keysOf: () => whole, rankOf });
  const ids = everything.idsOf("");
  const indexes = [everything, ...others];
  const of = (id: string): Signal<T | undefined> => {
    let found = signals.get(id);
    if (found === undefined) signals.set(id, (found = signal(undefined)));
    return found;
  };
  const put = (id: string, after: T | undefined): void => {
    const object = of(id);
    const before = object.peek();
    if (before === undefined && after === undefined) return;
    for (const index of indexes) index.move(id, before, after);
    object.value = after;
  };
  return {
    ids,
    of,
    list: () => ids.value.flatMap((id) => of(id).value ?? []),
    apply(changes) {
      for (const id of Object.keys(changes)) put(id, changes[id] ?? undefined);
      for (const index of indexes) index.settle();
    },
    retain(isTold) {
      for (const id of signals.keys()) if (!isTold(id)) put(id, undefined);
      for (const index of indexes) index.settle();
    },
    show: () => indexes.forEach((index) => index.show()),
    all() {
      const there = [...signals].flatMap(([id, object]): [string, T][] => {
        const value = object.peek();
        return value === undefined ? [] : [[id, value]];
      });
      return Object.fromEntries(there);
    },
  };
}
