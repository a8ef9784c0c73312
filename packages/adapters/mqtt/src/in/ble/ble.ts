import { type Advertisement, BleError, decodeAdvertisement, fromHex, type Reading, toHex } from "@ledge/ble";
import {
  AdapterError,
  type AdapterHost,
  type AnswerRequest,
  type NativeId,
  type Pairing,
  refuseSetting,
} from "@ledge/port";
import type { Sending, Source, SourceHost } from "../source.ts";
import { type Sighting, sightingIn } from "./message.ts";
import { Repetitions } from "./repetitions.ts";
import { attributesOf, describe, grown, keySetting, pressesOf, type Sensor } from "./sensor.ts";
import { fitsFilter } from "./topic-filter.ts";

/** Sensors in the air that are no devices: those of neighbours, too. */
const mostStrangers = 256;
/** Sensors advertise every second: a level is reported as often as this at most. */
const quietMs = 10_000;
/** A sensor that measures all the time is away when it was silent for this long. */
const silentMs = 3_600_000;
const sweepMs = 600_000;
/** MiBeacon tells of motion, not of its end. */
const motionMs = 60_000;
/** A counter starts again with a new battery. */
const restartedBelow = 100;
/** How often the counter of a sensor is stored: each is a write, and a replay from before the last one is refused over a restart. */
const counterStoredMs = 3_600_000;

/** What is known of a sensor since the start. */
interface Heard {
  sensor: Sensor;
  /** The last counter of an encrypted advertisement. */
  counter: number;
  at: number;
  readonly repetitions: Repetitions;
  /** When each attribute was last reported. */
  readonly reported: Map<string, number>;
  /** When its counter was stored. */
  countedAt: number;
  /** The key does not fit, or there is none, and somebody was told. */
  isComplained: boolean;
}

const nativeOf = (address: string): NativeId => `ble/${address}`;
const sensorKey = (address: string): string => `ble/${address}`;
const bindKeyKey = (address: string): string => `ble-key/${address}`;
const counterKey = (address: string): string => `ble-counter/${address}`;

/**
 * Bluetooth LE sensors by the advertisements that gateways pass on. A sensor becomes a device when a scan has found it
 * and somebody keeps it: the air is full of those of others.
 */
export class BleSensors implements Source {
  readonly topics: readonly string[];
  readonly #host: SourceHost;
  readonly #adapter: AdapterHost;
  /** By address, the one heard last at the end. */
  readonly #heard = new Map<string, Heard>();
  /** Ends the motion of sensors that do not tell its end. */
  readonly #endMotion = new Map<NativeId, () => void>();
  #isOpen = false;
  #endWindow: () => void = () => {};
  #endSweep: () => void = () => {};

  constructor(topics: readonly string[], host: SourceHost, adapter: AdapterHost) {
    this.topics = topics;
    this.#host = host;
    this.#adapter = adapter;
    this.#sweep();
    // Nobody knows whether the last run has seen the end of a motion.
    for (const native of host.known()) {
      const sensor = native.startsWith("ble/") ? this.#stored(native.slice("ble/".length)) : undefined;
      if (sensor?.format === "mibeacon" && describe(native, sensor).capabilities.includes("MOTION"))
        this.#endMotionLater(native);
    }
  }

  heard(topic: string, payload: Buffer): void {
    if (!this.topics.some((filter) => fitsFilter(topic, filter))) return;
    const sighting = sightingIn(topic, payload);
    if (sighting === undefined) return;
    const reading = this.#read(sighting);
    if (reading !== undefined) this.#take(sighting, reading);
  }

  set(native: NativeId): readonly Sending[] | undefined {
    return native.startsWith("ble/") ? [] : undefined;
  }

  async forget(native: NativeId): Promise<void> {
    const address = native.slice("ble/".length);
    if (!native.startsWith("ble/") || this.#stored(address) === undefined) return;
    await this.#adapter.store.put(sensorKey(address), null);
    await this.#adapter.store.put(bindKeyKey(address), null);
    if (this.#adapter.store.get(counterKey(address)) !== undefined)
      await this.#adapter.store.put(counterKey(address), null);
  }

  stop(): void {
    this.#endWindow();
    this.#endSweep();
    for (const end of this.#endMotion.values()) end();
  }

  readonly pairing: Pairing = {
    open: async (windowMs) => {
      this.#endWindow();
      this.#isOpen = true;
      this.#endWindow = this.#adapter.clock.after(windowMs, () => (this.#isOpen = false));
      for (const { sensor } of this.#heard.values()) this.#find(sensor);
    },
    close: async () => {
      this.#endWindow();
      this.#isOpen = false;
    },
    keep: async (native) => {
      const address = native.slice("ble/".length);
      const sensor = this.#heard.get(address)?.sensor ?? this.#stored(address);
      if (!native.startsWith("ble/") || sensor === undefined)
        throw new AdapterError("refused", `no sensor ${native}`);
      await this.#adapter.store.put(sensorKey(address), sensor);
      // It may have been forgotten before.
      this.#host.gone(native);
      this.#host.announce(describe(native, sensor));
      this.#host.reach(native, true);
    },
    discard: async () => {},
  };

  /** SET_CONFIGURATION {native, parameters}: takes the key of an encrypted sensor. An empty one forgets it. */
  readonly configure: AnswerRequest = async ({ native, parameters }) => {
    const address = String(native).slice("ble/".length);
    if (this.#stored(address) === undefined) throw new AdapterError("refused", `no sensor ${String(native)}`);
    const key = (parameters as Readonly<Record<string, unknown>> | undefined)?.[keySetting];
    if (key === undefined) return true;
    if (typeof key !== "string" || !/^(?:[0-9a-f]{32})?$/i.test(key))
      refuseSetting(keySetting, "must have 32 hexadecimal digits");
    await this.#adapter.store.put(bindKeyKey(address), key === "" ? null : key.toLowerCase());
    const heard = this.#heard.get(address);
    if (heard !== undefined) heard.isComplained = false;
    return true;
  };

  #stored(address: string): Sensor | undefined {
    return (this.#adapter.store.get(sensorKey(address)) ?? undefined) as Sensor | undefined;
  }

  #keyOf(address: string): Uint8Array | undefined {
    const key = this.#adapter.store.get(bindKeyKey(address));
    return typeof key === "string" ? fromHex(key) : undefined;
  }

  /** Returns what an advertisement says; one that cannot be decrypted says who it comes from. */
  #read({ address, advertisement }: Sighting): Reading | undefined {
    try {
      return decodeAdvertisement(advertisement, address, this.#keyOf(address));
    } catch (error) {
      if (!(error instanceof BleError)) throw error;
      if (error.code !== "locked" && error.code !== "key") return undefined;
      const isNew = !this.#heard.has(address);
      const heard = this.#hear(address, advertisement.name, lockedReading(advertisement));
      if (!heard.isComplained && this.#host.has(nativeOf(address)))
        this.#adapter.log("warn", "a sensor cannot be decrypted", { address, reason: error.message });
      heard.isComplained = true;
      if (isNew) this.#find(heard.sensor);
      return undefined;
    }
  }

  #hear(address: string, name: string | null, reading: Reading): Heard {
    const heard = this.#heard.get(address) ?? {
      sensor: grown(this.#stored(address), address, name, reading),
      counter: this.#counterOf(address),
      countedAt: Number.NEGATIVE_INFINITY,
      at: 0,
      repetitions: new Repetitions(),
      reported: new Map(),
      isComplained: false,
    };
    this.#heard.delete(address);
    this.#heard.set(address, heard);
    heard.at = this.#adapter.clock.now();
    if (this.#heard.size > mostStrangers) this.#dropStranger();
    return heard;
  }

  #dropStranger(): void {
    for (const address of this.#heard.keys()) {
      if (this.#host.has(nativeOf(address))) continue;
      this.#heard.delete(address);
      return;
    }
  }

  #take({ address, advertisement }: Sighting, reading: Reading): void {
    const native = nativeOf(address);
    const isDevice = this.#host.has(native);
    const heard = this.#hear(address, advertisement.name, reading);
    if (isDevice) this.#host.reach(native, true);
    const { packet, counter } = reading;
    const isNumbered = packet !== undefined || counter !== undefined;
    if (heard.repetitions.has(bytesOf(advertisement), isNumbered, heard.at)) return;
    if (counter !== undefined) {
      if (counter < heard.counter && counter >= restartedBelow) return;
      heard.counter = counter;
      if (isDevice) this.#storeCounter(address, heard);
    }
    heard.isComplained = false;
    const sensor = grown(heard.sensor, address, advertisement.name, reading);
    const isNews = sensor !== heard.sensor;
    heard.sensor = sensor;
    if (!isDevice) {
      this.#find(sensor);
      return;
    }
    const stored = this.#stored(address);
    if (isNews || JSON.stringify(stored) !== JSON.stringify(sensor)) this.#keep(native, sensor);
    this.#report(native, heard, reading);
  }

  #report(native: NativeId, heard: Heard, reading: Reading): void {
    const { sensor, reported, at } = heard;
    const before = this.#host.before(native);
    const due = Object.entries(attributesOf(reading, sensor)).filter(
      ([name, value]) =>
        (typeof value === "boolean" && value !== before[name]) || at - (reported.get(name) ?? 0) >= quietMs,
    );
    for (const [name] of due) reported.set(name, at);
    if (due.length > 0) this.#host.report(native, Object.fromEntries(due));
    for (const press of pressesOf(reading)) this.#host.report(native, press);
    if (sensor.format !== "mibeacon" || !due.some(([name, value]) => name === "motion" && value === true))
      return;
    this.#endMotionLater(native);
  }

  #endMotionLater(native: NativeId): void {
    this.#endMotion.get(native)?.();
    const end = this.#adapter.clock.after(motionMs, () => {
      this.#endMotion.delete(native);
      this.#host.report(native, { motion: false });
    });
    this.#endMotion.set(native, end);
  }

  #counterOf(address: string): number {
    const counter = this.#adapter.store.get(counterKey(address));
    return typeof counter === "number" ? counter : -1;
  }

  #storeCounter(address: string, heard: Heard): void {
    if (heard.at - heard.countedAt < counterStoredMs) return;
    heard.countedAt = heard.at;
    const { store, log } = this.#adapter;
    store
      .put(counterKey(address), heard.counter)
      .catch((error: unknown) =>
        log("warn", "a counter was not stored", { address, reason: (error as Error).message }),
      );
  }

  #find(sensor: Sensor): void {
    const native = nativeOf(sensor.address);
    if (!this.#isOpen || this.#host.has(native)) return;
    const description = describe(native, sensor);
    this.#adapter.found({ native, description, status: "COMPLETE", actionRequired: false, help: null });
  }

  #keep(native: NativeId, sensor: Sensor): void {
    this.#host.announce(describe(native, sensor));
    const { store, log } = this.#adapter;
    store
      .put(sensorKey(sensor.address), sensor)
      .catch((error: unknown) =>
        log("warn", "a sensor was not stored", { native, reason: (error as Error).message }),
      );
  }

  /** Says of sensors that measure all the time when they have become silent. */
  #sweep(): void {
    const { clock } = this.#adapter;
    this.#endSweep = clock.after(sweepMs, () => this.#sweep());
    for (const [address, { sensor, at }] of this.#heard) {
      const isTalker = sensor.values.some(
        ({ name, fieldType }) => fieldType === "NUMBER" && name !== "battery",
      );
      if (isTalker && clock.now() - at >= silentMs) this.#host.reach(nativeOf(address), false);
    }
  }
}

function lockedReading({ services }: Advertisement): Reading {
  const isBthome = services.has(0xfcd2);
  return {
    format: isBthome ? "bthome" : "mibeacon",
    model: null,
    isEncrypted: true,
    isTriggered: false,
    measurements: [],
    events: [],
  };
}

function bytesOf({ services, manufacturers }: Advertisement): string {
  return [...services.values(), ...manufacturers.values()].map((bytes) => toHex(bytes)).join("/");
}
