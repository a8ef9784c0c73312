import type { Controller } from "zigbee-herdsman";

/**
 * Private parts of zigbee-herdsman for which there is no public way: its events omit devices outside its
 * table, the port stays open after a failed start, and a connection attempt cannot be aborted.
 */
export interface LibraryInside {
  adapterDisconnected: boolean;
  permitJoinTimer?: NodeJS.Timeout;
  /** Absent before a start. */
  readonly adapter?: StickAdapter;
}

/** The library's driver of a stick. Members that only some sticks have are optional. */
export interface StickAdapter {
  readonly hasZdoMessageOverhead: boolean;
  stop(): Promise<void>;
  on(event: "zclPayload", listener: (arrival: unknown) => void): unknown;
  on(event: "zdoResponse", listener: (cluster: number, response: unknown) => void): unknown;
  emit(event: "deviceJoined", join: { readonly ieeeAddr: string; readonly networkAddress: number }): unknown;
  sendZdo: SendZdo;
  sendZclFrameToEndpoint: Send;
  sendZclFrameToGroup: Send;
  sendZclFrameToAll: Send;
  /** @param keep devices to add from the last backup file if the stick has lost them. */
  backup?(
    keep: readonly string[],
  ): Promise<{ readonly devices: readonly { readonly ieeeAddress: Uint8Array }[] }>;
  readonly deviceAnnounceRouteDiscoveryDebouncers?: ReadonlyMap<number, { clear(): void }>;
  /** Sends that wait for a device's answer. */
  readonly waitress?: { resolve(answer: unknown): unknown };
  readonly oneWaitress?: { resolveZCL(answer: unknown): unknown };
  /** Of ember sticks. */
  readonly ezsp?: EmberInside;
  readonly znp?: { readonly socketPort?: Destroyable };
  readonly driver?: { readonly socketPort?: Destroyable; readonly tickTimer?: NodeJS.Timeout };
}

/** The library's protocol layer of ember sticks (EZSP). Statuses are 0 when all is well. */
export interface EmberInside {
  /** The command that waits for its response. */
  readonly responseWaiter?: { resolve(status: number): void; readonly timer: NodeJS.Timeout };
  ezspStartScan(type: number, channels: number, duration: number): Promise<number>;
  /** Called with the greatest power (dBm) on a channel. */
  ezspEnergyScanResultHandler: (channel: number, dbm: number) => void;
  ezspScanCompleteHandler: (channel: number, status: number) => void;
}

export type SendZdo = (
  ieee: string,
  nwk: number,
  cluster: number,
  payload: Buffer,
  disableResponse: boolean,
) => Promise<unknown>;

export type Send = (...args: readonly unknown[]) => Promise<unknown>;

interface Destroyable {
  destroy(): void;
}

/** Returns the addresses of a device in a ZDO message about it; undefined when that has none. */
export function addressesIn(
  message: unknown,
): { readonly ieee: string; readonly networkAddress: number } | undefined {
  const told: unknown = Array.isArray(message) ? message[1] : undefined;
  const { eui64: ieee, nwkAddress: networkAddress } = (told ?? {}) as {
    eui64?: unknown;
    nwkAddress?: unknown;
  };
  return typeof ieee === "string" && typeof networkAddress === "number"
    ? { ieee, networkAddress }
    : undefined;
}

export function insideOf(controller: Controller): LibraryInside {
  return controller as unknown as LibraryInside;
}

/** Clears timers that the library never clears, and that would keep the process alive for another minute. */
export function endTimers(controller: Controller): void {
  const debouncers = insideOf(controller).adapter?.deviceAnnounceRouteDiscoveryDebouncers;
  for (const debounced of debouncers?.values() ?? []) debounced.clear();
}
