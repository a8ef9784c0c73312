import type { CategoryType, Reader } from "@ledge/model";
import { limits } from "@ledge/model";
import type { Category, Entry, RecencyList } from "./recency.ts";
import type { PollRequest, Viewer } from "./viewer.ts";

const encoder = new TextEncoder();
const bytes = (text: string): Uint8Array => encoder.encode(text);

const openBrace = 0x7b;
const closeBrace = 0x7d;
const comma = 0x2c;
const closeDelta = bytes("}}");
const closePoll = bytes("]}");

/** What the answers of one timestamp share: written once per commit, not per poll. */
interface Headers {
  readonly timestamp: number;
  readonly idle: Uint8Array;
  readonly delta: Uint8Array;
  readonly full: Uint8Array;
  readonly categories: readonly Uint8Array[];
}

/** Legacy cursors: the categories that are asked for, each with its own. */
type ByCategory = ReadonlyMap<CategoryType, number>;

/** What a poll must know of the kernel. */
export interface PollSource {
  readonly list: RecencyList;
  readonly categories: readonly Category[];
  readonly read: Reader;
  /** Timestamp (ms) of the newest published commit. */
  readonly timestamp: number;
}

/**
 * Answers polls from the recency list: an answer is cached bytes, copied once. An object is serialised once per
 * change and language, on first use.
 */
export class Poller {
  readonly #source: PollSource;
  readonly #slice: number;
  readonly #pause: () => Promise<void>;
  #headers: Headers | undefined;
  /** What the answer that is being written holds, by category; kept to save its allocation. */
  readonly #found: Uint8Array[][];

  /** @param pause lets other work of the process go first, between the slices of a large full answer. */
  constructor(source: PollSource, pause: () => Promise<void>, slice: number = limits.fullPollSliceEntries) {
    this.#source = source;
    this.#pause = pause;
    this.#slice = slice;
    this.#found = source.categories.map(() => []);
  }

  /** POLL_DELTA (hub-api 2.2). A promise when a full answer is long: it is then prepared in slices. */
  poll({ viewer, cursors, language }: PollRequest): Uint8Array | Promise<Uint8Array> {
    const headers = this.#headersNow();
    if ("ts" in cursors) {
      if (this.#needsFull(cursors.ts, viewer)) return this.#full(viewer, language, headers, undefined);
      return this.#delta(cursors.ts, undefined, viewer, language, headers);
    }
    const { byCategory } = cursors;
    let oldest = Infinity;
    for (const cursor of byCategory.values()) {
      if (this.#needsFull(cursor, viewer)) return this.#full(viewer, language, headers, byCategory);
      if (cursor < oldest) oldest = cursor;
    }
    return this.#delta(oldest, byCategory, viewer, language, headers);
  }

  /** `{"<id>": object}` of the entries that the viewer may read. */
  dictionary(entries: Iterable<Entry>, viewer: Viewer, language: string): Uint8Array {
    const fragments: Uint8Array[] = [];
    for (const entry of entries)
      if (entry.readableBy(viewer)) fragments.push(this.#fragment(entry, language));
    const out = Buffer.allocUnsafe(2 + joinedLength(fragments));
    out[0] = openBrace;
    out[copyJoined(fragments, out, 1)] = closeBrace;
    return out;
  }

  /** The object as the API serves it. */
  render(entry: Entry, language: string): object {
    const { category, state, timestamp, seen } = entry;
    const { rules } = category;
    if (rules?.render === undefined) return state as object;
    return rules.render(state, { read: this.#source.read, seen, language, timestamp });
  }

  /** A restart, a restore, a lost right or a forgotten deletion lies between the cursor and now. */
  #needsFull(cursor: number, viewer: Viewer): boolean {
    const { timestamp, list } = this.#source;
    return cursor <= 0 || cursor > timestamp || cursor < list.horizon || cursor < viewer.since;
  }

  #delta(
    cursor: number,
    byCategory: ByCategory | undefined,
    viewer: Viewer,
    language: string,
    headers: Headers,
  ): Uint8Array {
    let entry = this.#source.list.head;
    if (entry === undefined || entry.timestamp <= cursor) return headers.idle;
    this.#clear();
    let found = 0;
    for (; entry !== undefined && entry.timestamp > cursor; entry = entry.older) {
      const { type, index } = entry.category;
      if (byCategory !== undefined && entry.timestamp <= (byCategory.get(type) ?? Infinity)) continue;
      let shown: Uint8Array;
      if (entry.readableBy(viewer)) shown = this.#fragment(entry, language);
      else if (entry.wasReadableBy(viewer)) shown = absence(entry);
      else continue;
      (this.#found[index] as Uint8Array[]).push(shown);
      found++;
    }
    return found === 0 ? headers.idle : this.#write(headers, false, undefined);
  }

  #full(
    viewer: Viewer,
    language: string,
    headers: Headers,
    only: ByCategory | undefined,
  ): Uint8Array | Promise<Uint8Array> {
    let size = 0;
    for (const category of this.#source.categories)
      if (isWanted(category, only)) size += category.entries.size;
    if (size <= this.#slice) return this.#fullAtOnce(viewer, language, headers, only);
    return this.#fullInSlices(viewer, language, headers, only);
  }

  /** Serialises beforehand, slice by slice, so that writing finds all but the latest changes in the cache. */
  async #fullInSlices(
    viewer: Viewer,
    language: string,
    headers: Headers,
    only: ByCategory | undefined,
  ): Promise<Uint8Array> {
    let left = this.#slice;
    for (const category of this.#source.categories) {
      if (!isWanted(category, only)) continue;
      for (const entry of category.entries.values()) {
        if (entry.readableBy(viewer)) this.#fragment(entry, language);
        if (--left > 0) continue;
        left = this.#slice;
        await this.#pause();
      }
    }
    return this.#fullAtOnce(viewer, language, headers, only);
  }

  #fullAtOnce(viewer: Viewer, language: string, headers: Headers, only: ByCategory | undefined): Uint8Array {
    this.#clear();
    for (const category of this.#source.categories) {
      if (!isWanted(category, only)) continue;
      const found = this.#found[category.index] as Uint8Array[];
      for (const entry of category.entries.values()) {
        if (entry.readableBy(viewer)) found.push(this.#fragment(entry, language));
      }
    }
    return this.#write(headers, true, only);
  }

  #clear(): void {
    for (const fragments of this.#found) fragments.length = 0;
  }

  /** Measures what was found, then writes it. A full answer holds its categories even when they are empty. */
  #write(headers: Headers, isFull: boolean, only: ByCategory | undefined): Uint8Array {
    const { categories } = this.#source;
    const start = isFull ? headers.full : headers.delta;
    let length = start.length + closePoll.length;
    let parts = 0;
    for (const category of categories) {
      const fragments = this.#found[category.index] as Uint8Array[];
      if (fragments.length === 0 && !(isFull && isWanted(category, only))) continue;
      parts++;
      const header = headers.categories[category.index] as Uint8Array;
      length += header.length + joinedLength(fragments) + closeDelta.length;
    }
    const out = Buffer.allocUnsafe(length + Math.max(parts - 1, 0));
    let at = copy(start, out, 0);
    for (const category of categories) {
      const fragments = this.#found[category.index] as Uint8Array[];
      if (fragments.length === 0 && !(isFull && isWanted(category, only))) continue;
      if (at > start.length) out[at++] = comma;
      at = copy(headers.categories[category.index] as Uint8Array, out, at);
      at = copy(closeDelta, out, copyJoined(fragments, out, at));
    }
    copy(closePoll, out, at);
    return out;
  }

  #fragment(entry: Entry, language: string): Uint8Array {
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

  #serialise(entry: Entry, language: string): Uint8Array {
    return bytes(`${JSON.stringify(entry.id)}:${JSON.stringify(this.render(entry, language))}`);
  }

  #headersNow(): Headers {
    const { timestamp, categories } = this.#source;
    if (this.#headers?.timestamp === timestamp) return this.#headers;
    const start = (full: boolean): string =>
      `{"type":"POLL_DELTA","timestamp":${timestamp},"full":${full},"polls":[`;
    this.#headers = {
      timestamp,
      idle: bytes(`${start(false)}]}`),
      delta: bytes(start(false)),
      full: bytes(start(true)),
      categories: categories.map(({ type, field }) =>
        bytes(`{"type":"${type}","timestamp":${timestamp},"${field}":{`),
      ),
    };
    return this.#headers;
  }
}

function isWanted(category: Category, only: ByCategory | undefined): boolean {
  return only === undefined || only.has(category.type);
}

function absence(entry: Entry): Uint8Array {
  entry.absence ??= bytes(`${JSON.stringify(entry.id)}:null`);
  return entry.absence;
}

/** Length of fragments with commas between them. */
function joinedLength(fragments: readonly Uint8Array[]): number {
  let length = Math.max(fragments.length - 1, 0);
  for (let index = 0; index < fragments.length; index++) length += (fragments[index] as Uint8Array).length;
  return length;
}

/** Copies fragments with commas between them; returns where the next byte goes. */
function copyJoined(fragments: readonly Uint8Array[], to: Uint8Array, from: number): number {
  let at = from;
  for (let index = 0; index < fragments.length; index++) {
    if (index > 0) to[at++] = comma;
    at = copy(fragments[index] as Uint8Array, to, at);
  }
  return at;
}

function copy(from: Uint8Array, to: Uint8Array, at: number): number {
  to.set(from, at);
  return at + from.length;
}
