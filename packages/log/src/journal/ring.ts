import { regionBytes, regionCount } from "./layout.ts";

/** Assigns places in the journal: region after region, each filled from its start. Sizes and positions in bytes. */
export class Ring {
  #region = 0;
  #offset = 0;
  /** Timestamp of the newest block in each region. */
  readonly #newest = Array.from({ length: regionCount }, () => 0);

  /** Whether a frame fits into the current region. */
  fits(size: number): boolean {
    return this.#offset + size <= regionBytes;
  }

  /** Timestamp up to which blocks must be moved before the next region can be overwritten. */
  get oldest(): number {
    return this.#newest[this.#next] as number;
  }

  /**
   * Returns the place of the next frame, or undefined when the next region still holds blocks that are not moved.
   * @param moved timestamp of the newest moved block
   */
  place(size: number, moved: number): number | undefined {
    if (!this.fits(size)) {
      if (this.oldest > moved) return undefined;
      this.#region = this.#next;
      this.#offset = 0;
    }
    return this.#region * regionBytes + this.#offset;
  }

  /** Records that a frame was written where `place` said. */
  took(size: number, timestamp: number): void {
    this.#offset += size;
    this.#newest[this.#region] = timestamp;
  }

  get #next(): number {
    return (this.#region + 1) % regionCount;
  }
}
