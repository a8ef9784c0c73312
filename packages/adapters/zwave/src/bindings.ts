import { type AdapterClock, pause } from "@ledge/port";
import type { ZWaveSerialBinding, ZWaveSerialBindingFactory } from "@zwave-js/serial";
import type { ZWaveOptions } from "zwave-js";
import { keepCodesOut } from "./cached-codes.ts";

type Host = NonNullable<ZWaveOptions["host"]>;
type Serial = NonNullable<Host["serial"]>;
type DatabaseFactory = NonNullable<Host["db"]>;
type Database = ReturnType<DatabaseFactory["createInstance"]>;

/** How often and how long a port that a reset of the stick has closed is tried again, ms. */
const againMs = 500;
const backWithinMs = 10_000;

/**
 * What one driver opens: its port, and the files of its cache, which it locks. A driver may never end, for instance
 * while it asks a device what it is, and the library tries a lost port again even after its driver has ended. Either
 * would keep the stick or the cache from the driver that comes next.
 */
export class Bindings {
  readonly #serial: Serial;
  readonly #databases: DatabaseFactory;
  readonly #clock: AdapterClock;
  readonly #closing: (() => Promise<void>)[] = [];
  #port: ZWaveSerialBinding | undefined;
  readonly #ending = new AbortController();

  constructor(serial: Serial, databases: DatabaseFactory, clock: AdapterClock) {
    this.#serial = serial;
    this.#databases = databases;
    this.#clock = clock;
  }

  /** The option of the driver. What it opens after the end is refused with an error. */
  readonly host: Host = {
    serial: {
      createFactoryByPath: async (path) => {
        const open = await this.#serial.createFactoryByPath?.(path);
        if (open === undefined) throw new Error("the library opens no ports by path");
        return () => this.#opened(open);
      },
    },
    db: {
      createInstance: (name, options) => {
        this.#refuseAtEnd();
        const database = keepCodesOut(this.#databases.createInstance(name, options));
        closeOnce(database);
        this.#closing.push(() => database.close());
        return database;
      },
    },
  };

  /** Closes everything for good. */
  async end(): Promise<void> {
    this.#ending.abort();
    await this.#port?.sink.abort?.();
    await Promise.all(this.#closing.map((close) => close()));
  }

  async #opened(open: ZWaveSerialBindingFactory): Promise<ZWaveSerialBinding> {
    this.#refuseAtEnd();
    this.#port = await (this.#port === undefined ? open() : this.#reopened(open));
    if (this.#ending.signal.aborted) await this.end();
    this.#refuseAtEnd();
    return this.#port;
  }

  /**
   * A driver opens its port again when its reset of the stick has closed that, as with sticks of the 500 series on USB. The
   * library tries only once: a new driver would reset the stick again, and so for ever.
   */
  async #reopened(open: ZWaveSerialBindingFactory): Promise<ZWaveSerialBinding> {
    for (let left = backWithinMs; ; left -= againMs) {
      try {
        return await open();
      } catch (error) {
        if (left <= 0 || this.#ending.signal.aborted) throw error;
        await pause(this.#clock, againMs, this.#ending.signal);
      }
    }
  }

  #refuseAtEnd(): void {
    if (this.#ending.signal.aborted) throw new Error("this driver has ended");
  }
}

/** Lets each call of `close` wait for the first, where the database's own returns at once with its lock still held. */
function closeOnce(database: Database): void {
  const close = database.close.bind(database);
  let closed: Promise<void> | undefined;
  database.close = async () => await (closed ??= close());
}
