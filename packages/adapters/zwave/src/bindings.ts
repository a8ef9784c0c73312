import type { ZWaveSerialBinding, ZWaveSerialBindingFactory } from "@zwave-js/serial";
import type { ZWaveOptions } from "zwave-js";
import { keepCodesOut } from "./cached-codes.ts";

type Host = NonNullable<ZWaveOptions["host"]>;
type Serial = NonNullable<Host["serial"]>;
type DatabaseFactory = NonNullable<Host["db"]>;
type Database = ReturnType<DatabaseFactory["createInstance"]>;

/**
 * What one driver opens: its port, and the files of its cache, which it locks. A driver may never end, for instance
 * while it asks a device what it is, and the library tries a lost port again even after its driver has ended. Either
 * would keep the stick or the cache from the driver that comes next.
 */
export class Bindings {
  readonly #serial: Serial;
  readonly #databases: DatabaseFactory;
  readonly #closing: (() => Promise<void>)[] = [];
  #port: ZWaveSerialBinding | undefined;
  #isEnded = false;

  constructor(serial: Serial, databases: DatabaseFactory) {
    this.#serial = serial;
    this.#databases = databases;
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
    this.#isEnded = true;
    await this.#port?.sink.abort?.();
    await Promise.all(this.#closing.map((close) => close()));
  }

  async #opened(open: ZWaveSerialBindingFactory): Promise<ZWaveSerialBinding> {
    this.#refuseAtEnd();
    this.#port = await open();
    if (this.#isEnded) await this.end();
    this.#refuseAtEnd();
    return this.#port;
  }

  #refuseAtEnd(): void {
    if (this.#isEnded) throw new Error("this driver has ended");
  }
}

/** Lets each call of `close` wait for the first, where the database's own returns at once with its lock still held. */
function closeOnce(database: Database): void {
  const close = database.close.bind(database);
  let closed: Promise<void> | undefined;
  database.close = async () => await (closed ??= close());
}
