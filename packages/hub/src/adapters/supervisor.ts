import type { ChildProcess } from "node:child_process";
import { mkdirSync } from "node:fs";
import type { AdapterFailure } from "@ledge/model";
import { limits } from "@ledge/model";
import type {
  AdapterLog,
  AdapterOffers,
  AdapterRequest,
  AirGroup,
  CastAnswer,
  DeviceCommand,
  DeviceDescription,
  FoundDevice,
  NativeId,
  PairingAction,
  RadioTrouble,
  Report,
} from "@ledge/port";
import { AdapterError, AdapterLine, childChannel, LogThrottle, startAdapterProcess } from "@ledge/port";
import { confinementOf } from "./confinement.ts";
import { adapterEnvironment } from "./environment.ts";
import { logOutput } from "./output.ts";
import { residentMb } from "./resident.ts";
import type { AdapterPhase, SupervisionEffect, SupervisionInput, SupervisionPolicy } from "./supervision.ts";
import { defaultPolicy, supervise, unsupervised } from "./supervision.ts";

export interface SuperviseOptions {
  readonly protocol: string;
  /** The adapter's part of the firmware profile; the adapter validates it. */
  readonly settings: unknown;
  readonly store: {
    entries(): Iterable<readonly [key: string, value: unknown]>;
    /** Resolves when the value is durable. */
    put(key: string, value: unknown): Promise<void>;
  };
  /** The folder for its caches. It is created with mode 0700 when it is missing. */
  readonly folder: string;
  readonly clock: { monotonic(): number; after(ms: number, callback: () => void): () => void };
  readonly log: AdapterLog;
  /** 0 <= random() < 1, for the spread of restarts. */
  readonly random: () => number;
  /** Resolves when the hub has added the device. */
  readonly announced: (device: DeviceDescription) => Promise<void>;
  /** Resolves when the hub has recorded the find. It takes part in the credit of `announced`. */
  readonly found: (device: FoundDevice) => Promise<void>;
  readonly lost: (native: NativeId) => Promise<void>;
  /** Resolves when the hub has noted what keeps the radio from its devices; null: nothing any more. */
  readonly troubled: (trouble: RadioTrouble | null) => Promise<void>;
  /**
   * Called in the order of the reports. The adapter gets credit for more when the promise settles.
   * @param dropped pulses lost since the previous call
   */
  readonly reported: (reports: readonly Report[], dropped: number) => Promise<void>;
  readonly changed: (status: AdapterStatus) => void;
  /** The heap limit of its process (MB). A process that uses twice as much in total is restarted. */
  readonly memoryMb: number;
  /** Starts the adapter's process. Default: the adapter's own module. */
  readonly fork?: () => ChildProcess;
  readonly policy?: Partial<SupervisionPolicy>;
}

export interface AdapterStatus {
  readonly state: AdapterPhase;
  /** Failures within the window. */
  readonly failures: number;
  /** Reports taken since the hub's start. */
  readonly reports: number;
  /** The reason of the last failure, or null. */
  readonly reason: string | null;
  readonly failure: AdapterFailure | null;
}

/** An adapter in a process of its own, restarted when it fails. */
export interface SupervisedAdapter {
  readonly status: AdapterStatus;
  /** Commands that may be under way per radio; 1 until the adapter has first started. */
  readonly inFlight: number;
  /**
   * Resolves when the device has acknowledged the command.
   * @throws AdapterError; `unreachable` while the adapter does not run and when it dies
   */
  send(native: NativeId, command: DeviceCommand, timeoutMs: number, signal?: AbortSignal): Promise<void>;
  /** The adapter's offers; empty until its first start has finished. */
  readonly offers: AdapterOffers;
  /**
   * Resolves with the adapter's answer, which is plain data.
   * @throws AdapterError; `unreachable` while the adapter does not run and when it dies
   */
  request(request: AdapterRequest, timeoutMs: number, signal?: AbortSignal): Promise<unknown>;
  /**
   * Resolves when the adapter has finished the action.
   * @throws AdapterError as `request`
   */
  pair(action: PairingAction, timeoutMs: number): Promise<void>;
  /**
   * Sends the hub's groups to the adapter. Resolves when the adapter has begun to set them up on the air.
   * @throws AdapterError as `request`
   */
  keepGroups(groups: readonly AirGroup[], timeoutMs: number): Promise<void>;
  /**
   * Sends a command to a group as one frame. Resolves when no more outcomes for `natives` will follow.
   * @param answered called at most once per device, when it is known whether the device has taken the command
   * @throws AdapterError as `request`
   */
  cast(
    group: string,
    natives: readonly NativeId[],
    command: DeviceCommand,
    timeoutMs: number,
    answered: CastAnswer,
    signal?: AbortSignal,
  ): Promise<void>;
  /** Makes the adapter forget a device for good. */
  forget(native: NativeId): void;
  /** Restarts a resting adapter, and skips the pause of a waiting one. */
  resume(): void;
  /** Asks the adapter to stop, kills it after 5 s, and resolves when its process is gone. */
  stop(): Promise<void>;
}

/** Starts an adapter in a child process and keeps it running. */
export function superviseAdapter(options: SuperviseOptions): SupervisedAdapter {
  return new Supervisor(options);
}

/** Node's exit code after an uncaught exception. */
const uncaughtExceptionCode = 1;

interface Child {
  readonly process: ChildProcess;
  readonly line: AdapterLine;
  readonly gone: Promise<void>;
  /** The last error that it logged since its last sign of life: it may explain the exit code. */
  lastWords: string | undefined;
}

class Supervisor implements SupervisedAdapter {
  readonly #options: SuperviseOptions;
  readonly #policy: SupervisionPolicy;
  #state = unsupervised;
  #child: Child | undefined;
  /** Resolves when the most recently forked process is gone. */
  #gone = Promise.resolve();
  #inFlight = 1;
  #offers: AdapterOffers = { pairing: false, groupcast: [], protocolCommands: [], requests: [] };
  #reports = 0;
  #disarm = (): void => {};

  constructor(options: SuperviseOptions) {
    this.#options = options;
    this.#policy = { ...defaultPolicy, ...options.policy };
    this.#feed({ type: "start" });
  }

  get status(): AdapterStatus {
    const { phase, failures, reason, failure } = this.#state;
    return { state: phase, failures: failures.length, reports: this.#reports, reason, failure };
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  async send(
    native: NativeId,
    command: DeviceCommand,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<void> {
    await this.#runningLine().send(native, command, timeoutMs, signal);
  }

  get offers(): AdapterOffers {
    return this.#offers;
  }

  async request(request: AdapterRequest, timeoutMs: number, signal?: AbortSignal): Promise<unknown> {
    return await this.#runningLine().request(request, timeoutMs, signal);
  }

  async pair(action: PairingAction, timeoutMs: number): Promise<void> {
    await this.#runningLine().pair(action, timeoutMs);
  }

  async keepGroups(groups: readonly AirGroup[], timeoutMs: number): Promise<void> {
    await this.#runningLine().keepGroups(groups, timeoutMs);
  }

  async cast(...cast: Parameters<AdapterLine["cast"]>): Promise<void> {
    await this.#runningLine().cast(...cast);
  }

  #runningLine(): AdapterLine {
    const { phase } = this.#state;
    if (phase !== "running" || !this.#child) {
      throw new AdapterError("unreachable", `the ${this.#options.protocol} adapter is ${phase}`);
    }
    return this.#child.line;
  }

  forget(native: NativeId): void {
    this.#child?.line.forget(native);
  }

  resume(): void {
    this.#feed({ type: "resume" });
  }

  async stop(): Promise<void> {
    this.#feed({ type: "stop" });
    const child = this.#child;
    if (child) {
      const release = this.#options.clock.after(limits.adapterStopMs, () => child.process.kill("SIGKILL"));
      await child.line.stop();
      await child.gone;
      release();
    }
    await this.#gone;
  }

  #feed(input: SupervisionInput): void {
    const { clock, random } = this.#options;
    const before = this.#state;
    const { state, effects } = supervise(before, input, clock.monotonic(), this.#policy, random());
    this.#state = state;
    this.#disarm();
    if (state.due !== undefined) {
      this.#disarm = clock.after(Math.max(0, state.due - clock.monotonic()), () =>
        this.#feed({ type: "tick" }),
      );
    }
    if (state.phase !== before.phase) this.#options.changed(this.status);
    for (const effect of effects) this.#perform(effect);
  }

  #perform(effect: SupervisionEffect): void {
    switch (effect) {
      case "fork":
        this.#fork();
        return;
      case "kill":
        this.#child?.process.kill("SIGKILL");
        this.#child = undefined;
        return;
      case "ping":
        this.#weigh();
        this.#child?.line.ping();
    }
  }

  /** V8 limits its own heap. Memory that libraries use outside the heap is visible only from outside. */
  #weigh(): void {
    const used = this.#child && residentMb(this.#child.process.pid);
    const most = this.#options.memoryMb * 2;
    if (used === undefined || used <= most) return;
    const reason = `it uses ${used} MB of memory, more than ${most}`;
    this.#feed({ type: "failed", reason, failure: "memory", lasting: false });
  }

  #fork(): void {
    const { protocol, memoryMb, folder, settings, log } = this.#options;
    let forked: ChildProcess;
    try {
      // The process's permissions are fixed at its start, so the folder must exist by then.
      makeFolder(folder, log);
      forked = this.#options.fork?.() ?? startProcess(protocol, memoryMb, folder, settings);
    } catch (error) {
      const reason = `no process: ${String(error)}`;
      this.#feed({ type: "failed", reason, failure: "exit", lasting: false });
      return;
    }
    const child = this.#attend(forked);
    this.#child = child;
    this.#gone = child.gone;
    void this.#start(child);
  }

  async #start(child: Child): Promise<void> {
    const { protocol, settings, store, folder, log } = this.#options;
    try {
      const { inFlight, offers } = await child.line.start(settings, store.entries(), folder);
      this.#inFlight = inFlight;
      this.#offers = offers;
    } catch (error) {
      const { code, message } = error as AdapterError;
      // The exit of the process explains more than the end of the line, and both arrive together.
      if (code === "unreachable") return;
      log("error", `the ${protocol} adapter did not start: ${message}`, { code });
      const lasting = code === "settings";
      const failure = lasting ? "settings" : "exception";
      this.#of(child, { type: "failed", reason: message, failure, lasting });
      return;
    }
    this.#of(child, { type: "started" });
  }

  #attend(forked: ChildProcess): Child {
    const { announced, found, lost, troubled, reported, store, log, clock } = this.#options;
    const throttle = new LogThrottle(clock, log);
    const line = new AdapterLine(childChannel(forked), {
      announce: announced,
      found,
      lost,
      trouble: troubled,
      reports: (reports, dropped) => {
        this.#reports += reports.length;
        return reported(reports, dropped);
      },
      inFlight: (count) => void (this.#inFlight = count),
      store: (key, value) => store.put(key, value),
      log: (level, message, fields) => {
        if (level === "error") child.lastWords = message.slice(0, limits.adapterOutputChars);
        throttle.log(level, message, fields);
      },
      pong: () => {
        child.lastWords = undefined;
        this.#of(child, { type: "pong" });
      },
      closed: () => {
        throttle.end();
        if (this.#state.phase !== "stopped") forked.kill("SIGKILL");
      },
      broken: (reason) => this.#of(child, { type: "failed", reason, failure: "garbage", lasting: false }),
    });
    const gone = Promise.withResolvers<void>();
    const child: Child = { process: forked, line, gone: gone.promise, lastWords: undefined };
    this.#awaitEnd(child, gone.resolve);
    return child;
  }

  /** Reports the end of a process and its reason. */
  #awaitEnd(child: Child, gone: () => void): void {
    const { log, clock } = this.#options;
    const { process: forked } = child;
    const ended = (how: string, failure: AdapterFailure): void => {
      gone();
      const reason = child.lastWords === undefined ? how : `${how}: ${child.lastWords}`;
      this.#of(child, { type: "failed", reason, failure, lasting: false });
    };
    forked.once("exit", (code, signal) => {
      let isTold = false;
      // The last output explains the end. A grandchild that survives may keep the output open.
      const told = (): void => {
        if (isTold) return;
        isTold = true;
        release();
        if (output.outOfMemory) ended("out of memory", "memory");
        else if (signal !== null) ended(`signal ${signal}`, "signal");
        else ended(`exit code ${code}`, code === uncaughtExceptionCode ? "exception" : "exit");
      };
      // A hub that stalled gets here before it has read the last output.
      const release = clock.after(limits.adapterOutputMs, () => setImmediate(told));
      forked.once("close", told);
    });
    // This event comes without a pid when the process could not start; then no exit follows.
    forked.on("error", (error) => {
      if (forked.pid === undefined) ended(`no process: ${error.message}`, "exit");
    });
    const output = logOutput(forked, log, clock);
  }

  /** Feeds an input of the current process. Ignores one of a process that was given up. */
  #of(child: Child, input: SupervisionInput): void {
    if (this.#child === child) this.#feed(input);
  }
}

/** An adapter can run without its cache folder. */
function makeFolder(folder: string, log: AdapterLog): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    log("warn", `no folder for caches: ${(error as Error).message}`, { folder });
  }
}

/** In a bundled release each adapter is a file of its own beside the hub's. */
function startProcess(protocol: string, heapMb: number, folder: string, settings: unknown): ChildProcess {
  const entry = import.meta.url.endsWith(".ts")
    ? new URL("./child.ts", import.meta.url)
    : new URL(`./adapter-${protocol}.mjs`, import.meta.url);
  const env = adapterEnvironment(process.env);
  return startAdapterProcess(entry, [protocol], {
    heapMb,
    env,
    confinement: confinementOf(protocol, folder, settings),
  });
}
