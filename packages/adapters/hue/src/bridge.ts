import type { DeviceCommand, DeviceDescription, NativeId } from "@ledge/port";
import { AdapterError, type AdapterHost, pause, reopenDelay, TextStore } from "@ledge/port";
import type { Dialect } from "./dialect.ts";
import { adapterFault, UnknownKey } from "./fault.ts";
import { BridgeHttp, OtherCertificate } from "./http.ts";
import { attributesOf, describe, type Values, wantedBy } from "./lamp.ts";
import { attributesOfSensor, describeSensor, type Press, type Thing } from "./sensor.ts";
import { V1Dialect } from "./v1-dialect.ts";
import { V2Dialect } from "./v2-dialect.ts";

/** A bridge that was paired. Plain data; the store seals it, as it holds the key. */
export interface PairedBridge {
  /** 16 hexadecimal digits, in lower case. */
  readonly id: string;
  readonly origin: string;
  readonly key: string;
  readonly api: "v1" | "v2";
  /** SHA-256 of its certificate; absent without TLS. */
  readonly fingerprint?: string;
  readonly name: string;
  readonly model: string | null;
}

export interface BridgeOptions {
  readonly paired: PairedBridge;
  readonly host: AdapterHost;
  readonly groups: boolean;
  readonly pollMs: number;
  readonly random: () => number;
  /** Whether a device was removed from the hub. */
  readonly isForgotten: (native: NativeId) => boolean;
  /** Looks where the bridge is now, after it could not be reached for a while. */
  readonly moved: (id: string) => Promise<string | undefined>;
  readonly changed: (paired: PairedBridge) => void;
}

const describedKey = (id: string): string => `described/${id}`;
/** After so many failed attempts, and as many again, the bridge may have another address. */
const seekEvery = 4;

/** A bridge with its lamps and sensors, as devices of the hub. It comes back by itself. */
export class Bridge {
  #paired: PairedBridge;
  readonly #options: BridgeOptions;
  readonly #texts: TextStore;
  readonly #stopped = new AbortController();
  readonly #descriptions = new Map<NativeId, DeviceDescription>();
  readonly #things = new Map<NativeId, Thing>();
  readonly #reported = new Map<NativeId, Values>();
  #http: BridgeHttp;
  #dialect: Dialect;
  #isOpen = false;
  #complaint: string | undefined;
  readonly #tried = Promise.withResolvers<void>();
  #ended: Promise<void> = Promise.resolve();

  constructor(options: BridgeOptions) {
    this.#options = options;
    this.#paired = options.paired;
    this.#texts = new TextStore(options.host.store);
    this.#http = new BridgeHttp(this.#paired.origin, this.#paired.fingerprint);
    this.#dialect = this.#newDialect();
    this.#announce(bridgeDescription(this.#paired));
    for (const description of this.#stored()) this.#announce(description);
    for (const native of this.#descriptions.keys()) this.#report(native, { reachable: false });
  }

  get paired(): PairedBridge {
    return this.#paired;
  }

  /** Resolves when the first attempt to reach it is over. */
  get tried(): Promise<void> {
    return this.#tried.promise;
  }

  start(): void {
    this.#ended = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#http.close();
    await this.#ended;
  }

  has(native: NativeId): boolean {
    return this.#descriptions.has(native);
  }

  async send(native: NativeId, command: DeviceCommand, signal: AbortSignal): Promise<void> {
    const both = AbortSignal.any([signal, this.#stopped.signal]);
    try {
      await this.#carryOut(native, command, both);
    } catch (error) {
      throw adapterFault(error, signal, this.#stopped.signal);
    }
  }

  async #carryOut(native: NativeId, command: DeviceCommand, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (command.type === "refresh") {
      if (this.#isOpen) this.#show(await this.#dialect.read(signal));
      const thing = this.#things.get(native);
      const attributes =
        this.#isOpen && thing !== undefined ? attributesOfThing(thing) : { reachable: this.#isOpen };
      this.#options.host.report({ native, attributes });
      return;
    }
    const lamp = this.#things.get(native);
    if (!this.#isOpen) throw new AdapterError("unreachable", "the bridge cannot be reached");
    if (lamp === undefined || lamp.kind === "sensor")
      throw new AdapterError("unsupported", `${native} takes no commands`);
    if (command.type === "identify" && lamp.kind !== "group") await this.#dialect.identify(lamp, signal);
    else if (command.type === "set") {
      const wanted = wantedBy(command.attributes, lamp);
      if (wanted === undefined)
        throw new AdapterError(
          "unsupported",
          `${native} does not take ${Object.keys(command.attributes).join(", ")}`,
        );
      await this.#dialect.set(lamp, wanted, signal);
    } else throw new AdapterError("unsupported", `${native} knows no ${command.type}`);
  }

  async #run(): Promise<void> {
    const { host, random } = this.#options;
    const { signal } = this.#stopped;
    for (let failures = 0; !signal.aborted; failures += 1) {
      let wasOpen = false;
      try {
        const shown = (things: readonly Thing[]): void => {
          if (signal.aborted) return;
          if (!wasOpen) this.#opened();
          wasOpen = true;
          this.#show(things);
        };
        await this.#dialect.follow({ shown, pressed: (press) => this.#pressed(press) }, signal);
      } catch (error) {
        if (signal.aborted) break;
        if (wasOpen) failures = 0;
        this.#complain(error as Error);
      }
      this.#lost();
      if (failures % seekEvery === seekEvery - 1) await this.#seek();
      await pause(host.clock, reopenDelay(failures, random()), signal);
    }
    this.#tried.resolve();
    host.log("debug", "no longer connected to the bridge", { bridge: this.#paired.id });
  }

  #opened(): void {
    this.#isOpen = true;
    this.#complaint = undefined;
    const { fingerprint } = this.#http;
    if (fingerprint !== undefined && fingerprint !== this.#paired.fingerprint)
      this.#change({ ...this.#paired, fingerprint });
    this.#options.host.log("info", "connected to the bridge", { bridge: this.#paired.id });
    this.#report(this.#paired.id, { reachable: true, connectionState: "CONNECTED" });
    this.#tried.resolve();
  }

  /** Says once why there is no connection, and again when the reason is another. */
  #complain(error: Error): void {
    const complaint = complaintOf(error);
    if (complaint === this.#complaint) return;
    this.#complaint = complaint;
    // The hub raises an alarm: something else may answer in the bridge's place.
    if (error instanceof OtherCertificate)
      this.#report(this.#paired.id, { reachable: false, connectionState: "CERTIFICATE" });
    this.#options.host.log("warn", complaint, { bridge: this.#paired.id, reason: error.message });
  }

  #lost(): void {
    this.#isOpen = false;
    for (const native of this.#descriptions.keys()) this.#report(native, { reachable: false });
    this.#tried.resolve();
  }

  /** An address may change with every lease. */
  async #seek(): Promise<void> {
    const origin = await this.#options.moved(this.#paired.id);
    if (origin === undefined || origin === this.#paired.origin || this.#stopped.signal.aborted) return;
    this.#http.close();
    this.#http = new BridgeHttp(origin, this.#paired.fingerprint);
    this.#change({ ...this.#paired, origin });
    this.#dialect = this.#newDialect();
  }

  #change(paired: PairedBridge): void {
    this.#paired = paired;
    this.#options.changed(paired);
  }

  #newDialect(): Dialect {
    const { key, api } = this.#paired;
    const { host, pollMs } = this.#options;
    return api === "v2"
      ? new V2Dialect(this.#http, key, host.clock)
      : new V1Dialect(this.#http, key, pollMs, host.clock);
  }

  #show(things: readonly Thing[]): void {
    const { groups, isForgotten } = this.#options;
    const { id } = this.#paired;
    const gone = new Set(this.#things.keys());
    let isNew = false;
    for (const thing of things) {
      const native = `${id}/${thing.id}`;
      if (isForgotten(native) || (thing.kind === "group" && !groups)) continue;
      gone.delete(native);
      this.#things.set(native, thing);
      isNew = this.#announce(descriptionOf(native, id, thing)) || isNew;
      this.#report(native, attributesOfThing(thing));
    }
    for (const native of gone) {
      this.#things.delete(native);
      this.#report(native, { reachable: false });
    }
    if (isNew) this.#store();
  }

  /** A press is told each time, also one like that before. */
  #pressed({ id, button, modifiers }: Press): void {
    const native = `${this.#paired.id}/${id}`;
    if (this.#descriptions.has(native))
      this.#options.host.report({ native, attributes: { button, modifiers: [...modifiers] } });
  }

  /** Stops showing a device. */
  drop(native: NativeId): void {
    this.#things.delete(native);
    this.#reported.delete(native);
    if (this.#descriptions.delete(native)) this.#store();
  }

  /** Returns whether it is new, or described otherwise than before. */
  #announce(description: DeviceDescription): boolean {
    const { native } = description;
    if (JSON.stringify(this.#descriptions.get(native)) === JSON.stringify(description)) return false;
    this.#descriptions.set(native, description);
    this.#options.host.announce(description);
    return true;
  }

  /** Reports what has changed. */
  #report(native: NativeId, attributes: Values): void {
    const before = this.#reported.get(native) ?? {};
    const news = Object.entries(attributes).filter(([name, value]) => before[name] !== value);
    if (news.length === 0) return;
    this.#reported.set(native, { ...before, ...attributes });
    this.#options.host.report({ native, attributes: Object.fromEntries(news) });
  }

  #stored(): readonly DeviceDescription[] {
    try {
      const text = this.#texts.get(describedKey(this.#paired.id)) ?? "[]";
      const all = JSON.parse(text) as readonly DeviceDescription[];
      return all.filter(({ native }) => !this.#options.isForgotten(native));
    } catch {
      return [];
    }
  }

  #store(): void {
    const lamps = [...this.#descriptions.values()].filter(({ native }) => native !== this.#paired.id);
    this.#texts.put(describedKey(this.#paired.id), JSON.stringify(lamps)).catch((error: unknown) =>
      this.#options.host.log("warn", "the lamps of a bridge were not stored", {
        reason: (error as Error).message,
      }),
    );
  }
}

function descriptionOf(native: NativeId, radio: string, thing: Thing): DeviceDescription {
  return thing.kind === "sensor" ? describeSensor(native, radio, thing) : describe(native, radio, thing);
}

function attributesOfThing(thing: Thing): Values {
  return thing.kind === "sensor" ? attributesOfSensor(thing) : attributesOf(thing);
}

function complaintOf(error: Error): string {
  if (error instanceof UnknownKey) return "the bridge has removed the hub's key: pair it again";
  if (error instanceof OtherCertificate)
    return "the bridge shows another certificate: pair it again if it was replaced";
  return "the bridge cannot be reached";
}

/** The bridge itself is a device: it shows whether it can be reached, and to remove it is to unpair it. */
function bridgeDescription({ id, name, model }: PairedBridge): DeviceDescription {
  return {
    native: id,
    radio: id,
    class: "VENDOR_HUB",
    capabilities: ["DEVICE"],
    name,
    manufacturer: "Signify",
    model,
  };
}
