import { limits } from "@ledge/model";
import { readable } from "./readable.ts";

/** Holds the newest lines of this process's log, up to a number of bytes. */
export class LogRing {
  readonly #bytesMax: number;
  #lines: string[] = [];
  #bytes = 0;
  #gone = 0;

  constructor(bytesMax: number = limits.logRingBytes) {
    this.#bytesMax = bytesMax;
  }

  /** The number of lines that are no longer held. */
  get begin(): number {
    return this.#gone;
  }

  get end(): number {
    return this.#gone + this.#lines.length;
  }

  /** Adds a line as the logger writes it. */
  write(line: string): void {
    const text = readable(line);
    this.#lines.push(text);
    this.#bytes += Buffer.byteLength(text);
    while (this.#bytes > this.#bytesMax && this.#lines.length > 1) {
      this.#bytes -= Buffer.byteLength(this.#lines.shift() as string);
      this.#gone++;
    }
  }

  /**
   * Returns a chunk of lines between two positions, at least one line if there is any, and the position after
   * it.
   */
  read(from: number, until: number = this.end): { readonly text: string; readonly next: number } {
    let next = Math.max(from, this.#gone);
    let text = next > from ? `(${next - from} lines were too old to be kept)\n` : "";
    while (next < until && text.length < limits.logChunkChars) {
      text += this.#lines[next - this.#gone] as string;
      next++;
    }
    return { text, next };
  }
}
