import {
  Master,
  MasterFault,
  MasterLine,
  type Identity,
  searchSecondary,
  type SecondaryAddress,
  type Telegram,
} from "@ledge/mbus";
import { AdapterError, type AdapterHost, type NativeId, reopenDelay, settledWithin } from "@ledge/port";
import { readAtSpeed } from "./meter-speed.ts";
import { readDelay } from "./read-delay.ts";
import { readingOf } from "./meter-map.ts";
import type { OnFound, Place, PlaceEvents } from "./place.ts";
import type { MeterSettings, PortSettings } from "./settings.ts";
import { openWire, reopenMostMs, type Wire } from "./wire.ts";

export interface StationOptions extends PlaceEvents {
  readonly port: PortSettings;
  readonly host: AdapterHost;
  /** 0..1, spreads reconnections. */
  readonly random: () => number;
}

interface Meter {
  readonly native: NativeId;
  readonly settings: MeterSettings;
  /** When it is read next, ms since the epoch. */
  nextAt: number;
  failures: number;
  isReachable: boolean | undefined;
}

/** Work for the bus besides regular readings: commands of users, and searches. */
interface Job {
  readonly run: (master: Master) => Promise<void>;
  readonly fail: (error: AdapterError) => void;
}

/** Searching ends with silence, so that it need not ask three times as a reading does. */
const searchTries = 2;
/** Waiting for closing a port is in vain after this time. */
const closeMs = 2000;

/** One bus: its connection, which it reopens for as long as it takes, and its meters, which it reads when they are due. */
export class Station implements Place {
  readonly name: string;
  readonly port: PortSettings;
  readonly #options: StationOptions;
  readonly #meters = new Map<NativeId, Meter>();
  readonly #stopping = new AbortController();
  readonly #urgent: Job[] = [];
  readonly #searches: Job[] = [];
  #reading: MeterSettings | undefined;
  #connection: { readonly wire: Wire; readonly line: MasterLine; readonly master: Master } | undefined;
  #attempt = 0;
  #opening: Promise<void> = Promise.resolve();
  #isOpening = false;
  #wasUp: boolean | undefined;
  #stopTimer: () => void = () => {};
  #wake: () => void = () => {};

  constructor(options: StationOptions) {
    this.#options = options;
    this.port = options.port;
    this.name = options.port.name;
  }

  start(): void {
    this.#opening = this.#open();
  }

  /** Closes the bus. Pending work fails with `stopped`. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#stopTimer();
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.line.close("the adapter stops");
    this.#failJobs(new AdapterError("stopped", "the adapter has stopped"));
    this.#wake();
    const closed = Promise.all([this.#opening, connection?.wire.close()]);
    await settledWithin(closeMs, this.#options.host.clock, closed);
  }

  add(native: NativeId, settings: MeterSettings): void {
    const nextAt = this.#options.host.clock.now();
    this.#meters.set(native, { native, settings, nextAt, failures: 0, isReachable: undefined });
    this.#wake();
  }

  forget(native: NativeId): void {
    this.#meters.delete(native);
  }

  /** Reads a meter now, before those that are due. @throws AdapterError */
  read(native: NativeId, signal: AbortSignal): Promise<void> {
    return this.#do(this.#urgent, signal, async (master) => {
      const meter = this.#meters.get(native);
      if (meter === undefined) throw new AdapterError("refused", `no meter ${native}`);
      await this.#read(master, meter, signal);
    });
  }

  /**
   * Finds the meters of the bus by masks, and reads each.
   * @param onFound called with a meter at once, and again with its reading
   * @throws AdapterError
   */
  search(signal: AbortSignal, onFound: OnFound): Promise<void> {
    return this.#do(this.#searches, signal, async () => {
      const line = this.#connection?.line;
      if (line === undefined) throw new AdapterError("unreachable", "the bus is down");
      const master = new Master(line, { tries: searchTries });
      const { meters, collisions, unreadable } = await searchSecondary(master, signal, (meter) =>
        onFound(meter),
      );
      const { host, port } = this.#options;
      for (const id of collisions)
        host.log("warn", "several meters have the same id", { port: port.name, id });
      for (const { id, reason } of unreadable)
        host.log("warn", "cannot read a meter", { port: port.name, id, reason });
      for (const meter of meters) {
        const { id, manufacturer, version, medium } = meter;
        const address: SecondaryAddress = { id, manufacturer, version, medium };
        try {
          onFound(meter, readingOf(await master.read(address, signal)));
        } catch (error) {
          if (isEnd(error)) throw error;
          host.log("warn", "cannot read a meter", { port: port.name, id, reason: (error as Error).message });
        }
      }
    });
  }

  #do(queue: Job[], signal: AbortSignal, run: (master: Master) => Promise<void>): Promise<void> {
    if (signal.aborted) return Promise.reject(new AdapterError("cancelled", "nobody waits"));
    if (this.#stopping.signal.aborted)
      return Promise.reject(new AdapterError("stopped", "the adapter has stopped"));
    if (this.#connection === undefined && !this.#isOpening)
      return Promise.reject(new AdapterError("unreachable", "the bus is down"));
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        const at = queue.indexOf(job);
        if (at >= 0) queue.splice(at, 1);
        job.fail(new AdapterError("cancelled", "nobody waits"));
      };
      const settle = (done: () => void): void => {
        signal.removeEventListener("abort", onAbort);
        done();
      };
      const job: Job = {
        run: async (master) => {
          try {
            await run(master);
            settle(resolve);
          } catch (error) {
            job.fail(commandError(error, this.#stopping.signal.aborted));
          }
        },
        fail: (error) => settle(() => reject(error)),
      };
      signal.addEventListener("abort", onAbort, { once: true });
      queue.push(job);
      this.#wake();
    });
  }

  async #open(): Promise<void> {
    const { host, port } = this.#options;
    this.#isOpening = true;
    try {
      const ends: { receive: (bytes: Uint8Array) => void } = { receive: () => {} };
      const onBytes = (bytes: Uint8Array): void => ends.receive(bytes);
      const wire = await openWire(port, host.clock, onBytes, this.#stopping.signal);
      const { latencyMs, transport } = port;
      const write = (bytes: Uint8Array): void => wire.write(bytes);
      const line = new MasterLine({ write, clock: host.clock, baudRate: transport.baudRate, latencyMs });
      ends.receive = (bytes) => line.receive(bytes);
      const keyOf = ({ id }: Identity): Uint8Array | undefined => this.#keyOf(id);
      const connection = { wire, line, master: new Master(line, { keyOf }) };
      if (this.#stopping.signal.aborted) return await wire.close();
      this.#connection = connection;
      if (this.#wasUp !== true) host.log("info", "bus open", { port: port.name });
      this.#wasUp = true;
      void wire.closed.then(() => this.#lost(connection.line));
      for (const meter of this.#meters.values())
        if (meter.isReachable !== true) meter.nextAt = host.clock.now();
      void this.#work(connection.line, connection.master);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      if (this.#wasUp !== false)
        host.log("warn", "cannot open the bus", { port: port.name, reason: (error as Error).message });
      this.#down();
    } finally {
      this.#isOpening = false;
    }
  }

  /** The key of a meter. A meter that is read by its address is the only one of the bus that answers then. */
  #keyOf(id: string): Uint8Array | undefined {
    const meters = [...this.#meters.values()]
      .map(({ settings }) => settings)
      .filter(({ key }) => key !== undefined);
    const bySerial = meters.find(({ address }) => typeof address !== "number" && address.id === id);
    return (bySerial ?? this.#reading)?.key;
  }

  #lost(line: MasterLine): void {
    line.close("the bus was lost");
    if (this.#connection?.line !== line) return;
    this.#connection = undefined;
    this.#options.host.log("warn", "bus lost", { port: this.port.name });
    this.#down();
  }

  /** The bus is down: so are its meters. */
  #down(): void {
    const { host, random, onUnreachable } = this.#options;
    this.#wasUp = false;
    this.#failJobs(new AdapterError("unreachable", "the bus is down"));
    for (const meter of this.#meters.values()) {
      if (meter.isReachable !== false) onUnreachable(meter.native);
      meter.isReachable = false;
    }
    this.#stopTimer = host.clock.after(reopenDelay(this.#attempt, random(), reopenMostMs), () =>
      this.start(),
    );
    this.#attempt += 1;
    this.#wake();
  }

  #failJobs(error: AdapterError): void {
    for (const job of [...this.#urgent.splice(0), ...this.#searches.splice(0)]) job.fail(error);
  }

  /** Does one thing after the other: commands, meters that are due, searches. */
  async #work(line: MasterLine, master: Master): Promise<void> {
    const { host } = this.#options;
    while (this.#connection?.line === line) {
      const now = host.clock.now();
      const due = [...this.#meters.values()].toSorted((a, b) => a.nextAt - b.nextAt)[0];
      const job =
        this.#urgent.shift() ?? (due !== undefined && due.nextAt <= now ? undefined : this.#searches.shift());
      if (job !== undefined) await job.run(master);
      else if (due !== undefined && due.nextAt <= now) await this.#read(master, due).catch(() => {});
      else await this.#idle(due === undefined ? undefined : due.nextAt - now);
    }
  }

  #idle(ms: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      let stopTimer = (): void => {};
      this.#wake = () => {
        stopTimer();
        resolve();
      };
      // A timer holds at most 24 days.
      if (ms !== undefined)
        stopTimer = this.#options.host.clock.after(Math.min(ms, 2 ** 31 - 1), () => this.#wake());
    });
  }

  async #change(baudRate: number): Promise<void> {
    if (this.#connection === undefined) return;
    await this.#connection.wire.setBaudRate(baudRate);
    this.#connection.line.baudRate = baudRate;
  }

  async #read(master: Master, meter: Meter, signal?: AbortSignal): Promise<void> {
    const { host, port, onReading, onUnreachable } = this.#options;
    const { address, readEveryMs = port.readEveryMs } = meter.settings;
    const inMs = (ms: number): number => host.clock.now() + ms;
    this.#reading = meter.settings;
    try {
      const line = {
        master,
        baudRate: port.transport.baudRate,
        change: (rate: number) => this.#change(rate),
      };
      const read = async (): Promise<readonly Telegram[]> => {
        // From here on the first telegram is next, whatever was read before.
        if (typeof address === "number" && !(await master.initialise(address, signal)))
          throw new MasterFault("silent", `the meter at address ${address} does not answer`);
        return await master.read(address, signal);
      };
      const reading = readingOf(await readAtSpeed(line, meter.settings, read, signal));
      if (!this.#meters.has(meter.native)) return;
      if (meter.failures > 0) host.log("info", "meter answers again", { meter: meter.native });
      this.#attempt = 0;
      Object.assign(meter, { failures: 0, isReachable: true, nextAt: inMs(readEveryMs) });
      onReading(meter.native, reading);
    } catch (error) {
      if (isEnd(error)) throw error;
      meter.failures += 1;
      meter.nextAt = inMs(readDelay(readEveryMs, meter.failures));
      if (meter.failures === 1)
        host.log("warn", "cannot read a meter", { meter: meter.native, reason: (error as Error).message });
      if (meter.failures >= port.unreachableAfter && meter.isReachable !== false) {
        meter.isReachable = false;
        if (this.#meters.has(meter.native)) onUnreachable(meter.native);
      }
      throw error;
    } finally {
      this.#reading = undefined;
    }
  }
}

/** Whether nobody waits any more, or the line is closed: no other meter can be read either. */
function isEnd(error: unknown): boolean {
  return error instanceof MasterFault && (error.code === "cancelled" || error.code === "closed");
}

/** Returns the error of a command. */
function commandError(error: unknown, isStopping: boolean): AdapterError {
  if (error instanceof AdapterError) return error;
  if (!(error instanceof MasterFault)) return new AdapterError("refused", String(error), { cause: error });
  const { code, message } = error;
  if (code === "cancelled") return new AdapterError("cancelled", message);
  if (code === "closed") return new AdapterError(isStopping ? "stopped" : "unreachable", message);
  if (code === "silent") return new AdapterError("timeout", message, { cause: error });
  return new AdapterError("busy", message, { cause: error });
}
