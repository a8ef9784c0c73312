import { limits } from "@ledge/model";
import type {
  Adapter,
  AdapterClock,
  AdapterError,
  AdapterHost,
  AdapterLog,
  AdapterStore,
  DeviceDescription,
  Report,
} from "./adapter.ts";
import type { AdapterChannel } from "./channel.ts";
import { systemClock } from "./clock.ts";
import { asAdapterError } from "./fault.ts";
import { LogThrottle } from "./log-throttle.ts";
import type { FromAdapter, ToAdapter } from "./messages.ts";
import { answerRequest, groupcastOf, offersOf, pair } from "./offers.ts";
import { ReportQueue } from "./queue.ts";
import { SendsUnderWay } from "./sends.ts";
import { StoreClient } from "./store-client.ts";

/** How long an adapter may take to stop when its hub is gone. */
const endGraceMs = 500;

/** Options of `serveAdapter`. */
export interface ServeOptions {
  readonly clock?: AdapterClock;
  /** Called when the line to the hub has ended and the adapter has stopped. */
  readonly ended?: () => void;
}

/**
 * Runs an adapter at its end of a line to the hub: turns messages into calls and results into messages, holds
 * reports until the hub gives credit, and limits the time of every command. A rejection becomes an outcome;
 * an exception outside of a promise stays uncaught, for the process to handle.
 */
export function serveAdapter(
  create: () => Adapter,
  channel: AdapterChannel,
  options: ServeOptions = {},
): void {
  const served = new ServedAdapter(create(), channel, options);
  channel.open({ message: (message) => served.take(message), closed: () => served.end() });
}

class ServedAdapter {
  readonly #adapter: Adapter;
  readonly #channel: AdapterChannel;
  readonly #ended: () => void;
  readonly #log: AdapterLog;
  readonly #throttle: LogThrottle;
  readonly #clock: AdapterClock;
  readonly #reports = new ReportQueue();
  readonly #announced = new Map<string, string>();
  readonly #store: StoreClient;
  readonly #sends: SendsUnderWay;
  #host: AdapterHost | undefined;
  /** The last `inFlight` that the hub was told. */
  #inFlight = 0;
  #credits = 0;
  #flushing = false;
  #quiet = false;

  constructor(adapter: Adapter, channel: AdapterChannel, options: ServeOptions) {
    this.#adapter = adapter;
    this.#channel = channel;
    this.#ended = options.ended ?? (() => {});
    this.#clock = options.clock ?? systemClock;
    const post = (message: FromAdapter): void => channel.post(message);
    this.#throttle = new LogThrottle(this.#clock, (level, message, fields) =>
      post(fields ? { type: "log", level, message, fields } : { type: "log", level, message }),
    );
    this.#log = (level, message, fields) => this.#throttle.log(level, message, fields);
    this.#store = new StoreClient(post);
    this.#sends = new SendsUnderWay(this.#clock, post, this.#log);
  }

  take(message: ToAdapter): void {
    switch (message.type) {
      case "start":
        void this.#start(message);
        return;
      case "stop":
        void this.#stop();
        return;
      case "send":
        this.#sends.begin(message, (signal) => this.#send(message, signal));
        return;
      case "request":
        this.#sends.begin(message, (signal) => answerRequest(this.#adapter, message.request, signal));
        return;
      case "pair":
        this.#sends.begin(message, () => pair(this.#adapter, message.action));
        return;
      case "groups":
        this.#sends.begin(message, async () => await groupcastOf(this.#adapter).keep(message.groups));
        return;
      case "cast":
        this.#sends.begin(message, (signal) => this.#cast(message, signal));
        return;
      case "cancel":
        this.#sends.cancel(message.id);
        return;
      case "forget":
        void this.#forget(message.native);
        return;
      case "credit":
        this.#credits += message.count;
        this.#flush();
        return;
      case "ping":
        this.#channel.post({ type: "pong", id: message.id });
        return;
      case "stored":
        this.#store.settle(message.id, message.error);
    }
  }

  /** The line has ended: stops the adapter, but does not wait long for one that hangs. */
  end(): void {
    const giveUp = this.#clock.after(endGraceMs, this.#ended);
    void this.#stop().finally(() => {
      giveUp();
      this.#ended();
    });
  }

  async #start(message: Extract<ToAdapter, { type: "start" }>): Promise<void> {
    this.#host ??= this.#hostFor(message, this.#store.opened(message.store));
    try {
      await this.#adapter.start(this.#host);
    } catch (error) {
      this.#host = undefined;
      if (this.#quiet) return;
      const { code, message: text } = asAdapterError(error, "start", this.#log);
      this.#channel.post({ type: "failed", code, message: text });
      return;
    }
    const { protocol, inFlight } = this.#adapter;
    const offers = offersOf(this.#adapter);
    this.#inFlight = inFlight;
    this.#say({ type: "started", protocol, inFlight, offers });
  }

  /**
   * Sends the reports made before the stop even without credit: there are few, and a pulse must not be lost.
   */
  async #stop(): Promise<void> {
    try {
      await this.#adapter.stop();
    } catch (error) {
      asAdapterError(error, "stop", this.#log);
    }
    this.#sends.end();
    this.#quiet = true;
    while (this.#reports.size > 0) this.#postReports(limits.reportCredits);
    this.#throttle.end();
    this.#channel.post({ type: "stopped" });
  }

  async #send({ native, command }: Extract<ToAdapter, { type: "send" }>, signal: AbortSignal): Promise<void> {
    try {
      await this.#adapter.send(native, command, signal);
    } finally {
      const { inFlight } = this.#adapter;
      if (inFlight !== this.#inFlight) this.#say({ type: "inFlight", count: inFlight });
      this.#inFlight = inFlight;
    }
  }

  async #cast(message: Extract<ToAdapter, { type: "cast" }>, signal: AbortSignal): Promise<void> {
    const { id, group, natives, command } = message;
    const answered = (native: string, error?: AdapterError): void =>
      this.#channel.post(
        error === undefined
          ? { type: "answered", id, native, ok: true }
          : { type: "answered", id, native, ok: false, code: error.code, message: error.message },
      );
    await groupcastOf(this.#adapter).cast(group, natives, command, answered, signal);
  }

  async #forget(native: string): Promise<void> {
    this.#announced.delete(native);
    try {
      await this.#adapter.forget?.(native);
    } catch (error) {
      asAdapterError(error, "forget", this.#log);
    }
    this.#reports.forget(native);
  }

  #hostFor({ settings, folder }: Extract<ToAdapter, { type: "start" }>, store: AdapterStore): AdapterHost {
    return {
      settings,
      folder,
      clock: this.#clock,
      store,
      log: this.#log,
      announce: (device) => this.#announce(device),
      report: (report) => this.#report(report),
      found: (device) => this.#say({ type: "found", device }),
      lost: (native) => this.#say({ type: "lost", native }),
      trouble: (trouble) => this.#say({ type: "trouble", trouble }),
    };
  }

  #say(message: FromAdapter): void {
    if (!this.#quiet) this.#channel.post(message);
  }

  #announce(device: DeviceDescription): void {
    const content = JSON.stringify(device);
    if (this.#quiet || this.#announced.get(device.native) === content) return;
    if (!this.#announced.has(device.native) && this.#announced.size >= limits.devices) {
      this.#log("error", "the adapter announces more devices than a hub can have", {
        native: device.native,
        limit: limits.devices,
      });
      return;
    }
    this.#announced.set(device.native, content);
    this.#channel.post({ type: "announce", device });
  }

  #report(report: Report): void {
    if (this.#quiet) {
      this.#log("error", "the adapter reported after its stop", { native: report.native });
      return;
    }
    this.#reports.push(report);
    if (this.#flushing) return;
    this.#flushing = true;
    queueMicrotask(() => {
      this.#flushing = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#quiet || this.#credits === 0 || this.#reports.size === 0) return;
    this.#credits -= this.#postReports(this.#credits);
  }

  #postReports(count: number): number {
    const reports = this.#reports.drain(count);
    this.#channel.post({ type: "reports", reports, dropped: this.#reports.dropped });
    return reports.length;
  }
}
