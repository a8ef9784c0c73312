import type { OpenAnswer, Sink } from "../http/exchange.ts";
import { HttpTransport } from "./http-transport.ts";

const head = Buffer.from("data: ");
const tail = Buffer.from("\r\n\r\n");
/** A comment, so that proxies and clients see the stream open before there is an event. */
const comment = Buffer.from(":\r\n\r\n");

/** Server-Sent Events as transport: one event for each `send`. Messages are text without line breaks. */
export class ServerSentEventsTransport extends HttpTransport {
  readonly name = "ServerSentEvents";
  readonly keepsAlive = false;
  readonly isTextOnly = true;
  #sink: Sink | undefined;

  /** The answer that stays open. */
  answer(): OpenAnswer {
    const headers = {
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-store",
      "x-accel-buffering": "no",
    };
    return {
      status: 200,
      headers,
      open: (sink) => {
        this.#sink = sink;
        sink.write(comment);
        return { drained: () => this.listener?.drained(this), closed: () => this.closed() };
      },
    };
  }

  get bufferedAmount(): number {
    return this.#sink?.bufferedAmount ?? 0;
  }

  send(bytes: Uint8Array): void {
    this.#sink?.write(Buffer.concat([head, bytes, tail]));
  }

  end(): void {
    this.#sink?.end();
  }

  override destroy(): void {
    this.#sink?.destroy();
    super.destroy();
  }
}
