import { type ReadonlySignal, type Signal, signal } from "@preact/signals";

/** Ids of objects by a key, such as those of a room; each list is sorted and changes only with its members. */
export interface Index<T> {
  idsOf(key: string): ReadonlySignal<readonly string[]>;
  /** Takes note of a change of an object. */
  move(id: string, before: T | undefined, after: T | undefined): void;
  /** Shows the changes that were noted. */
  settle(): void;
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
  const changed = new Set<string>();
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
        changed.add(key);
      }
      for (const key of wanted) {
        let of = members.get(key);
        if (of === undefined) members.set(key, (of = new Map()));
        if (of.get(id) === rank) continue;
        of.set(id, rank);
        changed.add(key);
      }
    },
    settle() {
      for (const key of changed) {
        const of = [...(members.get(key) ?? [])];
        listOf(key).value = of.toSorted(([, a], [, b]) => compareTexts(a, b)).map(([id]) => id);
      }
      changed.clear();
    },
  };
}

/** The objects of a category, a signal for each. */
export interface Collection<T> {
  /** The ids of all objects, sorted. */
  readonly ids: ReadonlySignal<readonly string[]>;
  /** Returns the signal of an object, which outlives the object. */
  of(id: string): ReadonlySignal<T | undefined>;
  /** Takes over changes, null for what has gone; in full, what is not named has gone. To be called in a batch. */
  apply(changes: Readonly<Record<string, T | null>>, isFull: boolean): void;
  /** Returns the objects by id. */
  all(): Readonly<Record<string, T>>;
}

export function createCollection<T>(rankOf: (object: T) => string, ...others: Index<T>[]): Collection<T> {
  const signals = new Map<string, Signal<T | undefined>>();
  const all = createIndex<T>({ keysOf: () => whole, rankOf });
  const indexes = [all, ...others];
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
    ids: all.idsOf(""),
    of,
    apply(changes, isFull) {
      if (isFull) for (const id of signals.keys()) if (!Object.hasOwn(changes, id)) put(id, undefined);
      for (const id of Object.keys(changes)) put(id, changes[id] ?? undefined);
      for (const index of indexes) index.settle();
    },
    all() {
      const there = [...signals].flatMap(([id, object]): [string, T][] => {
        const value = object.peek();
        return value === undefined ? [] : [[id, value]];
      });
      return Object.fromEntries(there);
    },
  };
}
