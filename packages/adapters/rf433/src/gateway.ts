import { AdapterError, type AdapterHost, reopenDelay, settledWithin } from "@ledge/port";
import { closeSerial, connectTcp, Lines, openSerial } from "@ledge/serial";
import type { Place, PlaceEvents } from "./place.ts";
import { readRflink, type Sending, writeRflink } from "./rflink.ts";
import type { GatewaySettings, GatewayTransport } from "./settings.ts";

export interface GatewayOptions extends PlaceEvents {
  readonly settings: GatewaySettings;
  readonly host: AdapterHost;
  /** 0..1, spreads attempts to open it. */
  readonly random: () => number;
}

/** Opening the port resets the gateway's board, which then takes some seconds to start. */
const helloMs = 12_000;
const firstPingMs = 1000;
/** A gateway that is asked this often and does not answer is gone: a serial line says nothing of that. */
const pingMs = 20_000;
const pongMs = 5000;
/** A gateway sends a code several times, which takes up to a second. */
const sentMs = 3000;
const closeMs = 2000;
const waitingAtMost = 64;
/** A board that is plugged in again is ready at once, so the wait stays short. */
const reopenMostMs = 15_000;

interface Wire {
  write(text: string): void;
  close(): Promise<unknown>;
}

interface Job {
  readonly line: string;
  readonly resolve: () => void;
  readonly reject: (error: AdapterError) => void;
}

/** An RFLink at a serial port, or behind a TCP server: opens it for as long as it takes, and sends one line at a time. */
export class Gateway implements Place {
  readonly name: string;
  readonly #options: GatewayOptions;
  readonly #stopping = new AbortController();
  #wire: Wire | undefined;
  #isUp = false;
  #wasUp: boolean | undefined;
  #attempt = 0;
  #opening: Promise<void> = Promise.resolve();
  #isOpening = false;
  #waiting: Job[] = [];
  #sent: Job | undefined;
  /** It is pinged or given up by this timer, sent to by that one. */
  #stopWatch: () => void = () => {};
  #stopSent: () => void = () => {};

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.name = options.settings.name;
  }

  start(): void {
    this.#opening = this.#open();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const wire = this.#end(new AdapterError("stopped", "the adapter has stopped"));
    await settledWithin(closeMs, this.#options.host.clock, Promise.all([this.#opening, wire?.close()]));
  }

  send(sending: Sending, signal: AbortSignal): Promise<void> {
    return this.teach(writeRflink(sending), signal);
  }

  teach(line: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(new AdapterError("cancelled", "nobody waits"));
    if (this.#stopping.signal.aborted)
      return Promise.reject(new AdapterError("stopped", "the adapter has stopped"));
    if (!this.#isUp && !this.#isOpening && this.#wire === undefined)
      return Promise.reject(new AdapterError("unreachable", "the gateway is not there"));
    if (this.#waiting.length >= waitingAtMost)
      return Promise.reject(new AdapterError("busy", "too many commands wait for the gateway"));
    return new Promise((resolve, reject) => {
      const job: Job = {
        line,
        resolve: () => {
          signal.removeEventListener("abort", onAbort);
          resolve();
        },
        reject: (error) => {
          signal.removeEventListener("abort", onAbort);
          reject(error);
        },
      };
      // What is on the air stays there, and its answer must not count for the next.
      const onAbort = (): void => {
        this.#waiting = this.#waiting.filter((each) => each !== job);
        job.reject(new AdapterError("cancelled", "nobody waits"));
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.push(job);
      this.#next();
    });
  }

  async #open(): Promise<void> {
    const { settings, host } = this.#options;
    this.#isOpening = true;
    const lines = new Lines();
    const from = { wire: undefined as Wire | undefined };
    const hear = (text: string): void => {
      if (from.wire !== undefined && this.#wire === from.wire)
        lines.push(text, (line) => this.#hear(line, from.wire));
    };
    const lost = (): void => {
      if (from.wire !== undefined && this.#wire === from.wire) this.#lose("the port has closed");
    };
    try {
      const wire = await openWire(settings.transport, host, this.#stopping.signal, hear, lost);
      if (this.#stopping.signal.aborted) return void (await wire.close());
      from.wire = wire;
      this.#wire = wire;
      this.#stopWatch = host.clock.after(firstPingMs, () => this.#greet(firstPingMs));
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#lose((error as Error).message);
    } finally {
      this.#isOpening = false;
    }
  }

  /** Asks a board that is starting until it says something. */
  #greet(waitedMs: number): void {
    const { clock } = this.#options.host;
    if (waitedMs > helloMs) return this.#lose("it does not answer as an RFLink");
    this.#wire?.write("10;PING;\r\n");
    this.#stopWatch = clock.after(2 * firstPingMs, () => this.#greet(waitedMs + 2 * firstPingMs));
  }

  #watch(): void {
    const { clock } = this.#options.host;
    this.#stopWatch();
    this.#stopWatch = clock.after(pingMs, () => {
      this.#wire?.write("10;PING;\r\n");
      this.#stopWatch = clock.after(pongMs, () => this.#lose("it does not answer any more"));
    });
  }

  #hear(text: string, wire: Wire | undefined): void {
    const { host, onSignal, onChange } = this.#options;
    const line = readRflink(text);
    if (line === undefined) {
      if (text.trim() !== "") host.log("debug", "cannot read a line", { gateway: this.name, line: text });
      return;
    }
    this.#watch();
    this.#attempt = 0;
    if (!this.#isUp) {
      this.#isUp = true;
      this.#wasUp = true;
      host.log("info", "gateway open", { gateway: this.name });
      onChange(true);
    }
    if (line.type === "hello") host.log("info", "gateway says", { gateway: this.name, text: line.text });
    if (line.type === "ok") this.#answered();
    if (line.type === "unknown")
      this.#answered(new AdapterError("refused", "the gateway does not know this code"));
    if (line.type === "signal") onSignal(line.signal);
    if (this.#wire === wire) this.#next();
  }

  #next(): void {
    if (!this.#isUp || this.#wire === undefined || this.#sent !== undefined) return;
    const job = this.#waiting.shift();
    if (job === undefined) return;
    this.#sent = job;
    this.#wire.write(`${job.line}\r\n`);
    this.#stopSent = this.#options.host.clock.after(sentMs, () =>
      this.#answered(new AdapterError("timeout", "the gateway does not say that it has sent")),
    );
  }

  #answered(error?: AdapterError): void {
    const job = this.#sent;
    if (job === undefined) return;
    this.#stopSent();
    this.#sent = undefined;
    if (error === undefined) job.resolve();
    else job.reject(error);
    this.#next();
  }

  #lose(reason: string): void {
    const { host, random, onChange } = this.#options;
    if (this.#wasUp !== false) host.log("warn", "gateway lost", { gateway: this.name, reason });
    const isFirst = this.#wasUp !== false;
    this.#wasUp = false;
    const wire = this.#end(new AdapterError("unreachable", "the gateway is not there"));
    if (isFirst) onChange(false);
    void wire?.close();
    this.#stopWatch = host.clock.after(reopenDelay(this.#attempt, random(), reopenMostMs), () =>
      this.start(),
    );
    this.#attempt += 1;
  }

  /** Ends all that is under way. @returns the wire, which is still to be closed */
  #end(error: AdapterError): Wire | undefined {
    this.#stopWatch();
    this.#stopSent();
    const wire = this.#wire;
    this.#wire = undefined;
    this.#isUp = false;
    const jobs = [...(this.#sent === undefined ? [] : [this.#sent]), ...this.#waiting.splice(0)];
    this.#sent = undefined;
    for (const job of jobs) job.reject(error);
    return wire;
  }
}

/** Opens a gateway. Loads the serial library only for a serial port. @throws Error with the reason */
async function openWire(
  transport: GatewayTransport,
  { clock }: AdapterHost,
  signal: AbortSignal,
  onText: (text: string) => void,
  onClose: () => void,
): Promise<Wire> {
  if (transport.type === "serial") {
    const port = await openSerial(transport, signal);
    port.on("data", (bytes: Buffer) => onText(bytes.toString("latin1")));
    port.on("close", onClose);
    return { write: (text) => void port.write(text), close: () => closeSerial(port) };
  }
  const socket = await connectTcp(transport, clock, signal);
  socket.on("data", (bytes) => onText(bytes.toString("latin1")));
  socket.on("close", onClose);
  return { write: (text) => void socket.write(text), close: async () => void socket.destroy() };
}
