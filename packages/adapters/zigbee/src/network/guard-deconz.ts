import type { EventEmitter } from "node:events";
import { around, guardedOf, type NetworkOptions } from "./permit.ts";

interface Driver extends EventEmitter {
  readonly networkOptions: NetworkOptions;
  readonly paramApsUseExtPanid: bigint;
  readonly paramNwkPanid: number;
  readonly deviceStatus: number;
  onPortClose: (error: unknown) => void;
  started: () => boolean;
}

interface DeconzAdapter extends EventEmitter {
  readonly driver: Driver;
  /** Shared by all adapters of the process. */
  readonly frameParserEvent: EventEmitter;
}

/** Emitted by a driver when its port cannot be opened. The library only tries again. */
const openFailed = Symbol("open failed");
/** The intervals that the constructor of an adapter has started. */
const intervals = Symbol("intervals");
const networkStateMask = 3;
const connected = 2;
/** The period of the last interval that the constructor starts. */
const lastIntervalMs = 1000;

/** Guards ConBee sticks: asks before a network is formed, and reports what the library hides. */
export async function guardDeconz(): Promise<void> {
  const library = await import("zigbee-herdsman/dist/adapter/deconz/driver/driver.js");
  const { prototype } = library.default.default;
  around(prototype, "isNetworkConfigurationValid", (driver: Driver, isValid) => {
    const matches = isValid() as boolean;
    const wanted = Buffer.from(driver.networkOptions.extendedPanID).readBigUInt64BE();
    const isOurs =
      driver.paramApsUseExtPanid === wanted && driver.paramNwkPanid === driver.networkOptions.panID;
    const isUp = (driver.deviceStatus & networkStateMask) === connected;
    guardedOf(driver.networkOptions).permit(isOurs ? "resume" : "form", !isOurs && isUp);
    return matches;
  });
  for (const open of ["openSocketPort", "openSerialPort"])
    around(prototype, open, (driver: Driver, opened) => {
      // The library hands this method to the socket without its driver; the process would end when that closes.
      driver.onPortClose = driver.onPortClose.bind(driver);
      const isOpen = opened() as Promise<unknown>;
      isOpen.catch((error: unknown) => driver.emit(openFailed, error));
      return isOpen;
    });
  const { DeconzAdapter: Adapter } =
    await import("zigbee-herdsman/dist/adapter/deconz/adapter/deconzAdapter.js");
  around(Adapter.prototype, "start", (adapter: DeconzAdapter, start) => started(adapter, start));
  // The first thing that the constructor calls.
  around(Adapter.prototype, "getStoredBackup", (adapter: DeconzAdapter, backup) => {
    watchIntervals(adapter);
    return backup();
  });
}

/** Ends what the library leaves behind when an adapter was stopped, so that nothing of it reacts to the next. */
export function endDeconz(adapter: object): void {
  if (!isDeconz(adapter)) return;
  for (const interval of adapter[intervals]) clearInterval(interval);
  adapter.driver.removeAllListeners();
  adapter.frameParserEvent.removeAllListeners();
  // Ends the wait of a start that was given up.
  adapter.driver.started = () => true;
}

type Watched = DeconzAdapter & { readonly [intervals]: NodeJS.Timeout[] };

function isDeconz(adapter: object): adapter is Watched {
  return intervals in adapter;
}

/** Starts an adapter. The library would try for twenty seconds, and never tell later that the stick is gone. */
async function started(adapter: DeconzAdapter, start: () => unknown): Promise<unknown> {
  const failed = Promise.withResolvers<never>();
  adapter.driver.once(openFailed, failed.reject);
  const result = await Promise.race([start(), failed.promise]);
  adapter.driver.once("close", () => adapter.emit("disconnected"));
  return result;
}

/** Collects the intervals that a constructor is about to start: the library keeps no handle of one of them. */
function watchIntervals(adapter: DeconzAdapter): void {
  const made: NodeJS.Timeout[] = [];
  Object.assign(adapter, { [intervals]: made });
  const { setInterval: real } = globalThis;
  const restore = (): void => void (globalThis.setInterval = real);
  globalThis.setInterval = ((callback: () => void, ms: number) => {
    const interval = real(callback, ms);
    made.push(interval);
    if (ms === lastIntervalMs) restore();
    return interval;
  }) as typeof setInterval;
  // The constructor ends before any other code runs.
  queueMicrotask(restore);
}
