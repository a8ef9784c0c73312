import type { ServerHttp2Session } from "node:http2";
import type { Clock } from "@ledge/kernel";
import {
  type CloneKind,
  type CloneRefusal,
  DialError,
  dialCarrier,
  type LivenessTimes,
  type Transport,
} from "@ledge/link/tunnel";
import { limits } from "@ledge/model";
import type { Fetch } from "@ledge/host/server";
import type { Changes } from "./changes.ts";
import { serveTunnel } from "./tunnel-server.ts";

/** The connection that carries a tunnel. */
type Carrier = Awaited<ReturnType<typeof dialCarrier>>;

export type DiallerTimes = LivenessTimes &
  Readonly<
    Record<
      "tunnelDialMs" | "tunnelBackoffMinMs" | "tunnelBackoffMaxMs" | "tunnelSteadyMs" | "cloneRetryMs",
      number
    >
  >;

export interface DiallerOptions {
  /** The address of the cloud. */
  readonly url: string;
  /**
   * Returns the token of the hub's session with the cloud. When it throws, the dialler tries again.
   * @param refused the token that the cloud refused last, so another one is needed
   */
  token(refused: string | undefined, signal: AbortSignal): Promise<string>;
  /** Serves the API of the listener `remote`. */
  readonly fetch: Fetch;
  /** Tells the cloud of the home, as far as the owner lets it. */
  readonly changes?: Pick<Changes, "pieces">;
  /** Called when the cloud announces a new number of the hub's list of users. */
  announced(seq: number): void;
  /**
   * Called when the cloud has refused another hub with this hub's identity. @param kind how that one relates to
   * this hub
   */
  cloned?(kind: CloneKind): void;
  /** Called when the cloud has refused this hub in favour of another one with its identity. */
  refused?(refusal: CloneRefusal): void;
  /** Called when the tunnel has opened or ended. */
  changed?(connected: boolean): void;
  /** The wall clock is not used. */
  readonly clock: Pick<Clock, "monotonic" | "after">;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly logger: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
  readonly times?: DiallerTimes;
}

/** Keeps a tunnel to the cloud open, through which the cloud forwards the requests of clients to this hub. */
export class Dialler {
  readonly #options: DiallerOptions;
  readonly #times: DiallerTimes;
  #transport: Transport = "upgrade";
  #failures = 0;
  #refused: string | undefined;
  #session: ServerHttp2Session | undefined;
  #carrier: Carrier | undefined;
  #isConnected = false;
  #stopping: AbortController | undefined;
  /** The cloud prefers another hub with this identity, so the dialler asks rarely. */
  #isClone = false;
  /** Something has changed since the start of the current dial, or since the last one ended. */
  #isHasty = false;
  #wake: () => void = () => {};
  #running: Promise<void> = Promise.resolve();

  constructor(options: DiallerOptions) {
    this.#options = options;
    this.#times = options.times ?? limits;
  }

  /** Whether the cloud reaches this hub. */
  get connected(): boolean {
    return this.#isConnected;
  }

  start(): void {
    if (this.#stopping !== undefined) return;
    const stopping = new AbortController();
    this.#stopping = stopping;
    this.#running = this.#run(stopping.signal);
  }

  /** Dials again at once and ignores the last refusal. */
  hasten(): void {
    this.#failures = 0;
    this.#isHasty = true;
    this.#wake();
  }

  /** Says goodbye to the cloud. Pending requests may finish within the grace time. */
  async stop(graceMs: number = limits.closeGraceMs): Promise<void> {
    this.#stopping?.abort();
    this.#stopping = undefined;
    const session = this.#session;
    session?.close();
    // A session that has ended releases its tunnel only when the other end does.
    const cancel = this.#options.clock.after(graceMs, () => this.#carrier?.destroy());
    await this.#running;
    cancel();
  }

  async #run(stop: AbortSignal): Promise<void> {
    const { clock, logger, url } = this.#options;
    while (!stop.aborted) {
      const began = clock.monotonic();
      try {
        const carrier = await this.#dial(stop);
        this.#isClone = false;
        await this.#serve(carrier, stop);
        if (clock.monotonic() - began >= this.#times.tunnelSteadyMs) this.#failures = 0;
        if (!stop.aborted) logger.info({ cloud: url }, "the tunnel to the cloud has ended");
      } catch (error) {
        const { message } = error as Error;
        const { clone } = error instanceof DialError ? error : {};
        this.#isClone = clone !== undefined;
        if (clone !== undefined && !this.#isHasty) this.#options.refused?.(clone);
        if (!stop.aborted) logger.warn({ cloud: url, problem: message }, "the cloud cannot be reached");
      }
      if (!stop.aborted) await this.#rest(stop);
    }
  }

  async #dial(stop: AbortSignal): Promise<Carrier> {
    const { url, clock } = this.#options;
    const giveUp = new AbortController();
    const signal = AbortSignal.any([stop, giveUp.signal]);
    const cancel = clock.after(this.#times.tunnelDialMs, () => giveUp.abort(new Error("it took too long")));
    const transport = this.#transport;
    this.#isHasty = false;
    try {
      const token = await this.#options.token(this.#refused, signal);
      this.#refused = undefined;
      try {
        return await dialCarrier({ url, token, transport, signal });
      } catch (error) {
        const { status, clone } = error instanceof DialError ? error : {};
        if (status === 401) this.#refused = token;
        // A proxy in between may let the other protocol through.
        else if (clone === undefined) this.#transport = transport === "upgrade" ? "websocket" : "upgrade";
        throw error;
      }
    } finally {
      cancel();
    }
  }

  /** Serves the API in a tunnel until it ends. */
  async #serve(carrier: Carrier, stop: AbortSignal): Promise<void> {
    const { logger, url } = this.#options;
    const ended = new Promise<void>((resolve) => void carrier.once("close", () => resolve()));
    carrier.on("error", () => {});
    this.#carrier = carrier;
    const session = await serveTunnel(carrier, { ...this.#options, times: this.#times }, () => {
      logger.info({ cloud: url }, "the tunnel to the cloud is open");
      this.#tell(true);
    });
    this.#session = session;
    // The cloud stops or has another tunnel of this hub. The dialler dials again while pending requests finish.
    session.once("goaway", () => session.close());
    if (stop.aborted) session.close();
    await ended;
    this.#session = undefined;
    this.#carrier = undefined;
    this.#tell(false);
  }

  #tell(connected: boolean): void {
    if (this.#isConnected === connected) return;
    this.#isConnected = connected;
    this.#options.changed?.(connected);
  }

  /**
   * Waits before the next dial. The pause doubles with each failure in a row and is random, so that hubs that
   * lost their cloud together return one by one.
   */
  async #rest(stop: AbortSignal): Promise<void> {
    const { tunnelBackoffMinMs, tunnelBackoffMaxMs, cloneRetryMs } = this.#times;
    const most = this.#isClone
      ? cloneRetryMs
      : Math.min(tunnelBackoffMaxMs, tunnelBackoffMinMs * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 30);
    if (this.#isHasty) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const cancel = this.#options.clock.after(most * (0.5 + this.#options.random() / 2), resolve);
    stop.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    cancel();
  }
}
