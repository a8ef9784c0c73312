import type { AnyDecider, CategoryType, DomainEvent, LoggedEvent, Reader, Timer } from "@ledge/model";
import { Published } from "./layer.ts";
import { accessMasks, guestRoles } from "@ledge/model";
import type { Category, Entry } from "./recency.ts";
import { isForGuests, RecencyList } from "./recency.ts";

/** A row of the poll answer: `categories` in @ledge/model. */
export interface CategoryRow {
  readonly type: CategoryType;
  readonly field: string;
}

/** The durable and visible state: the states, and the recency list over those that clients poll. */
export class Projection {
  readonly states: Published = new Published();
  readonly read: Reader = this.states as Reader;
  readonly list: RecencyList;
  readonly categories: readonly Category[];
  readonly byKind: ReadonlyMap<string, Category>;
  readonly #epochEvent: string;
  readonly #dependent: readonly Category[];
  /** Timestamp (ms) of the newest published commit. */
  timestamp = 0;

  /** @param epochEvent type of the event that invalidates all earlier cursors. */
  constructor(
    aggregates: readonly AnyDecider[],
    rows: readonly CategoryRow[],
    epochEvent: string,
    tombstones: number,
  ) {
    this.list = new RecencyList(tombstones);
    this.#epochEvent = epochEvent;
    this.categories = rows.map(({ type, field }, index): Category => {
      const decider = aggregates.find(({ delta }) => delta?.type === type);
      const rules = decider?.delta;
      const row = { index, type, field, kind: decider?.kind, rules };
      const everybody = accessMasks.ANONYMOUS;
      if (!rules?.hidesFromGuests)
        return { ...row, audience: everybody, entries: new Map(), forGuests: undefined };
      const forGuests = { ...row, audience: guestRoles, entries: new Map(), forGuests: undefined };
      return { ...row, audience: everybody & ~guestRoles, entries: new Map(), forGuests };
    });
    this.byKind = new Map(
      this.categories.flatMap((category) => (category.kind ? [[category.kind, category]] : [])),
    );
    this.#dependent = this.categories
      .flatMap((category) => [category, ...(category.forGuests ? [category.forGuests] : [])])
      .filter(({ rules }) => rules?.dependents !== undefined);
  }

  /**
   * Makes a commit visible: the states that its events changed, and the objects that depend on them.
   * @param changed the changed states; undefined for removed objects.
   * @param onTimer called for each timer among them.
   */
  publish(
    timestamp: number,
    events: readonly LoggedEvent[],
    changed: Iterable<readonly [kind: string, id: string, state: unknown]>,
    onTimer?: (id: string, timer: Timer | undefined) => void,
  ): void {
    this.timestamp = timestamp;
    for (const [kind, id, state] of changed) {
      this.states.set(kind, id, state);
      if (kind === "timer") onTimer?.(id, state as Timer | undefined);
      const category = this.byKind.get(kind);
      if (category === undefined) continue;
      if (category.forGuests) this.list.put(category.forGuests, id, state, timestamp);
      this.list.put(category, id, state, timestamp);
    }
    for (const event of events) {
      if (event.type === this.#epochEvent) this.list.horizon = timestamp;
      this.#renewDependents(event, timestamp);
    }
  }

  #renewDependents(event: DomainEvent, timestamp: number): void {
    for (const category of this.#dependent) {
      for (const id of category.rules?.dependents?.(event, this.read, isForGuests(category)) ?? []) {
        const state = this.states.get(category.kind ?? "", id);
        if (state !== undefined) this.list.put(category, id, state, timestamp);
      }
    }
  }

  entry(kind: string, id: string): Entry | undefined {
    return this.byKind.get(kind)?.entries.get(id);
  }

  /** Notes when an object was last heard of (ms). Ignores a time earlier than the noted one. */
  touch(kind: string, id: string, at: number): void {
    const entry = this.entry(kind, id);
    if (entry === undefined || entry.deleted || at <= (entry.seen ?? 0)) return;
    entry.seen = at;
    entry.dropFragments();
  }
}
