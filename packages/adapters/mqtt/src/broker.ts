import type { AdapterClock, AdapterLog } from "@ledge/port";
import { reopenDelay } from "@ledge/port";
import type { IClientOptions, MqttClient } from "mqtt";
import mqtt from "mqtt";
import type { BrokerSettings } from "./settings.ts";

/** A message of a broker. `retained`: the broker kept it from earlier. */
export interface Message {
  readonly topic: string;
  readonly payload: Buffer;
  readonly retained: boolean;
}

export interface BrokerOwner {
  readonly clock: AdapterClock;
  readonly log: AdapterLog;
  /** 0..1, spreads attempts to come back. */
  readonly random: () => number;
  readonly clientId: string;
  /** What the broker says of the hub when the connection is lost: a retained message. */
  readonly will?: { readonly topic: string; readonly payload: string };
  /** The topics that it hears. Called with each connection. */
  readonly subscriptions: () => readonly string[];
  /** A connection has begun, with its subscriptions. */
  readonly opened: () => void;
  readonly lost: () => void;
  readonly message: (message: Message) => void;
}

const keepaliveS = 20;
const connectMs = 10_000;

/**
 * A connection to a broker, which comes back by itself. Each connection begins anew: what was not acknowledged by the
 * last one is forgotten, so that nothing old arrives after something new.
 */
export class Broker {
  readonly #settings: BrokerSettings;
  readonly #owner: BrokerOwner;
  #client: MqttClient | undefined;
  #isOpen = false;
  #failures = 0;
  #cancel: () => void = () => {};
  #stopped = false;
  readonly #tried = Promise.withResolvers<void>();

  constructor(settings: BrokerSettings, owner: BrokerOwner) {
    this.#settings = settings;
    this.#owner = owner;
    this.#open();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Resolves when it is connected, or the first attempt has failed. */
  get tried(): Promise<void> {
    return this.#tried.promise;
  }

  /**
   * Resolves when the broker has taken a message (QoS 1).
   * @throws when there is no connection, or it ends first
   */
  async publish(topic: string, payload: string, retain: boolean): Promise<void> {
    const client = this.#client;
    if (client === undefined || !this.#isOpen) throw new Error("not connected");
    await client.publishAsync(topic, payload, { qos: 1, retain });
  }

  /** @throws when there is no connection, or it ends first */
  async subscribe(topics: readonly string[]): Promise<void> {
    if (topics.length > 0) await this.#client?.subscribeAsync([...topics], { qos: 1 });
  }

  async unsubscribe(topics: readonly string[]): Promise<void> {
    if (topics.length > 0) await this.#client?.unsubscribeAsync([...topics]);
  }

  /** Says goodbye: the broker then keeps the will to itself. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    const client = this.#client;
    this.#client = undefined;
    const wasOpen = this.#isOpen;
    this.#isOpen = false;
    this.#tried.resolve();
    if (client !== undefined) await client.endAsync(!wasOpen).catch(() => {});
  }

  #open(): void {
    const client = mqtt.connect(this.#settings.url, this.#options());
    this.#client = client;
    let problem = "the connection was closed";
    client.on("error", (error) => {
      problem = problemOf(error);
    });
    client.on("message", (topic, payload, { retain }) => {
      if (this.#client === client) this.#owner.message({ topic, payload, retained: retain });
    });
    client.once("connect", () => void this.#opened(client));
    client.once("close", () => {
      client.end(true);
      if (this.#client === client) this.#lost(problem);
    });
  }

  async #opened(client: MqttClient): Promise<void> {
    try {
      const topics = this.#owner.subscriptions();
      if (topics.length > 0) await client.subscribeAsync([...topics], { qos: 1 });
    } catch {
      // The end of the connection is told by itself.
      client.end(true);
      return;
    }
    if (this.#client !== client || this.#stopped) return;
    this.#isOpen = true;
    this.#failures = 0;
    this.#owner.log("info", "connected to the broker", { url: this.#settings.url });
    this.#owner.opened();
    this.#tried.resolve();
  }

  #lost(reason: string): void {
    const wasOpen = this.#isOpen;
    this.#isOpen = false;
    this.#client = undefined;
    if (this.#stopped) return;
    const { clock, log, random } = this.#owner;
    if (wasOpen || this.#failures === 0)
      log("warn", "the broker cannot be reached", { url: this.#settings.url, reason });
    if (wasOpen) this.#owner.lost();
    this.#cancel = clock.after(reopenDelay(this.#failures, random()), () => this.#open());
    this.#failures += 1;
    this.#tried.resolve();
  }

  #options(): IClientOptions {
    const { username, password, ca, certificate, key } = this.#settings;
    const { will, clientId } = this.#owner;
    return {
      clientId,
      clean: true,
      keepalive: keepaliveS,
      connectTimeout: connectMs,
      reconnectPeriod: 0,
      resubscribe: false,
      queueQoSZero: false,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      ...(ca !== undefined && { ca }),
      ...(certificate !== undefined && { cert: certificate }),
      ...(key !== undefined && { key }),
      ...(will !== undefined && {
        will: { topic: will.topic, payload: Buffer.from(will.payload), qos: 1, retain: true },
      }),
    };
  }
}

function problemOf(error: Error): string {
  const [first] = error instanceof AggregateError ? (error.errors as readonly Error[]) : [];
  return (error.message || first?.message) ?? String(error);
}
