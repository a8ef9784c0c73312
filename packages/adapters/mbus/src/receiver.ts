import { decodeWireless, fromHex, type Identity, MbusError, type WirelessTelegram } from "@ledge/mbus";
import { AdapterError, type AdapterHost, type NativeId } from "@ledge/port";
import type { LineSource } from "@ledge/serial";
import { type Reading, readingOf } from "./meter-map.ts";
import type { OnFound, Place, PlaceEvents } from "./place.ts";
import type { MeterSettings, ReceiverSettings } from "./settings.ts";

interface Meter {
  readonly native: NativeId;
  readonly settings: MeterSettings;
  /** When it was last heard and last told of, ms since the epoch. */
  heardAt: number;
  toldAt: number;
  isReachable: boolean | undefined;
  /** What was last logged of it, so that a wrong key is not told with each frame. */
  complaint: string;
}

export interface ReceiverOptions extends PlaceEvents {
  readonly settings: ReceiverSettings;
  readonly source: LineSource;
  readonly host: AdapterHost;
}

/** How often the receiver looks who has fallen silent. */
const lookMs = 60_000;

/** Wireless meters, which send by themselves, as a receiver hears them. */
export class Receiver implements Place {
  readonly name: string;
  readonly #options: ReceiverOptions;
  readonly #meters = new Map<NativeId, Meter>();
  readonly #searches = new Set<OnFound>();
  #stopTimer: () => void = () => {};

  constructor(options: ReceiverOptions) {
    this.#options = options;
    this.name = options.settings.name;
  }

  start(): void {
    const { source, host } = this.#options;
    source.start({
      onLine: (line) => this.#hear(line),
      onChange: (isUp, reason) => {
        if (isUp) host.log("info", "receiver open", { receiver: this.name });
        else host.log("warn", "receiver lost", { receiver: this.name, reason });
        if (!isUp) for (const meter of this.#meters.values()) this.#lose(meter);
      },
    });
    this.#look();
  }

  async stop(): Promise<void> {
    this.#stopTimer();
    await this.#options.source.stop();
  }

  add(native: NativeId, settings: MeterSettings): void {
    const heardAt = this.#options.host.clock.now();
    this.#meters.set(native, {
      native,
      settings,
      heardAt,
      toldAt: -Infinity,
      isReachable: undefined,
      complaint: "",
    });
  }

  forget(native: NativeId): void {
    this.#meters.delete(native);
  }

  async read(): Promise<void> {
    throw new AdapterError("unsupported", "a wireless meter sends by itself: it cannot be asked");
  }

  /** Tells of every meter that is heard until the signal is aborted. */
  search(signal: AbortSignal, onFound: OnFound): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    this.#searches.add(onFound);
    return new Promise((resolve) => {
      signal.addEventListener(
        "abort",
        () => {
          this.#searches.delete(onFound);
          resolve();
        },
        { once: true },
      );
    });
  }

  #hear(line: string): void {
    const { host, settings } = this.#options;
    let heard: WirelessTelegram | undefined;
    let meter: Meter | undefined;
    try {
      const bytes = frameIn(line);
      if (bytes === undefined) return;
      heard = decodeWireless(bytes, {
        ...(settings.format !== undefined && { format: settings.format }),
        keyOf: (sender) => {
          meter = this.#meterOf(sender);
          return meter?.settings.key;
        },
      });
    } catch (error) {
      if (!(error instanceof MbusError)) throw error;
      this.#complain(meter, error.message);
      return;
    }
    const reading = readingIn(heard);
    const sender = reading?.meter ?? heard.sender;
    meter = this.#meterOf(sender) ?? this.#meterOf(heard.sender);
    if (meter !== undefined) this.#take(meter, reading);
    else if (reading !== undefined && reading.capabilities.length > 1)
      for (const onFound of this.#searches) onFound(sender, reading);
    else host.log("debug", "heard a meter without readable values", { receiver: this.name, id: sender.id });
  }

  #take(meter: Meter, reading: Reading | undefined): void {
    const { host, settings, onReading } = this.#options;
    const now = host.clock.now();
    meter.heardAt = now;
    if (reading === undefined) return this.#complain(meter, "the telegram is encrypted, and there is no key");
    meter.complaint = "";
    // A clock that was set back makes the last report one of the future.
    const isRecent = now >= meter.toldAt && now - meter.toldAt < settings.reportEveryMs;
    if (isRecent && meter.isReachable) return;
    meter.toldAt = now;
    meter.isReachable = true;
    onReading(meter.native, reading);
  }

  #complain(meter: Meter | undefined, complaint: string): void {
    const { host } = this.#options;
    if (meter === undefined)
      return host.log("debug", "cannot read a frame", { receiver: this.name, reason: complaint });
    if (meter.complaint !== complaint)
      host.log("warn", "cannot read a meter", { meter: meter.native, reason: complaint });
    meter.complaint = complaint;
  }

  #meterOf({ id, manufacturer, version, medium }: Identity): Meter | undefined {
    return [...this.#meters.values()].find(({ settings: { address } }) => {
      if (typeof address === "number" || address.id !== id) return false;
      const {
        manufacturer: maker = manufacturer,
        version: wanted = version,
        medium: kind = medium,
      } = address;
      return maker === manufacturer && wanted === version && kind === medium;
    });
  }

  #look(): void {
    const { host, settings } = this.#options;
    for (const meter of this.#meters.values())
      if (host.clock.now() - meter.heardAt > settings.silentAfterMs) this.#lose(meter);
    this.#stopTimer = host.clock.after(Math.min(lookMs, settings.silentAfterMs), () => this.#look());
  }

  #lose(meter: Meter): void {
    if (meter.isReachable === false) return;
    meter.isReachable = false;
    this.#options.onUnreachable(meter.native);
  }
}

/**
 * Returns the frame of a line: hexadecimal digits, as the last of fields between semicolons, with or without 0x. Undefined for
 * an empty line and for a remark.
 */
export function frameIn(line: string): Uint8Array | undefined {
  const field = line.split(";").at(-1)?.trim() ?? "";
  if (field === "" || line.trimStart().startsWith("#")) return undefined;
  return fromHex(field.replace(/^0x/i, ""));
}

/** Returns what a telegram says; undefined if it is encrypted. */
function readingIn({ telegram }: WirelessTelegram): Reading | undefined {
  if (telegram === undefined) return undefined;
  const isHidden = telegram.kind === "variable" && telegram.encryption?.isDecrypted === false;
  return isHidden ? undefined : readingOf([telegram]);
}
