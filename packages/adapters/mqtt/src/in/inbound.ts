import { stateAndPress } from "@ledge/model";
import type { AdapterHost, DeviceCommand, DeviceDescription, NativeId } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import { Broker } from "../broker.ts";
import type { BrokerSettings } from "../settings.ts";
import type { Sending, Source, SourceHost, Values } from "./source.ts";

export interface InboundOptions {
  readonly host: AdapterHost;
  readonly broker: BrokerSettings;
  readonly random: () => number;
  /** Makes the sources, which tell of their devices. */
  readonly sources: (host: SourceHost) => readonly Source[];
}

/** What is known of a device. */
interface Known {
  values: Values;
  isReachable: boolean;
  /** What waits for the next message of the device. */
  readonly waiting: Set<() => void>;
}

/** What is kept of a device over a restart: its description, or that nobody wants it. */
type Kept = DeviceDescription | "forgotten" | null;

const keptKey = (native: NativeId): string => `device/${native}`;
/** A value of the store is short: the list of devices is in parts. */
const listParts = 16;
const listKey = (part: number): string => `devices/${part}`;

function partOf(native: NativeId): number {
  let sum = 0;
  for (const char of native) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % listParts;
  return sum;
}

/** How long a device has to say what came of a command, ms; the dispatcher gives up at about the same time. */
const answerMs = 8000;

/** Devices that others show on a broker, as devices of the hub. */
export class Inbound {
  readonly #host: AdapterHost;
  /** Undefined while the sources are made. */
  #broker: Broker | undefined;
  readonly #sources: readonly Source[];
  /** What it listens to, and how many ask for that. */
  readonly #topics = new Map<string, number>();
  /** Ends commands that wait for their devices. */
  readonly #waiting = new Set<(error: AdapterError) => void>();
  /** Whether the message that the sources hear now is one that the broker has kept from earlier. */
  #isRetained = false;
  readonly #devices = new Map<NativeId, Known>();
  /** The native ids that are stored, by the part of the list that has them. */
  readonly #listed: readonly Set<NativeId>[];

  constructor({ host, broker, random, sources }: InboundOptions) {
    this.#host = host;
    this.#listed = Array.from(
      { length: listParts },
      (_, part) => new Set(listIn(host.store.get(listKey(part)))),
    );
    for (const native of this.#listed.flatMap((part) => [...part])) {
      const kept = host.store.get(keptKey(native)) as Kept;
      if (kept === null || kept === "forgotten" || kept === undefined) continue;
      this.#take(kept);
    }
    this.#sources = sources(this.#sourceHost());
    for (const { topics } of this.#sources) this.#asked(topics);
    this.#broker = new Broker(broker, {
      clock: host.clock,
      log: host.log,
      random,
      clientId: `ledge_in_${Math.floor(random() * 0x1_0000_0000).toString(16)}`,
      subscriptions: () => [...this.#topics.keys()],
      opened: () => this.#tellAll(),
      lost: () => this.#tellAll(),
      message: ({ topic, payload, retained }) => {
        this.#isRetained = retained;
        for (const source of this.#sources) source.heard(topic, payload);
        this.#isRetained = false;
      },
    });
    this.#tellAll();
  }

  /** Resolves when the first attempt to reach the broker is over. */
  get tried(): Promise<void> {
    return this.#broker?.tried ?? Promise.resolve();
  }

  async stop(): Promise<void> {
    for (const source of this.#sources) source.stop?.();
    for (const end of this.#waiting) end(new AdapterError("stopped", "the adapter has stopped"));
    await this.#broker?.stop();
  }

  async send(native: NativeId, command: DeviceCommand, signal: AbortSignal): Promise<void> {
    const known = this.#devices.get(native);
    if (known === undefined) throw new AdapterError("refused", `no device ${native}`);
    if (command.type === "refresh") {
      this.#host.report({ native, attributes: { ...known.values, reachable: this.#isReachable(known) } });
      return;
    }
    if (command.type !== "set") throw new AdapterError("unsupported", `${native} knows no ${command.type}`);
    const { attributes } = command;
    const sendings = this.#sources
      .map((source) => source.set(native, attributes))
      .find((each) => each !== undefined);
    const broker = this.#broker;
    if (sendings === undefined || !broker?.isOpen)
      throw new AdapterError("unreachable", "the broker is not there");
    if (sendings.length === 0)
      throw new AdapterError("unsupported", `${native} does not take ${Object.keys(attributes).join(", ")}`);
    await this.#deliver(broker, known, sendings, signal);
  }

  /** Removes a device until its source no longer has it. */
  async forget(native: NativeId): Promise<void> {
    this.#devices.delete(native);
    for (const source of this.#sources) await source.forget?.(native);
    if (this.#listed[partOf(native)]?.has(native)) await this.#host.store.put(keptKey(native), "forgotten");
  }

  async #deliver(
    broker: Broker,
    known: Known,
    sendings: readonly Sending[],
    signal: AbortSignal,
  ): Promise<void> {
    const { promise: answered, resolve, reject } = Promise.withResolvers<void>();
    known.waiting.add(resolve);
    const cancel = this.#host.clock.after(answerMs, () =>
      reject(new AdapterError("timeout", "the device did not say what came of it")),
    );
    const abort = (): void => reject(new AdapterError("cancelled", "nobody waits"));
    signal.addEventListener("abort", abort, { once: true });
    this.#waiting.add(reject);
    try {
      const sent = Promise.all(sendings.map(({ topic, payload }) => broker.publish(topic, payload, false)));
      await Promise.race([sent, answered]);
      if (sendings.some(({ isAnswered }) => isAnswered)) await answered;
    } catch (error) {
      if (error instanceof AdapterError) throw error;
      throw new AdapterError("unreachable", (error as Error).message, { cause: error });
    } finally {
      answered.catch(() => {});
      cancel();
      this.#waiting.delete(reject);
      signal.removeEventListener("abort", abort);
      known.waiting.delete(resolve);
    }
  }

  #sourceHost(): SourceHost {
    return {
      announce: (device) => this.#announce(device),
      report: (native, attributes) => {
        const known = this.#devices.get(native);
        if (known === undefined) return;
        const { state } = stateAndPress(attributes);
        known.values = { ...known.values, ...state };
        // A press that the broker has kept was made before, and comes again with each connection.
        const news = this.#isRetained ? state : attributes;
        if (Object.keys(news).length > 0) this.#host.report({ native, attributes: news });
        for (const hear of known.waiting) hear();
      },
      reach: (native, isReachable) => {
        const known = this.#devices.get(native);
        if (known === undefined || known.isReachable === isReachable) return;
        known.isReachable = isReachable;
        this.#tell(native, known);
      },
      gone: (native) => {
        const known = this.#devices.get(native);
        if (known !== undefined) {
          known.isReachable = false;
          this.#tell(native, known);
        }
        if (this.#host.store.get(keptKey(native)) === "forgotten") this.#keep(native, null);
      },
      known: () => this.#devices.keys(),
      has: (native) => this.#devices.has(native),
      before: (native) => this.#devices.get(native)?.values ?? {},
      listen: (topics) => {
        const more = this.#asked(topics);
        if (this.#broker?.isOpen) void this.#broker.subscribe(more).catch(() => {});
      },
      leave: (topics) => {
        const left = topics.filter((topic) => {
          const others = (this.#topics.get(topic) ?? 1) - 1;
          if (others > 0) this.#topics.set(topic, others);
          else this.#topics.delete(topic);
          return others <= 0;
        });
        if (this.#broker?.isOpen) void this.#broker.unsubscribe(left).catch(() => {});
      },
    };
  }

  /** Counts who asks for topics, and returns those that nobody has asked for before. */
  #asked(topics: readonly string[]): readonly string[] {
    const more = topics.filter((topic) => !this.#topics.has(topic));
    for (const topic of topics) this.#topics.set(topic, (this.#topics.get(topic) ?? 0) + 1);
    return more;
  }

  #announce(device: DeviceDescription): void {
    const { native } = device;
    const kept = this.#host.store.get(keptKey(native)) as Kept;
    if (kept === "forgotten") return;
    this.#take(device);
    if (JSON.stringify(kept) !== JSON.stringify(device)) this.#keep(native, device);
  }

  #take(device: DeviceDescription): void {
    this.#host.announce(device);
    if (!this.#devices.has(device.native))
      this.#devices.set(device.native, { values: {}, isReachable: false, waiting: new Set() });
  }

  #keep(native: NativeId, kept: Kept): void {
    const { store, log } = this.#host;
    const puts = [store.put(keptKey(native), kept)];
    const part = partOf(native);
    const listed = this.#listed[part];
    if (listed !== undefined && !listed.has(native)) {
      listed.add(native);
      puts.push(store.put(listKey(part), [...listed]));
    }
    Promise.all(puts).catch((error: unknown) =>
      log("warn", "a device was not stored", { native, reason: (error as Error).message }),
    );
  }

  #isReachable({ isReachable }: Known): boolean {
    return isReachable && this.#broker?.isOpen === true;
  }

  #tell(native: NativeId, known: Known): void {
    this.#host.report({ native, attributes: { reachable: this.#isReachable(known) } });
  }

  #tellAll(): void {
    for (const [native, known] of this.#devices) this.#tell(native, known);
  }
}

function listIn(value: unknown): readonly NativeId[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
}
