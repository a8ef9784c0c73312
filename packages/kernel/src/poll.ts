import type { CategoryType, Reader } from "@ledge/model";
import { limits } from "@ledge/model";
import { Answer, dictionaryOf, Openings, type Section } from "./answer.ts";
import { Arena, type Fragment } from "./arena.ts";
import type { Category, Entry, RecencyList } from "./recency.ts";
import { isForGuests, viewOf } from "./recency.ts";
import type { PollRequest, Viewer } from "./viewer.ts";

/**
 * Stands before each object of an answer and nowhere else, so that a client can read a long answer in parts. To JSON it
 * is a space, and an answer stays one line for tools that read lines.
 */
const tab = "\t";

/** What all answers of one timestamp share. Created once per commit, not per poll. */
interface Shared {
  readonly timestamp: number;
  readonly delta: Openings;
  readonly full: Openings;
}

/** Legacy cursors: the requested categories, each with its own cursor. */
type ByCategory = ReadonlyMap<CategoryType, number>;

/** The part of the kernel that polls read. */
export interface PollSource {
  readonly list: RecencyList;
  readonly categories: readonly Category[];
  readonly read: Reader;
  /** Timestamp (ms) of the newest published commit. */
  readonly timestamp: number;
}

/**
 * Answers polls from the recency list. An answer consists of cached bytes that are copied once. An object is
 * serialised once per change and language, on first use.
 */
export class Poller {
  readonly #source: PollSource;
  readonly #slice: number;
  readonly #pause: () => Promise<void>;
  readonly #answer: Answer;
  readonly #arenas = new Map<Category, Arena>();
  #shared: Shared | undefined;

  /** @param pause yields to other work of the process between the slices of a large full answer. */
  constructor(source: PollSource, pause: () => Promise<void>, slice: number = limits.fullPollSliceEntries) {
    this.#source = source;
    this.#pause = pause;
    this.#slice = slice;
    this.#answer = new Answer(source.categories.length);
  }

  /**
   * Returns a POLL_DELTA (hub-api 2.2). Returns a promise when a full answer is long and therefore prepared in
   * slices.
   */
  poll({ viewer, cursors, language }: PollRequest): Uint8Array | Promise<Uint8Array> {
    const shared = this.#sharedNow();
    if ("ts" in cursors) {
      if (this.#needsFull(cursors.ts, viewer)) return this.#full(viewer, language, shared.full, undefined);
      return this.#delta(cursors.ts, undefined, viewer, language, shared.delta);
    }
    const { byCategory } = cursors;
    let oldest = Infinity;
    for (const cursor of byCategory.values()) {
      if (this.#needsFull(cursor, viewer)) return this.#full(viewer, language, shared.full, byCategory);
      if (cursor < oldest) oldest = cursor;
    }
    return this.#delta(oldest, byCategory, viewer, language, shared.delta);
  }

  /**
   * Returns whether a poll with the cursor `ts` would answer with more than a timestamp. Serialises nothing, and
   * looks only at what has changed since.
   */
  hasNews(ts: number, viewer: Viewer): boolean {
    if (this.#needsFull(ts, viewer)) return true;
    const { head } = this.#source.list;
    for (let entry = head; entry !== undefined && entry.timestamp > ts; entry = entry.older)
      if (entry.readableBy(viewer) || entry.wasReadableBy(viewer, ts)) return true;
    return false;
  }

  /** Returns `{"<id>": object}` of the entries that the viewer may read. */
  dictionary(entries: Iterable<Entry>, viewer: Viewer, language: string): Uint8Array {
    const fragments: Fragment[] = [];
    for (const entry of entries)
      if (entry.readableBy(viewer)) fragments.push(this.#fragment(entry, language));
    return dictionaryOf(fragments);
  }

  /** Returns the object as the API serves it. */
  render(entry: Entry, language: string): object {
    const { category, state, timestamp, seen } = entry;
    const { rules } = category;
    if (rules?.render === undefined) return state as object;
    const { read } = this.#source;
    return rules.render(state, { read, seen, language, timestamp, forGuests: isForGuests(category) });
  }

  /** Whether a restart, a restore, a lost right or a forgotten deletion lies between the cursor and now. */
  #needsFull(cursor: number, viewer: Viewer): boolean {
    const { timestamp, list } = this.#source;
    return cursor <= 0 || cursor > timestamp || cursor < list.horizon || cursor < viewer.since;
  }

  #delta(
    cursor: number,
    byCategory: ByCategory | undefined,
    viewer: Viewer,
    language: string,
    openings: Openings,
  ): Uint8Array {
    let entry = this.#source.list.head;
    if (entry === undefined || entry.timestamp <= cursor) return openings.idle;
    this.#answer.clear();
    let category: Category | undefined;
    let section: Section | undefined;
    let isPrepared = false;
    for (; entry !== undefined && entry.timestamp > cursor; entry = entry.older) {
      const after = byCategory === undefined ? cursor : (byCategory.get(entry.category.type) ?? Infinity);
      if (entry.timestamp <= after) continue;
      let shown: Fragment;
      if (entry.readableBy(viewer)) {
        if (entry.fragment === undefined && !isPrepared) {
          this.#prepare(entry, cursor, byCategory, viewer, language);
          isPrepared = true;
        }
        shown = entry.fragment ?? this.#fragment(entry, language);
      } else if (entry.wasReadableBy(viewer, after)) shown = this.#absence(entry);
      else continue;
      if (section === undefined || category !== entry.category) {
        category = entry.category;
        section = this.#answer.section(category.index);
      }
      section.add(shown);
    }
    return this.#answer.isEmpty ? openings.idle : this.#answer.write(openings);
  }

  /** Serialises the changes since the cursor, oldest first, so that they are in the order of a walk. */
  #prepare(
    newest: Entry,
    cursor: number,
    byCategory: ByCategory | undefined,
    viewer: Viewer,
    language: string,
  ): void {
    let entry = newest;
    while (entry.older !== undefined && entry.older.timestamp > cursor) entry = entry.older;
    for (; entry !== newest; entry = entry.newer as Entry) {
      const after = byCategory === undefined ? cursor : (byCategory.get(entry.category.type) ?? Infinity);
      if (entry.timestamp > after && entry.readableBy(viewer)) this.#fragment(entry, language);
    }
  }

  #full(
    viewer: Viewer,
    language: string,
    openings: Openings,
    only: ByCategory | undefined,
  ): Uint8Array | Promise<Uint8Array> {
    let size = 0;
    for (const category of this.#source.categories)
      if (isWanted(category, only)) size += category.entries.size;
    if (size <= this.#slice) return this.#fullAtOnce(viewer, language, openings, only);
    return this.#fullInSlices(viewer, language, openings, only);
  }

  /**
   * Serialises in advance, slice by slice, so that only the latest changes are missing from the cache when
   * writing.
   */
  async #fullInSlices(
    viewer: Viewer,
    language: string,
    openings: Openings,
    only: ByCategory | undefined,
  ): Promise<Uint8Array> {
    let left = this.#slice;
    for (const category of this.#source.categories) {
      if (!isWanted(category, only)) continue;
      for (const entry of viewOf(category, viewer).entries.values()) {
        if (entry.readableBy(viewer)) this.#fragment(entry, language);
        if (--left > 0) continue;
        left = this.#slice;
        await this.#pause();
      }
    }
    return this.#fullAtOnce(viewer, language, openings, only);
  }

  #fullAtOnce(
    viewer: Viewer,
    language: string,
    openings: Openings,
    only: ByCategory | undefined,
  ): Uint8Array {
    this.#answer.clear();
    for (const category of this.#source.categories) {
      if (!isWanted(category, only)) continue;
      const section = this.#answer.section(category.index);
      for (const entry of viewOf(category, viewer).entries.values()) {
        if (entry.readableBy(viewer)) section.add(this.#fragment(entry, language));
      }
    }
    return this.#answer.write(openings);
  }

  #fragment(entry: Entry, language: string): Fragment {
    if (!entry.category.rules?.localised) {
      entry.fragment ??= this.#serialise(entry, "en");
      return entry.fragment;
    }
    entry.fragments ??= new Map();
    let fragment = entry.fragments.get(language);
    if (fragment === undefined) {
      fragment = this.#serialise(entry, language);
      entry.fragments.set(language, fragment);
    }
    return fragment;
  }

  #serialise(entry: Entry, language: string): Fragment {
    const json = JSON.stringify(this.render(entry, language));
    return this.#arenaOf(entry).add(`${tab}${JSON.stringify(entry.id)}:${json}`);
  }

  #absence(entry: Entry): Fragment {
    return (entry.absence ??= this.#arenaOf(entry).add(`${tab}${JSON.stringify(entry.id)}:null`));
  }

  /** Returns the arena of an entry's category. Objects of one category are adjacent, as in answers. */
  #arenaOf({ category }: Entry): Arena {
    let arena = this.#arenas.get(category);
    if (arena === undefined) this.#arenas.set(category, (arena = new Arena()));
    return arena;
  }

  #sharedNow(): Shared {
    const { timestamp, categories } = this.#source;
    if (this.#shared?.timestamp === timestamp) return this.#shared;
    this.#shared = {
      timestamp,
      delta: new Openings(timestamp, false, categories),
      full: new Openings(timestamp, true, categories),
    };
    return this.#shared;
  }
}

function isWanted(category: Category, only: ByCategory | undefined): boolean {
  return only === undefined || only.has(category.type);
}
