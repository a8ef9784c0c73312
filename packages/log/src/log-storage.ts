import type { Upcasters } from "@ledge/model";
import type { EventLog } from "./event-log.ts";
import type { Sealing } from "./sealing.ts";

/** The storage of one log, empty at first. A test opens it once, or again after closing. */
export interface LogStorage {
  open(options?: { readonly upcasters?: Upcasters; readonly sealing?: Sealing }): Promise<EventLog>;
  /** Flips a bit of a part of a stored snapshot, `<slot>/<number>` or `<slot>/header`. The log must be closed. */
  damageSnapshot(part: string): Promise<void>;
  /** Closes what is open and removes what is stored. */
  remove(): Promise<void>;
}

/** Declares a test of the contract of logs. */
export type Run = (what: string, test: (storage: LogStorage) => Promise<void>) => void;
