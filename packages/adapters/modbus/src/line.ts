import { type AdapterHost, pause, reopenDelay, settledWithin } from "@ledge/port";
import type { Connection } from "./connection.ts";
import { Fault } from "./fault.ts";
import type { Request } from "./request.ts";
import type { PortSettings } from "./settings.ts";
import { LineStatistics } from "./statistics.ts";
import { Waiting } from "./waiting.ts";

/** A TCP connection is reopened after this many unanswered requests in a row: its other end may be gone. */
const silentRequests = 3;
/** How long to wait for a line to close. A serial driver may keep it open while it drains. */
const destroyMs = 2000;
/** How often the wait for silence on a line restarts before the bytes count as noise. */
const rests = 20;

/** Options of `Line`. */
export interface LineOptions {
  readonly port: PortSettings;
  readonly host: Pick<AdapterHost, "clock" | "log">;
  /** 0..1 */
  readonly random: () => number;
  readonly open: (signal: AbortSignal) => Promise<Connection>;
  readonly up: () => void;
  /** Called when the line was lost, or an attempt to open it failed. */
  readonly down: () => void;
}

/** The priority of a request. */
export type Urgency = "command" | "poll";

/**
 * One serial port or TCP connection. It sends one request at a time, commands before polls, and reopens for
 * as long as it takes. Parallel requests would be useless on a serial line, and many TCP servers are gateways
 * to one.
 */
export class Line {
  readonly #options: LineOptions;
  readonly #queues: Readonly<Record<Urgency, Waiting[]>> = { command: [], poll: [] };
  readonly statistics = new LineStatistics();
  readonly #stopping = new AbortController();
  #connection: Connection | undefined;
  #underWay: Waiting | undefined;
  #connecting: Promise<void> = Promise.resolve();
  #opening = false;
  #draining = false;
  #attempt = 0;
  #silent = 0;
  #hurried = false;
  #wasUp: boolean | undefined;
  #stopTimer: () => void = () => {};

  constructor(options: LineOptions) {
    this.#options = options;
  }

  start(): void {
    this.#connecting = this.#connect();
  }

  get isUp(): boolean {
    return this.#connection?.isOpen === true;
  }

  /** Closes the line, and fails pending and waiting requests with `stopped`. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#stopTimer();
    this.#failAll(new Fault("stopped", "the adapter stops"));
    const connection = this.#connection;
    this.#connection = undefined;
    const gone = Promise.all([this.#connecting, connection?.destroy()]);
    await settledWithin(destroyMs, this.#options.host.clock, gone);
  }

  /**
   * Sends a request when it is its turn.
   * @param signal cancels a waiting request; one already sent stays on the line, but is no longer awaited.
   * @returns for a read its registers, or bits as 0 or 1.
   * @throws Fault
   */
  request(
    unit: number,
    request: Request,
    urgency: Urgency,
    signal?: AbortSignal,
  ): Promise<readonly number[]> {
    const waiting = new Waiting(unit, request, signal);
    if (urgency === "command" && !waiting.settled) this.#hurry();
    if (this.#stopping.signal.aborted) waiting.settle(new Fault("stopped", "the adapter has stopped"));
    else if (this.#connection === undefined && !this.#opening)
      waiting.settle(new Fault("closed", "the line is down"));
    if (!waiting.settled) this.#queues[urgency].push(waiting);
    void this.#drain();
    return waiting.outcome;
  }

  /** A user awaits a command: makes one extra attempt between the scheduled ones. */
  #hurry(): void {
    if (this.#connection !== undefined || this.#opening || this.#hurried || this.#stopping.signal.aborted)
      return;
    this.#hurried = true;
    this.#stopTimer();
    this.#connecting = this.#connect();
  }

  async #connect(): Promise<void> {
    const { open, up, down, host, port, random } = this.#options;
    this.#opening = true;
    try {
      const connection = await open(this.#stopping.signal);
      if (this.#stopping.signal.aborted) return await connection.destroy();
      this.#connection = connection;
      this.#silent = 0;
      void connection.closed.then(() => this.#lost(connection));
      if (this.#wasUp !== true) host.log("info", "line open", { line: port.name });
      this.#wasUp = true;
      up();
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      if (this.#wasUp !== false)
        host.log("warn", "cannot open the line", { line: port.name, reason: String(error) });
      this.#wasUp = false;
      this.#failAll(
        new Fault(
          "closed",
          `cannot open the line: ${error instanceof Error ? error.message : String(error)}`,
        ),
      );
      this.#connectLater(random());
      down();
    } finally {
      this.#opening = false;
    }
    void this.#drain();
  }

  #lost(connection: Connection): void {
    if (this.#connection !== connection) return;
    const { host, port, random, down } = this.#options;
    this.#connection = undefined;
    host.log("warn", "line lost", { line: port.name });
    this.#wasUp = false;
    this.#failAll(new Fault("closed", "the line was lost"));
    this.#connectLater(random());
    down();
  }

  #connectLater(chance: number): void {
    this.#stopTimer = this.#options.host.clock.after(reopenDelay(this.#attempt, chance), () => {
      this.#hurried = false;
      this.#connecting = this.#connect();
    });
    this.#attempt += 1;
  }

  #failAll(fault: Fault): void {
    this.#underWay?.settle(fault);
    for (const queue of Object.values(this.#queues)) {
      for (const waiting of queue.splice(0)) waiting.settle(fault);
    }
  }

  async #drain(): Promise<void> {
    if (this.#draining) return;
    this.#draining = true;
    for (let connection = this.#connection; connection?.isOpen === true; connection = this.#connection) {
      const waiting = this.#queues.command.shift() ?? this.#queues.poll.shift();
      if (waiting === undefined) break;
      if (waiting.settled) continue;
      this.#underWay = waiting;
      await this.#carryOut(connection, waiting);
      this.#underWay = undefined;
      if (this.#options.port.betweenRequestsMs > 0) await this.#pause(this.#options.port.betweenRequestsMs);
    }
    this.#draining = false;
  }

  async #carryOut(connection: Connection, waiting: Waiting): Promise<void> {
    const { unit, request } = waiting;
    try {
      const probe = connection.probeBefore(unit, request);
      if (probe !== undefined) await this.#probe(connection, unit, probe);
      if (!waiting.settled) waiting.settle(await this.#exchange(connection, unit, request));
    } catch (error) {
      waiting.settle(error instanceof Fault ? error : new Fault("garbled", String(error)));
    }
  }

  /** An exception is an answer too: the device will not answer earlier requests any more. */
  async #probe(connection: Connection, unit: number, probe: Request): Promise<void> {
    try {
      await this.#exchange(connection, unit, probe);
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== "exception") throw error;
    }
  }

  async #exchange(connection: Connection, unit: number, request: Request): Promise<readonly number[]> {
    const { host, port } = this.#options;
    for (let rest = 0, ms = connection.restMs(); rest < rests && ms > 0; rest++, ms = connection.restMs())
      await this.#pause(ms);
    const ms = port.timeoutMs + connection.transmissionMs(request);
    const stopTimer = host.clock.after(ms, () =>
      connection.giveUp(new Fault("timeout", `no answer within ${ms} ms`)),
    );
    const sentAt = host.clock.now();
    const record = (fault?: Fault): void => {
      const now = host.clock.now();
      this.statistics.record(unit, request, fault, now, now - sentAt);
    };
    try {
      const words = await connection.exchange(unit, request);
      record();
      this.#heard();
      return words;
    } catch (error) {
      if (error instanceof Fault) record(error);
      if (error instanceof Fault && error.kind === "timeout") this.#unheard(connection);
      else if (error instanceof Fault && error.kind === "exception") this.#heard();
      throw error;
    } finally {
      stopTimer();
    }
  }

  #heard(): void {
    this.#silent = 0;
    this.#attempt = 0;
  }

  #unheard(connection: Connection): void {
    this.#silent += 1;
    if (this.#silent >= silentRequests && this.#options.port.transport.type !== "rtu")
      void connection.destroy();
  }

  #pause(ms: number): Promise<void> {
    return pause(this.#options.host.clock, ms, this.#stopping.signal);
  }
}
