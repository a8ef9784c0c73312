import { limits } from "@ledge/model";
import { readable } from "./readable.ts";

/** The newest lines of this process's log, in bounds of bytes. */
export class LogRing {
  readonly #bytesMax: number;
  #lines: string[] = [];
  #bytes = 0;
  #gone = 0;

  constructor(bytesMax: number = limits.logRingBytes) {
    this.#bytesMax = bytesMax;
  }

  /** How many lines came before the oldest that is there. */
  get begin(): number {
    return this.#gone;
  }

  get end(): number {
    return this.#gone + this.#lines.length;
  }

  /** Takes a line as the logger writes it. */
  write(line: string): void {
    const text = readable(line);
    this.#lines.push(text);
    this.#bytes += Buffer.byteLength(text);
    while (this.#bytes > this.#bytesMax && this.#lines.length > 1) {
      this.#bytes -= Buffer.byteLength(this.#lines.shift() as string);
      this.#gone++;
    }
  }

  /** Lines from a place to another that make up a chunk, at least one where there is one, and the place behind. */
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
