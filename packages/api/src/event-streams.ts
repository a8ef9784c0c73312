import type { UnderlyingSource } from "node:stream/web";
import type { Clock, Kernel } from "@ledge/kernel";
import {
  type Commit,
  type EventRef,
  eventRef,
  indexIn,
  limits,
  type LoggedEvent,
  withoutSecrets,
} from "@ledge/model";
import { Refused } from "./refused.ts";

/** The reference of the last event that a reader has received. */
export interface Position {
  readonly timestamp: number;
  readonly index: number;
}

export interface StreamBounds {
  readonly sseClients: number;
  readonly sseClientsPerCaller: number;
  readonly sseBufferEvents: number;
}

/** Why the hub ends a stream: the reader is too slow, may no longer read, or the hub stops. */
type CutReason = "slow" | "rights" | "stop";

/** Stands for "after all of a commit". */
const lastIndex = 999_999_999;

const encoder = new TextEncoder();
const heartbeat = encoder.encode(":\n\n");

/** The event streams that are open, on all listeners together. */
export class EventStreams {
  readonly #kernel: Kernel;
  readonly #clock: Clock;
  readonly #bounds: StreamBounds;
  /** The caller of each stream. */
  readonly #open = new Map<EventStream, string>();

  constructor(kernel: Kernel, clock: Clock, bounds: StreamBounds = limits) {
    this.#kernel = kernel;
    this.#clock = clock;
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#open.size;
  }

  /**
   * Opens the log as server-sent events: `id` is the event's reference, `event` its type, `data` the event as JSON
   * with its commit's timestamp. A reader that cannot keep up gets a last `cut` with the reference to resume
   * from.
   * @param caller the user whose limit the stream counts against
   * @param after the last event that the reader has; by default the stream starts with the next commit
   * @param admitted returns whether the reader may still read
   * @returns 429 if the caller has too many streams, 503 if all callers together have
   */
  open(
    caller: string,
    after: Position | undefined,
    admitted: () => boolean,
  ): ReadableStream<Uint8Array> | Refused {
    const { sseClients, sseClientsPerCaller } = this.#bounds;
    const own = [...this.#open.values()].filter((each) => each === caller).length;
    if (own >= sseClientsPerCaller)
      return new Refused(429, `at most ${sseClientsPerCaller} event streams of one user`, [], 5);
    if (this.#open.size >= sseClients)
      return new Refused(503, `at most ${sseClients} event streams at a time`, [], 5);
    const position = after ?? { timestamp: this.#kernel.timestamp, index: lastIndex };
    const { sseBufferEvents } = this.#bounds;
    const stream = new EventStream(this.#kernel, this.#clock, position, sseBufferEvents, admitted, () => {
      this.#open.delete(stream);
    });
    this.#open.set(stream, caller);
    // Nothing is fetched ahead: what the reader has not asked for waits in the bounded buffer or in the log.
    return new ReadableStream(stream, { highWaterMark: 0 });
  }

  /** Ends every stream. */
  close(): void {
    for (const stream of this.#open.keys()) stream.cut("stop");
  }
}

/**
 * One stream, in three phases. Backfill: chunks are read from the log as the reader asks for them. Cutover: in
 * the turn in which the log has no more, the stream subscribes, so it neither misses nor
 * repeats an event. Streaming: commits wait in a buffer of bounded length.
 */
class EventStream implements UnderlyingSource<Uint8Array> {
  readonly #kernel: Kernel;
  readonly #clock: Clock;
  readonly #bufferMax: number;
  readonly #admitted: () => boolean;
  readonly #onEnd: () => void;
  #position: Position;
  #phase: "greeting" | "backfill" | "streaming" | "ended" = "greeting";
  #buffer: Commit[] = [];
  #buffered = 0;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #wake: () => void = () => {};
  #unsubscribe: () => void = () => {};
  #cancelHeartbeat: () => void = () => {};
  #isBeatDue = false;

  constructor(
    kernel: Kernel,
    clock: Clock,
    position: Position,
    bufferMax: number,
    admitted: () => boolean,
    onEnd: () => void,
  ) {
    this.#kernel = kernel;
    this.#clock = clock;
    this.#position = position;
    this.#bufferMax = bufferMax;
    this.#admitted = admitted;
    this.#onEnd = onEnd;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
    this.#awaitBeat();
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    if (this.#phase === "greeting") {
      this.#phase = "backfill";
      const { timestamp, index } = this.#position;
      controller.enqueue(encoder.encode(`retry: 2000\nid: ${eventRef(timestamp, index)}\n\n`));
      return;
    }
    if (!this.#admitted()) return this.cut("rights");
    if (this.#phase === "backfill") {
      const chunk = this.#readLog();
      if (chunk !== "") return controller.enqueue(encoder.encode(chunk));
      this.#phase = "streaming";
      this.#unsubscribe = this.#kernel.subscribe({ published: (commit) => this.#push(commit) });
    }
    if (this.#buffer.length === 0 && !this.#isBeatDue) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (!this.#isEnded()) controller.enqueue(this.#drain());
  }

  cancel(): void {
    this.#end();
  }

  /** Ends the stream with a last event that holds the reason and the reference to resume from. */
  cut(reason: CutReason): void {
    if (this.#isEnded()) return;
    const { timestamp, index } = this.#position;
    const data = JSON.stringify({ after: eventRef(timestamp, index), reason });
    this.#controller?.enqueue(encoder.encode(`event: cut\ndata: ${data}\n\n`));
    this.#controller?.close();
    this.#end();
  }

  #push(commit: Commit): void {
    if (!this.#admitted()) return this.cut("rights");
    // A single commit above the bound is in memory anyway, so the buffer accepts it when empty.
    if (this.#buffered > 0 && this.#buffered + commit.events.length > this.#bufferMax)
      return this.cut("slow");
    this.#buffer.push(commit);
    this.#buffered += commit.events.length;
    this.#wake();
  }

  /** Returns the next chunk of published events, or an empty text if the reader has them all. */
  #readLog(): string {
    const { timestamp, index } = this.#position;
    let text = "";
    let left: number = limits.sseChunkEvents;
    for (const commit of this.#kernel.log.read(timestamp - 1, this.#kernel.timestamp)) {
      for (let place = 0; place < commit.events.length; place++) {
        if (commit.timestamp === timestamp && indexIn(commit, place) <= index) continue;
        text += this.#format(commit, place);
        if (--left === 0) return text;
      }
    }
    return text;
  }

  #drain(): Uint8Array {
    if (this.#buffer.length === 0) {
      this.#isBeatDue = false;
      return heartbeat;
    }
    let text = "";
    for (const commit of this.#buffer) {
      for (let place = 0; place < commit.events.length; place++) text += this.#format(commit, place);
    }
    this.#buffer = [];
    this.#buffered = 0;
    return encoder.encode(text);
  }

  #format(commit: Commit, place: number): string {
    const { timestamp, events } = commit;
    const index = indexIn(commit, place);
    this.#position = { timestamp, index };
    const event = withoutSecrets(events[place] as LoggedEvent);
    const id: EventRef = eventRef(timestamp, index);
    return `id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify({ timestamp, ...event })}\n\n`;
  }

  #awaitBeat(): void {
    // A line now and then keeps proxies from closing an idle stream, and finds readers that are gone.
    this.#cancelHeartbeat = this.#clock.after(limits.sseHeartbeatMs, () => {
      if (!this.#admitted()) return this.cut("rights");
      this.#isBeatDue = true;
      this.#wake();
      this.#awaitBeat();
    });
  }

  #isEnded(): boolean {
    return this.#phase === "ended";
  }

  #end(): void {
    if (this.#isEnded()) return;
    this.#phase = "ended";
    this.#buffer = [];
    this.#unsubscribe();
    this.#cancelHeartbeat();
    this.#wake();
    this.#onEnd();
  }
}
