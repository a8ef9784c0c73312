import type { Controller } from "zigbee-herdsman";

/**
 * What zigbee-herdsman calls private and there is no other way to: its events leave out whoever is not in its table,
 * the port stays open after a start that failed, and a connection that is being made is not given up.
 */
export interface LibraryInside {
  adapterDisconnected: boolean;
  permitJoinTimer?: NodeJS.Timeout;
  /** None before a start. */
  readonly adapter?: StickAdapter;
}

/** The library's driver of a stick. What only some kinds have is optional. */
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
  readonly deviceAnnounceRouteDiscoveryDebouncers?: ReadonlyMap<number, { clear(): void }>;
  readonly znp?: { readonly socketPort?: Destroyable };
  readonly driver?: { readonly socketPort?: Destroyable; readonly tickTimer?: NodeJS.Timeout };
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

export function insideOf(controller: Controller): LibraryInside {
  return controller as unknown as LibraryInside;
}

/** The library's timers that nothing of its own ends, and that keep a process for another minute. */
export function endTimers(controller: Controller): void {
  const debouncers = insideOf(controller).adapter?.deviceAnnounceRouteDiscoveryDebouncers;
  for (const debounced of debouncers?.values() ?? []) debounced.clear();
}
