import type { Transport, TransportListener, TransportName } from "./transport.ts";

/** Most posts of a client at once. Clients of Microsoft's wait for the answer to each. */
const postsMax = 16;

/** What became of a post. */
export type Posted = "taken" | "too long" | "too many" | "closed";

/** What the transports over HTTP have in common: clients send with POST. */
export abstract class HttpTransport implements Transport {
  abstract readonly name: TransportName;
  abstract readonly keepsAlive: boolean;
  abstract readonly isTextOnly: boolean;
  abstract readonly bufferedAmount: number;
  protected listener: TransportListener | undefined;
  #isPaused = false;
  #whenResumed: (() => void)[] = [];
  /** Posts that have come and are not answered, and the end of the last of them. */
  #posts = 0;
  #lastPost: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  abstract send(bytes: Uint8Array, isBinary: boolean): void;
  abstract end(): void;

  listen(listener: TransportListener): void {
    this.listener = listener;
  }

  /**
   * Takes what a client posts, one body after the other: the next one is read when the connection takes more. So a
   * client that posts many at once costs the memory of one body.
   * @param read reads a body; undefined if it is too long
   */
  post(read: () => Promise<Uint8Array | undefined>): Promise<Posted> {
    if (this.#posts >= postsMax) return Promise.resolve("too many");
    this.#posts++;
    const post = this.#lastPost.then(() => this.#take(read));
    this.#lastPost = post.catch(() => {});
    return post;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    for (const resume of this.#whenResumed.splice(0)) resume();
  }

  destroy(): void {
    this.closed();
  }

  async #take(read: () => Promise<Uint8Array | undefined>): Promise<Posted> {
    try {
      if (this.#isPaused) await new Promise<void>((resume) => this.#whenResumed.push(resume));
      if (this.#isClosed) return "closed";
      const body = await read();
      if (body === undefined) return "too long";
      this.listener?.received(body, this);
      return "taken";
    } finally {
      this.#posts--;
    }
  }

  /** Reports the end, once. */
  protected closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.resume();
    this.listener?.closed(this);
  }
}
