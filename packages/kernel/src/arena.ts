/** Bytes of a chunk: some thirty devices. */
const chunkBytes = 16 * 1024;
/** A fragment that is longer gets a chunk of its own, lest the end of another is wasted. */
const sharedBytes = chunkBytes / 4;

const comma = 0x2c;

/** Bytes that stand in an arena, with a comma behind them. */
export class Fragment {
  chunk: Chunk;
  start: number;
  /** Behind the comma. */
  end: number;
  #view: Uint8Array | undefined = undefined;

  constructor(chunk: Chunk, start: number, end: number) {
    this.chunk = chunk;
    this.start = start;
    this.end = end;
  }

  /** The bytes of its chunk from it, or from what leads it, up to `end`: kept for whoever asks for the same again. */
  view(from: number, end: number): Uint8Array {
    const view = this.#view;
    if (view !== undefined && view.byteOffset === from && view.length === end - from) return view;
    return (this.#view = this.chunk.bytes.subarray(from, end));
  }

  moveTo(chunk: Chunk, start: number): void {
    this.end += start - this.start;
    this.start = start;
    this.chunk = chunk;
    this.#view = undefined;
  }

  /** Nobody uses it any more. */
  drop(): void {
    this.chunk.drop(this);
  }
}

/** A block of memory that is filled from its end to its beginning. */
class Chunk {
  readonly bytes: Buffer;
  readonly #arena: Arena;
  #fragments: Fragment[] = [];
  #free: number;
  /** Bytes of the fragments that are not dropped. */
  #held = 0;
  /** What stands in the free room before the newest fragment, until another is put there. */
  #lead: Uint8Array | undefined;

  constructor(arena: Arena, size: number) {
    this.#arena = arena;
    this.bytes = Buffer.allocUnsafeSlow(size);
    this.#free = size;
  }

  hasRoomFor(length: number): boolean {
    return length <= this.#free;
  }

  get isSparse(): boolean {
    return this.#held < this.bytes.length / 2;
  }

  /** @param length of the text in UTF-8 and a comma */
  write(text: string, length: number): Fragment {
    const start = this.#take(length);
    this.bytes.write(text, start, length - 1, "utf8");
    this.bytes[start + length - 1] = comma;
    const fragment = new Fragment(this, start, start + length);
    this.#fragments.push(fragment);
    return fragment;
  }

  /** Whether `lead` now stands before the fragment that begins at `start`: only before the newest there is room. */
  leads(lead: Uint8Array, start: number): boolean {
    if (start !== this.#free) return false;
    if (lead === this.#lead) return true;
    if (lead.length > start) return false;
    this.bytes.set(lead, start - lead.length);
    this.#lead = lead;
    return true;
  }

  drop(fragment: Fragment): void {
    this.#held -= fragment.end - fragment.start;
    fragment.end = fragment.start;
    this.#arena.onDrop(this);
  }

  /** Gives up the fragments that are not dropped, in the order in which they came. */
  leave(): readonly Fragment[] {
    const left = this.#fragments.filter(({ start, end }) => end > start);
    this.#fragments = [];
    this.#held = 0;
    return left;
  }

  takeOver(fragment: Fragment): void {
    const start = this.#take(fragment.end - fragment.start);
    fragment.chunk.bytes.copy(this.bytes, start, fragment.start, fragment.end);
    fragment.moveTo(this, start);
    this.#fragments.push(fragment);
  }

  #take(length: number): number {
    this.#lead = undefined;
    this.#free -= length;
    this.#held += length;
    return this.#free;
  }
}

/**
 * Fragments side by side, each before the one that was added before it: whoever wants those that came last, the
 * newest first, copies them at once. At least half of each full chunk is in use: what is left of others moves.
 */
export class Arena {
  #young: Chunk | undefined;
  /** What has outlived others. It is kept apart, so as not to stand between two of the young ones. */
  #old: Chunk | undefined;
  /** Chunks that were half empty already when they were full. */
  #sparse: Chunk[] | undefined;

  /** Moves nothing: an answer may be under way that knows already where others stand. */
  add(text: string): Fragment {
    const length = Buffer.byteLength(text) + 1;
    if (length > sharedBytes) return new Chunk(this, length).write(text, length);
    const full = this.#young;
    if (full?.hasRoomFor(length)) return full.write(text, length);
    this.#young = new Chunk(this, chunkBytes);
    if (full?.isSparse) (this.#sparse ??= []).push(full);
    return this.#young.write(text, length);
  }

  /** No answer is under way where something is dropped. */
  onDrop(chunk: Chunk): void {
    const sparse = this.#sparse;
    if (sparse !== undefined) {
      this.#sparse = undefined;
      for (const full of sparse) this.#empty(full);
    }
    if (chunk.isSparse && chunk !== this.#young && chunk !== this.#old) this.#empty(chunk);
  }

  #empty(chunk: Chunk): void {
    for (const fragment of chunk.leave()) {
      const full = this.#old;
      if (!full?.hasRoomFor(fragment.end - fragment.start)) {
        this.#old = new Chunk(this, chunkBytes);
        if (full?.isSparse) this.#empty(full);
      }
      this.#old?.takeOver(fragment);
    }
  }
}
