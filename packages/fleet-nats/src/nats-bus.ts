import { type Bus, BusError, memoryBus } from "@ledge/fleet";
import { limits } from "@ledge/model";
import {
  connect,
  type NatsConnection,
  NoRespondersError,
  type Subscription,
  TimeoutError,
} from "@nats-io/transport-node";
import { decodeAnswer, decodeMessage, encodeAnswer, encodeFailure, encodeMessage } from "./frames.ts";
import { messagesOf, requestsTo } from "./subjects.ts";

export interface NatsBusOptions {
  /** nats://user:password@host:port, or tls://. */
  readonly url: string;
  /** Calls back after ms; returns a function that cancels. */
  readonly after: (ms: number, callback: () => void) => () => void;
  /** Gets what a handler throws, and why a message cannot be sent. */
  readonly onError: (error: unknown) => void;
  /** Told when the broker is lost, and when it is back. What was published meanwhile is lost. */
  readonly onConnected?: (isConnected: boolean) => void;
}

/**
 * Connects a bus between processes to a NATS server. A connection that is lost is opened again for ever.
 * @throws BusError `failed` when the server does not answer
 */
export async function connectNatsBus(options: NatsBusOptions): Promise<Bus> {
  const { username, password, hostname, port, protocol } = new URL(options.url);
  try {
    const connection = await connect({
      servers: `${hostname}:${port || "4222"}`,
      ...(username !== "" && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
      ...(protocol === "tls:" && { tls: {} }),
      name: "ledge-cloud",
      timeout: limits.busConnectMs,
      maxReconnectAttempts: -1,
      reconnectTimeWait: limits.busReconnectMs,
      pingInterval: limits.busPingMs,
      ignoreClusterUpdates: true,
      ignoreAuthErrorAbort: true,
    });
    return new NatsBus(connection, options);
  } catch (cause) {
    throw new BusError("failed", `the bus does not answer: ${(cause as Error).message}`, { cause });
  }
}

/** What this process serves or hears of one topic. */
interface Listening {
  readonly subscription: Subscription;
  count: number;
}

/**
 * Handlers of this process hang on a bus in memory, which a subscription feeds: so a busy handler gets the newest
 * message of each key, and a topic that many handlers hear comes over the network once.
 */
class NatsBus implements Bus {
  readonly #connection: NatsConnection;
  readonly #options: NatsBusOptions;
  readonly #local: Bus;
  readonly #listening = new Map<string, Listening>();
  #isConnected = true;
  #isClosed = false;

  constructor(connection: NatsConnection, options: NatsBusOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#local = memoryBus(options);
    void this.#follow();
  }

  publish(topic: string, key: string, bytes: Uint8Array | (() => Uint8Array)): void {
    this.#requireOpen();
    // The client would keep what is published without a broker, without bound.
    if (!this.#isConnected) return;
    const message = encodeMessage(key, typeof bytes === "function" ? bytes() : bytes);
    const most = this.#connection.info?.max_payload ?? Infinity;
    if (message.length > most) {
      const problem = `a message of ${topic} has ${message.length} bytes; the broker takes ${most}`;
      this.#options.onError(new BusError("failed", problem));
      return;
    }
    this.#connection.publish(messagesOf(topic), message);
  }

  subscribe(topic: string, handle: (key: string, bytes: Uint8Array) => void | Promise<void>): () => void {
    this.#requireOpen();
    const end = this.#local.subscribe(topic, handle);
    const leave = this.#listen(messagesOf(topic), (data) => {
      const message = decodeMessage(data);
      if (message !== undefined) this.#local.publish(topic, message.key, message.bytes);
    });
    return () => {
      end();
      leave();
    };
  }

  async request(
    topic: string,
    bytes: Uint8Array,
    { timeoutMs = limits.busAnswerMs }: { readonly timeoutMs?: number } = {},
  ): Promise<Uint8Array> {
    this.#requireOpen();
    if (!this.#isConnected) throw new BusError("failed", `${topic} cannot be asked: the bus is away`);
    const answer = decodeAnswer(await this.#ask(topic, bytes, timeoutMs));
    if ("failure" in answer) throw new BusError("failed", `${topic} failed: ${answer.failure}`);
    return answer;
  }

  async #ask(topic: string, bytes: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    try {
      return (await this.#connection.request(requestsTo(topic), bytes, { timeout: timeoutMs })).data;
    } catch (cause) {
      const { message } = cause as Error;
      if (cause instanceof NoRespondersError || (cause as Error).cause instanceof NoRespondersError)
        throw new BusError("no-server", `nobody serves ${topic}`, { cause });
      if (cause instanceof TimeoutError)
        throw new BusError("timeout", `${topic} did not answer in ${timeoutMs} ms`, { cause });
      throw new BusError("failed", `${topic} cannot be asked: ${message}`, { cause });
    }
  }

  serve(topic: string, answer: (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>): () => void {
    this.#requireOpen();
    const end = this.#local.serve(topic, answer);
    const leave = this.#listen(requestsTo(topic), (data, respond) => {
      this.#local.request(topic, data).then(
        (bytes) => respond(encodeAnswer(bytes)),
        (error: unknown) => respond(encodeFailure((error as Error).message)),
      );
    });
    return () => {
      end();
      leave();
    };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#local.close();
    await this.#connection.close();
  }

  /** Listens to a subject while somebody of this process wants to. */
  #listen(
    subject: string,
    handle: (data: Uint8Array, respond: (data: Uint8Array) => void) => void,
  ): () => void {
    const listening = this.#listening.get(subject) ?? {
      count: 0,
      subscription: this.#connection.subscribe(subject, {
        callback: (error, message) => {
          if (error !== null) this.#options.onError(error);
          else if (!this.#isClosed)
            handle(message.data, (data) => this.#respond(() => message.respond(data)));
        },
      }),
    };
    listening.count++;
    this.#listening.set(subject, listening);
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      listening.count--;
      if (listening.count > 0 || this.#isClosed) return;
      this.#listening.delete(subject);
      listening.subscription.unsubscribe();
    };
  }

  /** Answers, unless the bus has been closed while the server worked. */
  #respond(respond: () => unknown): void {
    if (this.#isClosed) return;
    try {
      respond();
    } catch (error) {
      this.#options.onError(error);
    }
  }

  async #follow(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type !== "disconnect" && type !== "reconnect") continue;
      const isConnected = type === "reconnect";
      if (isConnected === this.#isConnected || this.#isClosed) continue;
      this.#isConnected = isConnected;
      this.#options.onConnected?.(isConnected);
    }
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new BusError("closed", "the bus is closed");
  }
}
