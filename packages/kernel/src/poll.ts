import type { CategoryType, Reader } from '@ledge/model';
import { limits } from '@ledge/model';
import type { Category, Entry } from './recency.ts';
import type { RecencyList } from './recency.ts';
import type { PollRequest, Viewer } from './viewer.ts';

const encoder = new TextEncoder();
const bytes = (text: string): Uint8Array => encoder.encode(text);

const comma = 0x2c;
const tail = bytes(']}');
const close = bytes('}}');
const emptyObject = bytes('{}');

/** What the answers of one timestamp share: written once per commit, not per poll. */
interface Headers {
  readonly timestamp: number;
  readonly idle: Uint8Array;
  readonly delta: Uint8Array;
  readonly full: Uint8Array;
  readonly categories: readonly Uint8Array[];
}

/** What a poll must know of the kernel. */
export interface PollSource {
  readonly list: RecencyList;
  readonly categories: readonly Category[];
  readonly read: Reader;
  timestamp(): number;
  /** When an object was last heard of (ms), as held in memory. */
  seen(category: Category, id: string): number | undefined;
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
  /** Entries of the answer being written, by category; kept to save their allocation. */
  readonly #found: Entry[][];

  /** @param pause lets other work of the process go first, between the slices of a large full answer. */
  constructor(source: PollSource, pause: () => Promise<void>, slice: number = limits.fullPollSliceEntries) {
    this.#source = source;
    this.#pause = pause;
    this.#slice = slice;
    this.#found = source.categories.map(() => []);
  }

  /** POLL_DELTA (hub-api 2.2). */
  poll({ viewer, cursors, language }: PollRequest): Uint8Array | Promise<Uint8Array> {
    const timestamp = this.#source.timestamp();
    const headers = this.#headersOf(timestamp);
    if ('ts' in cursors) {
      if (this.#needsFull(cursors.ts, timestamp, viewer)) return this.#full(viewer, language, headers);
      return this.#delta(cursors.ts, undefined, viewer, language, headers);
    }
    const { byCategory } = cursors;
    for (const cursor of byCategory.values()) {
      if (this.#needsFull(cursor, timestamp, viewer)) return this.#full(viewer, language, headers, byCategory);
    }
    const oldest = Math.min(...byCategory.values());
    return this.#delta(oldest, byCategory, viewer, language, headers);
  }

  /** `{"<id>": object}` of the entries that the viewer may read. */
  dictionary(entries: Iterable<Entry>, viewer: Viewer, language: string): Uint8Array {
    const found: Entry[] = [];
    for (const entry of entries) if (entry.readableBy(viewer)) found.push(entry);
    if (found.length === 0) return emptyObject;
    const fragments = found.map((entry) => this.#fragment(entry, language));
    const out = Buffer.allocUnsafe(fragments.reduce((sum, fragment) => sum + fragment.length + 1, 1));
    let at = 0;
    out[at++] = 0x7b;
    for (const [index, fragment] of fragments.entries()) {
      if (index > 0) out[at++] = comma;
      out.set(fragment, at);
      at += fragment.length;
    }
    out[at] = 0x7d;
    return out;
  }

  /** The object as the API serves it. */
  render(entry: Entry, language: string): object {
    const { category, state, timestamp } = entry;
    if (category.rules?.render === undefined) return state as object;
    const seen = this.#source.seen(category, entry.id);
    return category.rules.render(state, { read: this.#source.read, seen, language, timestamp });
  }

  /** A restart, a restore, a lost right or a forgotten deletion lies between the cursor and now. */
  #needsFull(cursor: number, timestamp: number, viewer: Viewer): boolean {
    return cursor <= 0 || cursor > timestamp || cursor < this.#source.list.horizon || cursor < viewer.since;
  }

  #delta(
    cursor: number,
    byCategory: ReadonlyMap<CategoryType, number> | undefined,
    viewer: Viewer,
    language: string,
    headers: Headers,
  ): Uint8Array {
    let entry = this.#source.list.head;
    if (entry === undefined || entry.timestamp <= cursor) return headers.idle;
    const found = this.#found;
    for (; entry !== undefined && entry.timestamp > cursor; entry = entry.older) {
      const { category } = entry;
      if (byCategory !== undefined && entry.timestamp <= (byCategory.get(category.type) ?? Infinity)) continue;
      if (entry.readableBy(viewer) || entry.wasReadableBy(viewer)) (found[category.index] as Entry[]).push(entry);
    }
    return this.#write(found, headers, headers.delta, viewer, language, () => false);
  }

  #full(
    viewer: Viewer,
    language: string,
    headers: Headers,
    only?: ReadonlyMap<CategoryType, number>,
  ): Uint8Array | Promise<Uint8Array> {
    const { categories } = this.#source;
    const wanted = (category: Category): boolean => only === undefined || only.has(category.type);
    let size = 0;
    for (const category of categories) if (wanted(category)) size += category.entries.size;
    if (size <= this.#slice) return this.#writeFull(wanted, viewer, language, headers);
    return this.#fullInSlices(wanted, viewer, language, headers);
  }

  /** Serialises beforehand, slice by slice, so that writing finds all but the latest changes in the cache. */
  async #fullInSlices(
    wanted: (category: Category) => boolean,
    viewer: Viewer,
    language: string,
    headers: Headers,
  ): Promise<Uint8Array> {
    let left = this.#slice;
    for (const category of this.#source.categories) {
      if (!wanted(category)) continue;
      for (const entry of [...category.entries.values()]) {
        if (entry.readableBy(viewer)) this.#fragment(entry, language);
        if (--left > 0) continue;
        left = this.#slice;
        await this.#pause();
      }
    }
    return this.#writeFull(wanted, viewer, language, headers);
  }

  #writeFull(
    wanted: (category: Category) => boolean,
    viewer: Viewer,
    language: string,
    headers: Headers,
  ): Uint8Array {
    for (const category of this.#source.categories) {
      if (!wanted(category)) continue;
      const found = this.#found[category.index] as Entry[];
      for (const entry of category.entries.values()) if (entry.readableBy(viewer)) found.push(entry);
    }
    return this.#write(this.#found, headers, headers.full, viewer, language, wanted);
  }

  /** Measures, then writes; empties `found`. Categories without entries appear when `evenEmpty` says so. */
  #write(
    found: Entry[][],
    headers: Headers,
    prefix: Uint8Array,
    viewer: Viewer,
    language: string,
    evenEmpty: (category: Category) => boolean,
  ): Uint8Array {
    let length = prefix.length + tail.length;
    let parts = 0;
    for (const category of this.#source.categories) {
      const entries = found[category.index] as Entry[];
      if (entries.length === 0 && !evenEmpty(category)) continue;
      parts++;
      length += (headers.categories[category.index] as Uint8Array).length + close.length + 1;
      for (const entry of entries) length += this.#shown(entry, viewer, language).length + 1;
    }
    if (parts === 0) return headers.idle;
    const out = Buffer.allocUnsafe(length);
    let at = copy(prefix, out, 0);
    let first = true;
    for (const category of this.#source.categories) {
      const entries = found[category.index] as Entry[];
      if (entries.length === 0 && !evenEmpty(category)) continue;
      if (!first) out[at++] = comma;
      first = false;
      at = copy(headers.categories[category.index] as Uint8Array, out, at);
      for (let index = 0; index < entries.length; index++) {
        if (index > 0) out[at++] = comma;
        at = copy(this.#shown(entries[index] as Entry, viewer, language), out, at);
      }
      at = copy(close, out, at);
      entries.length = 0;
    }
    return out.subarray(0, copy(tail, out, at));
  }

  #shown(entry: Entry, viewer: Viewer, language: string): Uint8Array {
    return entry.readableBy(viewer) ? this.#fragment(entry, language) : gone(entry);
  }

  #fragment(entry: Entry, language: string): Uint8Array {
    if (!entry.category.rules?.localised) {
      entry.fragment ??= this.#serialise(entry, 'en');
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

  #headersOf(timestamp: number): Headers {
    if (this.#headers?.timestamp === timestamp) return this.#headers;
    const start = (full: boolean): string => `{"type":"POLL_DELTA","timestamp":${timestamp},"full":${full},"polls":[`;
    this.#headers = {
      timestamp,
      idle: bytes(`${start(false)}]}`),
      delta: bytes(start(false)),
      full: bytes(start(true)),
      categories: this.#source.categories.map(({ type, field }) =>
        bytes(`{"type":"${type}","timestamp":${timestamp},"${field}":{`),
      ),
    };
    return this.#headers;
  }
}

function gone(entry: Entry): Uint8Array {
  return bytes(`${JSON.stringify(entry.id)}:null`);
}

function copy(from: Uint8Array, to: Uint8Array, at: number): number {
  to.set(from, at);
  return at + from.length;
}
