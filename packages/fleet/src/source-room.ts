import type { StoredSource } from "./batches.ts";

/** How much a source may have in all registers, by the names in `limits`. */
export interface SourceBounds {
  readonly sourceRows: number;
  /** Bytes of its rows, as `encodeRow` returns them. */
  readonly sourceBytes: number;
}

/** Counts the rows of a source while a batch is applied. */
export class SourceRoom {
  readonly #bounds: SourceBounds;
  rows: number;
  bytes: number;

  constructor(stored: StoredSource | undefined, bounds: SourceBounds) {
    this.#bounds = bounds;
    this.rows = stored?.rows ?? 0;
    this.bytes = stored?.bytes ?? 0;
  }

  /**
   * Takes room for a row.
   * @param bytes of the row
   * @param former bytes of the row that it replaces; undefined for a new row
   * @returns false when there is no room: then nothing is taken
   */
  take(bytes: number, former: number | undefined): boolean {
    const { sourceRows, sourceBytes } = this.#bounds;
    const growth = bytes - (former ?? 0);
    const isBeyond = growth > 0 && this.bytes + growth > sourceBytes;
    if (isBeyond || (former === undefined && this.rows >= sourceRows)) return false;
    if (former === undefined) this.rows++;
    this.bytes += growth;
    return true;
  }

  /** Gives back the room of a row that is removed. */
  leave(bytes: number): void {
    this.rows--;
    this.bytes -= bytes;
  }
}
