import type { Fragment } from "./arena.ts";

const openBrace = Uint8Array.of(0x7b);
const closeBrace = 0x7d;
const closeBracket = 0x5d;
/** Closes the objects of a category, the delta, the list of deltas and the answer: `}}]}`. */
const closingBytes = 4;

/**
 * Answers share slabs of this size, unless one would take more than half a slab. Every buffer costs the garbage
 * collector something, whatever its size. On the other hand a whole slab stays in memory while a slow client
 * reads one of its answers.
 */
const slabBytes = 128 * 1024;
/** Answers begin at word boundaries. */
const wordMask = 7;
/** For an answer with more runs than this, nothing is kept for the next answer. */
const runsMax = 1024;
/**
 * How many runs may keep their chunks in memory until the next answer. When an answer had more runs, `clear`
 * releases them all.
 */
const heldMax = 16;
/** The set of categories is stored as bits of a number. */
const categoriesMax = 31;

const encoder = new TextEncoder();

/** The bytes before the objects of each category, by the index of that category. Created on first use. */
export class Openings {
  readonly idle: Uint8Array;
  readonly #start: string;
  readonly #headers: readonly string[];
  /** For the first delta of an answer: after the beginning of the answer. */
  readonly #first: (Uint8Array | undefined)[] = [];
  /** For a later delta: after the closing of the delta before. */
  readonly #later: (Uint8Array | undefined)[] = [];

  /** @param timestamp of the answer (ms), and therefore of each delta. */
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

/** A category's part of an answer: runs of fragments that are adjacent in memory, so that each run takes one copy. */
export class Section {
  #firsts: (Fragment | undefined)[] = [];
  /** Where each run but the last ends, after its last comma. */
  #ends: number[] = [];
  /** How many of these runs belong to this answer. */
  #runs = 0;
  /** The chunk and the end of the last run. */
  #chunk: Fragment["chunk"] | undefined;
  #end = 0;
  /** Bytes of the fragments, with a comma after each. */
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

  /** Bytes of the fragments, with commas between them. */
  get bytes(): number {
    return Math.max(this.#bytes - 1, 0);
  }

  /**
   * Writes the opening, then the fragments with a comma after each. The caller must write one more byte, over the
   * last comma.
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

  /** Writes an answer with many runs without keeping anything for the next one. */
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
 * Collects the fragments of a poll answer by category, then writes them at once. One object serves all answers,
 * one after the other, to save allocations.
 */
export class Answer {
  readonly #sections: readonly Section[];
  /** The categories in the answer: bit n is category n. */
  #shown = 0;
  #slab = new ArrayBuffer(0);
  #used = slabBytes;

  /** @param categories their number, at most 31. */
  constructor(categories: number) {
    if (categories > categoriesMax) throw new RangeError(`${categories} categories exceed the limit of 31`);
    this.#sections = Array.from({ length: categories }, () => new Section());
  }

  get isEmpty(): boolean {
    return this.#shown === 0;
  }

  /** Begins a new answer. */
  clear(): void {
    this.#shown = 0;
  }

  /** Returns the part of a category, which appears in the answer even if nothing is added to it. */
  section(category: number): Section {
    const section = this.#sections[category] as Section;
    const bit = 1 << category;
    if ((this.#shown & bit) === 0) {
      this.#shown |= bit;
      section.clear();
    }
    return section;
  }

  /** Returns the answer as bytes. It must have at least one category. */
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

  /** Allocates bytes from a slab, which costs less than a Buffer of the pool that the whole process shares. */
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

/** Returns the lowest category in a set. */
function lowest(categories: number): number {
  return 31 - Math.clz32(categories & -categories);
}

function without(categories: number, category: number): number {
  return categories & ~(1 << category);
}

/** Returns `{<fragment>,<fragment>}` as bytes. */
export function dictionaryOf(fragments: Iterable<Fragment>): Uint8Array {
  const section = new Section();
  for (const fragment of fragments) section.add(fragment);
  const out = Buffer.allocUnsafe(section.bytes + 2);
  out[section.write(openBrace, out, 0)] = closeBrace;
  return out;
}
