import type { Fragment } from "./arena.ts";

const openBrace = Uint8Array.of(0x7b);
const closeBrace = 0x7d;
const closeBracket = 0x5d;
/** Closes the objects of a category, its delta, the list of deltas and the answer: `}}]}`. */
const closingBytes = 4;

/**
 * Answers stand side by side in slabs of so many bytes, unless one would take more than half. Each costs the collector
 * something, however large; but as long as somebody is slow to take one answer, all of its slab stays.
 */
const slabBytes = 128 * 1024;
/** Answers begin where words do. */
const wordMask = 7;
/** For more runs than this of one answer nothing is kept until the next. */
const runsMax = 1024;
/** Of the runs of an answer so many may hold their chunks until as many come again; of more none does behind the next. */
const heldMax = 16;
/** Categories are the bits of a number. */
const categoriesMax = 31;

const encoder = new TextEncoder();

/** What stands before the objects of a category, by the index of that category: written on first use. */
export class Openings {
  readonly idle: Uint8Array;
  readonly #start: string;
  readonly #headers: readonly string[];
  /** In the first delta of an answer, after the answer's own beginning. */
  readonly #first: (Uint8Array | undefined)[] = [];
  /** In a later one, after the closing of the delta before. */
  readonly #later: (Uint8Array | undefined)[] = [];

  /** @param timestamp of the answer (ms), and so of each delta. */
  constructor(
    timestamp: number,
    full: boolean,
    categories: readonly { readonly type: string; readonly field: string }[],
  ) {
    this.#start = `{"type":"POLL_DELTA","timestamp":${timestamp},"full":${full},"polls":[`;
    this.#headers = categories.map(
      ({ type, field }) => `{"type":"${type}","timestamp":${timestamp},"${field}":{`,
    );
    this.idle = encoder.encode(`${this.#start}]}`);
  }

  first(category: number): Uint8Array {
    return (this.#first[category] ??= encoder.encode(this.#start + this.#headers[category]));
  }

  later(category: number): Uint8Array {
    return (this.#later[category] ??= encoder.encode(`}},${this.#headers[category]}`));
  }
}

/** A category's part of an answer: runs of fragments that stand side by side in memory, so that each is one copy. */
export class Section {
  #firsts: (Fragment | undefined)[] = [];
  /** Where each run but the last ends, behind its last comma. */
  #ends: number[] = [];
  /** How many of these are of this answer. */
  #runs = 0;
  /** Of the last run. */
  #chunk: Fragment["chunk"] | undefined;
  #end = 0;
  /** Of the fragments, with a comma after each. */
  #bytes = 0;

  clear(): void {
    if (this.#runs > heldMax) this.#firsts.fill(undefined, 0, this.#runs);
    this.#runs = 0;
    this.#chunk = undefined;
    this.#bytes = 0;
  }

  add(fragment: Fragment): void {
    const { start, end, chunk } = fragment;
    this.#bytes += end - start;
    if (start !== this.#end || chunk !== this.#chunk) {
      if (this.#runs > 0) this.#ends[this.#runs - 1] = this.#end;
      this.#firsts[this.#runs++] = fragment;
      this.#chunk = chunk;
    }
    this.#end = end;
  }

  /** Bytes of the fragments, with a comma between two. */
  get bytes(): number {
    return Math.max(this.#bytes - 1, 0);
  }

  /**
   * Writes what stands before the fragments, then the fragments with a comma after each. One more byte must follow:
   * it goes over the last comma.
   * @returns where that byte goes
   */
  write(opening: Uint8Array, to: Uint8Array, from: number): number {
    if (this.#runs === 0) {
      to.set(opening, from);
      return from + opening.length;
    }
    this.#ends[this.#runs - 1] = this.#end;
    if (this.#runs > runsMax) return this.#writeLong(opening, to, from);
    const newest = this.#firsts[0] as Fragment;
    const isLed = newest.chunk.leads(opening, newest.start);
    if (!isLed) to.set(opening, from);
    let at = isLed ? from : from + opening.length;
    for (let index = 0; index < this.#runs; index++) {
      const first = this.#firsts[index] as Fragment;
      const start = isLed && index === 0 ? first.start - opening.length : first.start;
      const end = this.#ends[index] as number;
      to.set(first.view(start, end), at);
      at += end - start;
    }
    return at - 1;
  }

  /** Keeps nothing for the next time. */
  #writeLong(opening: Uint8Array, to: Uint8Array, from: number): number {
    to.set(opening, from);
    let at = from + opening.length;
    for (let index = 0; index < this.#runs; index++) {
      const { chunk, start } = this.#firsts[index] as Fragment;
      const end = this.#ends[index] as number;
      chunk.bytes.copy(to, at, start, end);
      at += end - start;
    }
    this.#firsts = [];
    this.#ends = [];
    return at - 1;
  }
}

/**
 * Collects the fragments of a poll answer by category, then writes them at once. Made once and used for one
 * answer after the other, to save what it would allocate.
 */
export class Answer {
  readonly #sections: readonly Section[];
  /** The categories that appear: bit n is category n. */
  #shown = 0;
  #slab = new ArrayBuffer(0);
  #used = slabBytes;

  /** @param categories how many there are: 31 at most. */
  constructor(categories: number) {
    if (categories > categoriesMax) throw new RangeError(`${categories} categories are more than bits`);
    this.#sections = Array.from({ length: categories }, () => new Section());
  }

  get isEmpty(): boolean {
    return this.#shown === 0;
  }

  /** Begins another answer. */
  clear(): void {
    this.#shown = 0;
  }

  /** The part of a category, which appears in the answer even if nothing is added to it. */
  section(category: number): Section {
    const section = this.#sections[category] as Section;
    const bit = 1 << category;
    if ((this.#shown & bit) === 0) {
      this.#shown |= bit;
      section.clear();
    }
    return section;
  }

  /** The answer as bytes; at least one category is shown. */
  write(openings: Openings): Uint8Array {
    const first = lowest(this.#shown);
    const later = without(this.#shown, first);
    const opening = openings.first(first);
    let length = opening.length + this.#bytesOf(first) + closingBytes;
    for (let rest = later; rest !== 0; rest = without(rest, lowest(rest)))
      length += openings.later(lowest(rest)).length + this.#bytesOf(lowest(rest));
    const out = this.#allocate(length);
    let at = this.#writeDelta(first, opening, out, 0);
    for (let rest = later; rest !== 0; rest = without(rest, lowest(rest)))
      at = this.#writeDelta(lowest(rest), openings.later(lowest(rest)), out, at);
    out[at] = closeBrace;
    out[at + 1] = closeBrace;
    out[at + 2] = closeBracket;
    out[at + 3] = closeBrace;
    return out;
  }

  /** Cheaper than a Buffer of the pool that all of the process shares. */
  #allocate(length: number): Uint8Array {
    if (length > slabBytes / 2) return Buffer.allocUnsafeSlow(length);
    const start = this.#used;
    if (start + length > slabBytes) {
      this.#slab = Buffer.allocUnsafeSlow(slabBytes).buffer;
      this.#used = 0;
      return this.#allocate(length);
    }
    this.#used = (start + length + wordMask) & ~wordMask;
    return new Uint8Array(this.#slab, start, length);
  }

  #bytesOf(category: number): number {
    return (this.#sections[category] as Section).bytes;
  }

  #writeDelta(category: number, opening: Uint8Array, out: Uint8Array, from: number): number {
    return (this.#sections[category] as Section).write(opening, out, from);
  }
}

/** The lowest category of some. */
function lowest(categories: number): number {
  return 31 - Math.clz32(categories & -categories);
}

function without(categories: number, category: number): number {
  return categories & ~(1 << category);
}

/** `{<fragment>,<fragment>}` as bytes. */
export function dictionaryOf(fragments: Iterable<Fragment>): Uint8Array {
  const section = new Section();
  for (const fragment of fragments) section.add(fragment);
  const out = Buffer.allocUnsafe(section.bytes + 2);
  out[section.write(openBrace, out, 0)] = closeBrace;
  return out;
}
