import { limits } from "@ledge/model";
import type {
  AdapterLog,
  AdapterOffers,
  AdapterRequest,
  AirGroup,
  CastAnswer,
  DeviceCommand,
  DeviceDescription,
  FoundDevice,
  NativeId,
  RadioTrouble,
  Report,
} from "./adapter.ts";
import { AdapterError } from "./adapter.ts";
import type { HubChannel } from "./channel.ts";
import type { FromAdapter, PairingAction, ToAdapter } from "./messages.ts";
import { receivedMessage } from "./received.ts";

/** What the hub receives from an adapter. */
export interface LineListener {
  /**
   * Resolves when the hub has recorded the device. The line stops reading while too many calls are pending.
   */
  announce(device: DeviceDescription): Promise<void>;
  /** Announces a device that can be paired, or progress of its pairing. Resolves as `announce` does. */
  found(device: FoundDevice): Promise<void>;
  lost(native: NativeId): Promise<void>;
  /** Notes what keeps the radio from its devices; null: nothing any more. Resolves when the hub has noted it. */
  trouble(trouble: RadioTrouble | null): Promise<void>;
  /**
   * Delivers reports in order. The adapter may send as many again once the returned promise settles.
   * @param dropped pulses lost since the previous call.
   */
  reports(reports: readonly Report[], dropped: number): Promise<void>;
  /** Other than at the start, the adapter can now have this many commands pending per radio. */
  inFlight(count: number): void;
  /** Resolves when the value is durable. */
  store(key: string, value: unknown): Promise<void>;
  readonly log: AdapterLog;
  pong(): void;
  /** The line has ended; pending commands have been rejected with `unreachable`. */
  closed(): void;
  /** The other end violated the protocol; do not rely on it any more. */
  broken(reason: string): void;
}

/** What an adapter reports about itself when it has started. */
export interface AdapterFacts {
  readonly protocol: string;
  /** The most commands that may be pending per radio. */
  readonly inFlight: number;
  readonly offers: AdapterOffers;
}

interface Waiting<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: AdapterError) => void;
  readonly answered?: CastAnswer | undefined;
}

/** Messages that the adapter answers with an outcome. */
type Asked =
  | Omit<Extract<ToAdapter, { type: "send" }>, "id">
  | Omit<Extract<ToAdapter, { type: "request" }>, "id">
  | Omit<Extract<ToAdapter, { type: "pair" }>, "id">
  | Omit<Extract<ToAdapter, { type: "groups" }>, "id">
  | Omit<Extract<ToAdapter, { type: "cast" }>, "id">;

/** The hub's end of a line to an adapter. */
export class AdapterLine {
  readonly #channel: HubChannel;
  readonly #listener: LineListener;
  readonly #asked = new Map<number, Waiting<unknown>>();
  #starts: Waiting<AdapterFacts>[] = [];
  #stops: (() => void)[] = [];
  #lastId = 0;
  #credits = 0;
  #credited = false;
  #dropped = 0;
  /** Announcements and values that the hub is still processing. */
  #calls = 0;
  #closed = false;
  #stopping = false;

  constructor(channel: HubChannel, listener: LineListener) {
    this.#channel = channel;
    this.#listener = listener;
    channel.open({
      message: (message) => this.#receive(message),
      closed: () => this.#close(),
      broken: (reason) => listener.broken(reason),
    });
  }

  /**
   * Starts the adapter. Resolves when it accepts commands.
   * @param folder an existing folder for its caches.
   * @throws AdapterError `settings` when they are wrong, `unreachable` when the line ends before.
   */
  async start(
    settings: unknown,
    store: Iterable<readonly [key: string, value: unknown]>,
    folder: string,
  ): Promise<AdapterFacts> {
    const started = new Promise<AdapterFacts>((resolve, reject) => {
      if (this.#closed) reject(gone());
      else this.#starts.push({ resolve, reject });
    });
    const values = [...store].map(([key, value]): [string, unknown] => [key, value]);
    this.#channel.post({ type: "start", settings, store: values, folder });
    if (!this.#credited) this.#credit(limits.reportCredits);
    this.#credited = true;
    return await started;
  }

  /**
   * Sends a command. Resolves when the device has accepted it.
   * @throws AdapterError; `unreachable` also when the adapter's process ends first.
   */
  async send(
    native: NativeId,
    command: DeviceCommand,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<void> {
    await this.#ask({ type: "send", native, command, timeoutMs }, signal);
  }

  /**
   * Resolves with the adapter's answer.
   * @throws AdapterError; `unsupported` for a type that it does not offer, `unreachable` when its process
   * ends first.
   */
  request(request: AdapterRequest, timeoutMs: number, signal?: AbortSignal): Promise<unknown> {
    return this.#ask({ type: "request", request, timeoutMs }, signal);
  }

  /**
   * Resolves when the adapter has carried out the action.
   * @throws AdapterError as `request`
   */
  async pair(action: PairingAction, timeoutMs: number): Promise<void> {
    await this.#ask({ type: "pair", action, timeoutMs });
  }

  /**
   * Sends the list of the hub's groups. Resolves when the adapter has begun to apply it on the radio.
   * @throws AdapterError as `request`
   */
  async keepGroups(groups: readonly AirGroup[], timeoutMs: number): Promise<void> {
    await this.#ask({ type: "groups", groups, timeoutMs });
  }

  /**
   * Resolves when no further answer of `natives` can come.
   * @param answered as in `Groupcast`
   * @throws AdapterError as `request`
   */
  async cast(
    group: string,
    natives: readonly NativeId[],
    command: DeviceCommand,
    timeoutMs: number,
    answered: CastAnswer,
    signal?: AbortSignal,
  ): Promise<void> {
    await this.#ask({ type: "cast", group, natives, command, timeoutMs }, signal, answered);
  }

  async #ask(asked: Asked, signal?: AbortSignal, answered?: CastAnswer): Promise<unknown> {
    if (signal?.aborted) throw new AdapterError("cancelled", "cancelled before it was sent");
    if (this.#closed) throw gone();
    this.#lastId += 1;
    const id = this.#lastId;
    const cancel = (): void => this.#channel.post({ type: "cancel", id });
    // The message leaves before anything that can wait: a person waits for its effect.
    this.#channel.post({ ...asked, id });
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      return await new Promise<unknown>((resolve, reject) => {
        this.#asked.set(id, { resolve, reject, answered });
      });
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  forget(native: NativeId): void {
    this.#channel.post({ type: "forget", native });
  }

  /** Asks for a sign of life; the listener's `pong` is called on its answer. */
  ping(): void {
    this.#lastId += 1;
    this.#channel.post({ type: "ping", id: this.#lastId });
  }

  /** Resolves when the adapter has stopped or the line has ended, then closes the line. */
  async stop(): Promise<void> {
    this.#stopping = true;
    if (!this.#closed) {
      await new Promise<void>((resolve) => {
        this.#stops.push(resolve);
        this.#channel.post({ type: "stop" });
      });
    }
    this.#channel.close();
  }

  #receive(unknown: unknown): void {
    const message = receivedMessage(unknown);
    if (message === undefined) this.#listener.broken("it sent an invalid message");
    else this.#take(message);
  }

  #take(message: FromAdapter): void {
    switch (message.type) {
      case "started": {
        const { protocol, inFlight, offers } = message;
        this.#starts.shift()?.resolve({ protocol, inFlight, offers });
        return;
      }
      case "inFlight":
        this.#listener.inFlight(message.count);
        return;
      case "failed":
        this.#starts.shift()?.reject(new AdapterError(message.code, message.message));
        return;
      case "stopped":
        for (const stopped of this.#stops.splice(0)) stopped();
        return;
      case "announce":
        void this.#call(this.#listener.announce(message.device));
        return;
      case "found":
        void this.#call(this.#listener.found(message.device));
        return;
      case "lost":
        void this.#call(this.#listener.lost(message.native));
        return;
      case "trouble":
        void this.#call(this.#listener.trouble(message.trouble));
        return;
      case "reports":
        void this.#reported(message.reports, message.dropped);
        return;
      case "outcome":
        this.#outcome(message);
        return;
      case "answered": {
        const error = message.ok ? undefined : new AdapterError(message.code, message.message);
        this.#asked.get(message.id)?.answered?.(message.native, error);
        return;
      }
      case "pong":
        this.#listener.pong();
        return;
      case "store":
        void this.#call(this.#store(message.id, message.key, message.value));
        return;
      case "log":
        this.#listener.log(message.level, message.message, message.fields);
    }
  }

  /** Stops reading while the adapter has more calls pending than the hub allows. */
  async #call(done: Promise<void>): Promise<void> {
    this.#calls += 1;
    if (this.#calls === limits.adapterCallsUnderWay) this.#channel.hold(true);
    try {
      await done;
    } catch (error) {
      this.#listener.log("error", "a call of the adapter failed", { error: String(error) });
    }
    this.#calls -= 1;
    if (this.#calls === limits.adapterCallsUnderWay - 1) this.#channel.hold(false);
  }

  #outcome(outcome: Extract<FromAdapter, { type: "outcome" }>): void {
    const waiting = this.#asked.get(outcome.id);
    this.#asked.delete(outcome.id);
    if (outcome.ok) waiting?.resolve(outcome.value);
    else waiting?.reject(new AdapterError(outcome.code, outcome.message));
  }

  async #reported(reports: readonly Report[], dropped: number): Promise<void> {
    this.#credits -= reports.length;
    if (this.#credits < 0 && !this.#stopping) {
      this.#listener.broken("it sent more reports than its credit allows");
      return;
    }
    const lost = dropped - this.#dropped;
    this.#dropped = dropped;
    try {
      await this.#listener.reports(reports, lost);
    } catch (error) {
      this.#listener.log("error", "the hub failed to process reports", { error: String(error) });
    }
    this.#credit(reports.length);
  }

  #credit(count: number): void {
    this.#credits += count;
    this.#channel.post({ type: "credit", count });
  }

  async #store(id: number, key: string, value: unknown): Promise<void> {
    try {
      await this.#listener.store(key, value);
    } catch (error) {
      this.#channel.post({ type: "stored", id, error: String(error) });
      return;
    }
    this.#channel.post({ type: "stored", id });
  }

  #close(): void {
    this.#closed = true;
    for (const stopped of this.#stops.splice(0)) stopped();
    for (const start of this.#starts.splice(0)) start.reject(gone());
    const lost = [...this.#asked.values()];
    this.#asked.clear();
    for (const waiting of lost) waiting.reject(gone());
    this.#listener.closed();
  }
}

function gone(): AdapterError {
  return new AdapterError("unreachable", "the adapter is not running");
}
