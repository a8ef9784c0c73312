import type { Identity } from "@ledge/mbus";
import type { NativeId } from "@ledge/port";
import type { Reading } from "./meter-map.ts";
import type { MeterSettings } from "./settings.ts";

/** Called with a meter at once, and again with its reading. */
export type OnFound = (meter: Identity, reading?: Reading) => void;

/** Where meters are: a bus, or what a receiver hears. */
export interface Place {
  readonly name: string;
  start(): void;
  stop(): Promise<void>;
  add(native: NativeId, settings: MeterSettings): void;
  forget(native: NativeId): void;
  /** Reads a meter now. @throws AdapterError */
  read(native: NativeId, signal: AbortSignal): Promise<void>;
  /** Finds meters until it has found all, or the signal is aborted. @throws AdapterError */
  search(signal: AbortSignal, onFound: OnFound): Promise<void>;
}

export interface PlaceEvents {
  /** Called with each reading of a meter. */
  readonly onReading: (native: NativeId, reading: Reading) => void;
  /** Called when a meter falls silent, or its place is lost. */
  readonly onUnreachable: (native: NativeId) => void;
}
