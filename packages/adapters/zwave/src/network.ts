import { randomBytes } from "node:crypto";
import { type AdapterHost, settledWithin } from "@ledge/port";
import type { Driver } from "zwave-js";
import { Bindings } from "./bindings.ts";
import { shareDatabase } from "./device-database.ts";
import { guardFrames } from "./frame-guard.ts";
import { guardListening } from "./listening-guard.ts";
import { networkKeys } from "./keys.ts";
import { withPlainStacks } from "./plain-stacks.ts";
import { guardPort } from "./port-guard.ts";

/** How long until a stick is tried again, ms. */
const firstRetryMs = 1000;
const lastRetryMs = 60_000;
/**
 * How long the network may take to come up, ms: twice as long after each time that was too short. The library may wait
 * for a stick for ever, but a slow or busy machine cannot start it faster the next time.
 */
const firstPatienceMs = 45_000;
const lastPatienceMs = 180_000;

/** How long the library may take to end, ms. */
const destroyedWithinMs = 1000;

/** A driver, and what it alone has open. */
interface Opened {
  readonly driver: Driver;
  readonly bindings: Bindings;
}

/** Hears of the network. */
export interface NetworkListener {
  /** The network is up. @param giveUp ends the driver and opens the stick anew */
  opened(driver: Driver, giveUp: (reason: string) => void): void;
  /** The network is no longer up. */
  closed(reason: string): void;
  /** The stick could not be opened; it is tried again. */
  failed(): void;
}

/** Keeps the stick open: opens it, and opens it again whenever it was gone. */
export class Network {
  readonly #host: AdapterHost;
  readonly #path: string;
  readonly #key: string | undefined;
  readonly #listener: NetworkListener;
  #opened: Opened | undefined;
  #isUp = false;
  #isStopped = false;
  #retryMs = firstRetryMs;
  #patienceMs = firstPatienceMs;
  #cancelRetry = (): void => {};
  #cancelPatience = (): void => {};
  /** Settles when the last driver is gone; the next must not open the port before. */
  #gone: Promise<unknown> = Promise.resolve();

  /** @param key of the native API of the device with ESPHome that has the stick */
  constructor(host: AdapterHost, path: string, key: string | undefined, listener: NetworkListener) {
    this.#host = host;
    this.#path = path;
    this.#key = key;
    this.#listener = listener;
  }

  start(): void {
    void this.#open();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#end();
    await this.#gone;
  }

  async #open(): Promise<void> {
    await this.#gone;
    if (this.#isStopped) return;
    try {
      const opened = await this.#make();
      if (this.#isStopped) return;
      this.#opened = opened;
      const { driver } = opened;
      const isCurrent = (): boolean => this.#opened === opened;
      driver.on("error", (error) => isCurrent() && this.#failed(error.message));
      driver.on("driver ready", () => isCurrent() && this.#ready(driver));
      this.#cancelPatience = this.#host.clock.after(this.#patienceMs, () => {
        this.#patienceMs = Math.min(this.#patienceMs * 2, lastPatienceMs);
        if (isCurrent()) this.#failed("the stick does not answer");
      });
      // A driver that has failed already is tried again; its start may end later.
      await driver.start().catch((error: Error) => isCurrent() && this.#failed(error.message));
    } catch (error) {
      this.#failed((error as Error).message);
    }
  }

  /** The library is loaded here, so that a hub without a stick does without it. */
  async #make(): Promise<Opened> {
    const keys = await networkKeys(this.#host.store, (bytes) => randomBytes(bytes));
    const [library, { ConfigManager, embeddedDevicesDir }, { serial }, { db }, { fs }] = await Promise.all([
      withPlainStacks(() => import("zwave-js")),
      import("@zwave-js/config"),
      import("@zwave-js/serial/bindings/node"),
      import("@zwave-js/core/bindings/db/jsonl"),
      import("@zwave-js/core/bindings/fs/node"),
    ]);
    shareDatabase(ConfigManager, embeddedDevicesDir, fs);
    guardListening(library.ZWaveController);
    const bindings = new Bindings(serial, db, this.#host.clock);
    const secret = this.#key === undefined ? "" : `?key=${encodeURIComponent(this.#key)}`;
    const driver = new library.Driver(this.#path + secret, {
      ...keys,
      host: bindings.host,
      storage: { cacheDir: this.#host.folder, throttle: "slow" },
      // Its log names keys and codes.
      logConfig: { enabled: false },
      // Reports come from values; without this those that follow a command would be missing.
      emitValueUpdateAfterSetValue: true,
      // A port that is not there is tried again here; the library would hold it meanwhile.
      attempts: { openSerialPort: 1 } as object,
    });
    guardFrames(driver, ({ message }) =>
      this.#host.log("debug", "a frame of a device was dropped", { reason: message }),
    );
    guardPort(driver, () => {
      if (this.#opened?.driver === driver) this.#failed("the port is gone");
    });
    return { driver, bindings };
  }

  #ready(driver: Driver): void {
    this.#cancelPatience();
    this.#retryMs = firstRetryMs;
    // The library says it again after a reset of the stick.
    if (this.#isUp) this.#listener.closed("the stick was reset");
    this.#isUp = true;
    this.#listener.opened(driver, (reason) => {
      if (this.#opened?.driver === driver) this.#failed(reason);
    });
  }

  #failed(reason: string): void {
    if (this.#isStopped) return;
    const wasUp = this.#isUp;
    this.#host.log("warn", "the Z-Wave stick failed", { reason, port: this.#path });
    this.#end();
    if (wasUp) this.#listener.closed(reason);
    else this.#listener.failed();
    this.#cancelRetry();
    this.#cancelRetry = this.#host.clock.after(this.#retryMs, () => void this.#open());
    this.#retryMs = Math.min(this.#retryMs * 2, lastRetryMs);
  }

  #end(): void {
    const opened = this.#opened;
    this.#opened = undefined;
    this.#isUp = false;
    this.#cancelRetry();
    this.#cancelPatience();
    if (opened) this.#gone = this.#destroy(opened);
  }

  /** The library may wait for ever for an interview that is under way; port and cache are closed all the same. */
  async #destroy({ driver, bindings }: Opened): Promise<void> {
    await settledWithin(destroyedWithinMs, this.#host.clock, driver.destroy());
    await bindings.end();
  }
}
