import { regionBytes, regionCount } from "./layout.ts";

/** Where frames go: from region to region, each from its start. Sizes and positions in bytes. */
export class Ring {
  #region = 0;
  #offset = 0;
  /** Timestamp of the newest block in each region. */
  readonly #newest = Array.from({ length: regionCount }, () => 0);

  /** Whether a frame fits into the region that is being filled. */
  fits(size: number): boolean {
    return this.#offset + size <= regionBytes;
  }

  /** Timestamp up to which blocks have to be moved before a region is begun anew. */
  get oldest(): number {
    return this.#newest[this.#next] as number;
  }

  /**
   * Where the next frame goes, or undefined when the next region still holds what is not moved.
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

  /** A frame stands where `place` has said. */
  took(size: number, timestamp: number): void {
    this.#offset += size;
    this.#newest[this.#region] = timestamp;
  }

  get #next(): number {
    return (this.#region + 1) % regionCount;
  }
}
