import type { DeviceDescription, NativeId } from "@ledge/port";

export type Values = Readonly<Record<string, unknown>>;

/** A message to a device. */
export interface Sending {
  readonly topic: string;
  readonly payload: string;
  /** Whether the device will say what came of it. */
  readonly isAnswered: boolean;
}

/** What a source tells of its devices. */
export interface SourceHost {
  /** A device is there, or is described otherwise than before. */
  announce(device: DeviceDescription): void;
  report(native: NativeId, attributes: Values): void;
  /** Whether a device can be reached, as long as the broker can. */
  reach(native: NativeId, isReachable: boolean): void;
  /** A device is gone from the source. */
  gone(native: NativeId): void;
  /** Whether a device is one of the hub's. */
  has(native: NativeId): boolean;
  /** The devices that the hub has from before this start. */
  known(): Iterable<NativeId>;
  /** The last reported values of a device. */
  before(native: NativeId): Values;
  /** Listens to more topics. */
  listen(topics: readonly string[]): void;
  /** Listens no longer to topics that it has asked for. */
  leave(topics: readonly string[]): void;
}

/** Something on a broker that describes its devices there. What it says is not trusted. */
export interface Source {
  /** The topics to listen to from the start. */
  readonly topics: readonly string[];
  heard(topic: string, payload: Buffer): void;
  /**
   * Returns the messages that set attributes of a device; undefined for a device of another source, none where the
   * device takes none of them.
   */
  set(native: NativeId, attributes: Values): readonly Sending[] | undefined;
  /** A device was removed from the hub. */
  forget?(native: NativeId): Promise<void>;
  /** Ends its timers. */
  stop?(): void;
}

/** How much of a message is read, bytes; a bridge lists all of its devices in one. */
const mostBytes = 16_000_000;

/** Reads JSON; undefined for anything else. */
export function jsonOf(payload: Buffer): unknown {
  if (payload.length > mostBytes) return undefined;
  try {
    return JSON.parse(payload.toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns a text that is short enough for a name; null for none. */
export function wordOf(value: unknown, most = 64): string | null {
  return typeof value === "string" && value.trim() !== "" ? value.trim().slice(0, most) : null;
}
