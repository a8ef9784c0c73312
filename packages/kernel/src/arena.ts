/** Size of a chunk in bytes, enough for some thirty devices. */
const chunkBytes = 16 * 1024;
/** A longer fragment gets a chunk of its own, so that it does not waste the end of a shared one. */
const sharedBytes = chunkBytes / 4;

const comma = 0x2c;

/** Bytes in an arena, followed by a comma. */
export class Fragment {
  chunk: Chunk;
  start: number;
  /** After the comma. */
  end: number;
  #view: Uint8Array | undefined = undefined;

  constructor(chunk: Chunk, start: number, end: number) {
    this.chunk = chunk;
    this.start = start;
    this.end = end;
  }

  /**
   * Returns the bytes of its chunk from `from` up to `end`, and keeps this view for the next call with the same
   * range. The range begins at this fragment or at the bytes in front of it.
   */
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

  /** Marks the fragment as unused. */
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
  /** Bytes of the fragments in use. */
  #held = 0;
  /** The bytes written into the free room before the newest fragment, until a new fragment overwrites them. */
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

  /** @param length of the text in UTF-8, plus a comma */
  write(text: string, length: number): Fragment {
    const start = this.#take(length);
    this.bytes.write(text, start, length - 1, "utf8");
    this.bytes[start + length - 1] = comma;
    const fragment = new Fragment(this, start, start + length);
    this.#fragments.push(fragment);
    return fragment;
  }

  /**
   * Writes `lead` before the fragment that begins at `start`. Returns false when there is no room: only the
   * newest fragment has room before it.
   */
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

  /** Removes all fragments and returns those in use, in the order in which they were added. */
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
 * Keeps fragments adjacent in memory, each before the one added earlier. A reader that wants the latest
 * fragments, newest first, therefore copies them at once. At least half of each full chunk is in use; the
 * fragments of emptier chunks are moved.
 */
export class Arena {
  #young: Chunk | undefined;
  /** Holds fragments that were moved. Kept apart from new fragments, so as not to separate these. */
  #old: Chunk | undefined;
  /** Chunks that were already half empty when they filled up. */
  #sparse: Chunk[] | undefined;

  /** Adds a fragment. Moves no other, because an answer in progress may know their places. */
  add(text: string): Fragment {
    const length = Buffer.byteLength(text) + 1;
    if (length > sharedBytes) return new Chunk(this, length).write(text, length);
    const full = this.#young;
    if (full?.hasRoomFor(length)) return full.write(text, length);
    this.#young = new Chunk(this, chunkBytes);
    if (full?.isSparse) (this.#sparse ??= []).push(full);
    return this.#young.write(text, length);
  }

  /** Called when a fragment of a chunk is dropped. No answer is in progress then, so fragments may move. */
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
