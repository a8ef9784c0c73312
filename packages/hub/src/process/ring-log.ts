import type { UnderlyingSource } from "node:stream/web";
import type { ProcessLog } from "@ledge/api";
import { limits } from "@ledge/model";
import type { LogRing } from "./log-ring.ts";

/** The readable log of the hub: the lines of former runs, then those of this one. */
export class RingLog implements ProcessLog {
  readonly #ring: LogRing;
  readonly #former: (() => AsyncGenerator<string, void>) | undefined;
  #readers = 0;

  /** @param former lines of the runs before this one */
  constructor(ring: LogRing, former?: () => AsyncGenerator<string, void>) {
    this.#ring = ring;
    this.#former = former;
  }

  open(): ReadableStream<Uint8Array> | undefined {
    if (this.#readers >= limits.logReaders) return undefined;
    this.#readers++;
    const reading = new Reading(this.#ring, this.#former?.(), () => this.#readers--);
    // Nothing is read ahead: the ring keeps the lines until the reader asks.
    return new ReadableStream(reading, { highWaterMark: 0 });
  }
}

class Reading implements UnderlyingSource<Uint8Array> {
  readonly #ring: LogRing;
  readonly #end: number;
  readonly #onEnd: () => void;
  #former: AsyncGenerator<string, void> | undefined;
  #next: number;

  constructor(ring: LogRing, former: AsyncGenerator<string, void> | undefined, onEnd: () => void) {
    this.#ring = ring;
    this.#former = former;
    this.#next = ring.begin;
    // The reading ends with the lines of now. Otherwise log lines about the reading itself would keep it going.
    this.#end = ring.end;
    this.#onEnd = onEnd;
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const text = (await this.#formerChunk()) || this.#ringChunk();
    if (text !== "") return controller.enqueue(Buffer.from(text));
    controller.close();
    this.#onEnd();
  }

  async cancel(): Promise<void> {
    this.#onEnd();
    await this.#former?.return();
  }

  async #formerChunk(): Promise<string> {
    let text = "";
    while (this.#former !== undefined && text.length < limits.logChunkChars) {
      // When former runs cannot be read, the reader still gets the lines of this run.
      const line = await this.#former.next().catch(() => ({ done: true }) as const);
      if (line.done) this.#former = undefined;
      else text += line.value;
    }
    return text;
  }

  #ringChunk(): string {
    if (this.#next >= this.#end) return "";
    const { text, next } = this.#ring.read(this.#next, this.#end);
    this.#next = next;
    return text;
  }
}
