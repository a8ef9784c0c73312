import type { ChildProcess } from "node:child_process";
import { fork as forkProcess } from "node:child_process";
import type { AdapterLog, DeviceCommand, DeviceDescription, NativeId, Report } from "@ledge/port";
import { AdapterError, AdapterLine, childChannel } from "@ledge/port";
import { adapterEnvironment } from "./environment.ts";
import { logOutput } from "./output.ts";
import type { AdapterPhase, SupervisionEffect, SupervisionInput, SupervisionPolicy } from "./supervision.ts";
import { defaultPolicy, supervise, unsupervised } from "./supervision.ts";

/** How long an adapter that was asked to stop may take before it is killed. */
const stopGraceMs = 5000;

export interface SuperviseOptions {
  readonly protocol: string;
  /** The adapter's part of the firmware profile; the adapter validates it. */
  readonly settings: unknown;
  readonly store: {
    entries(): Iterable<readonly [key: string, value: unknown]>;
    /** Resolves when the value is durable. */
    put(key: string, value: unknown): Promise<void>;
  };
  readonly clock: { monotonic(): number; after(ms: number, callback: () => void): () => void };
  readonly log: AdapterLog;
  /** 0 <= random() < 1, for the spread of restarts. */
  readonly random: () => number;
  readonly announced: (device: DeviceDescription) => void;
  /**
   * Called in the order of the reports; the adapter gets credit for more once the promise has settled.
   * @param dropped pulses lost since the call before.
   */
  readonly reported: (reports: readonly Report[], dropped: number) => Promise<void>;
  readonly changed: (status: AdapterStatus) => void;
  /** Forks the adapter's process with `serialization: 'advanced'`. Default: the adapter's own module. */
  readonly fork?: () => ChildProcess;
  readonly policy?: Partial<SupervisionPolicy>;
}

export interface AdapterStatus {
  readonly state: AdapterPhase;
  /** Failures within the window. */
  readonly failures: number;
  /** Why it failed last, or null. */
  readonly reason: string | null;
}

/** An adapter in a process of its own, restarted when it fails. */
export interface SupervisedAdapter {
  readonly status: AdapterStatus;
  /** Commands that may be under way per radio; 1 until the adapter has first started. */
  readonly inFlight: number;
  /**
   * Resolves when the device has taken the command.
   * @throws AdapterError; `unreachable` while the adapter does not run and when it dies.
   */
  send(native: NativeId, command: DeviceCommand, timeoutMs: number, signal?: AbortSignal): Promise<void>;
  /** Lets a device go for good. */
  forget(native: NativeId): void;
  /** Tries a resting adapter again, and a waiting one at once. */
  resume(): void;
  /** Asks it to stop, kills it after 5 s, and resolves when its process is gone. */
  stop(): Promise<void>;
}

/** Starts an adapter in a child process and keeps it running. */
export function superviseAdapter(options: SuperviseOptions): SupervisedAdapter {
  return new Supervisor(options);
}

interface Child {
  readonly process: ChildProcess;
  readonly line: AdapterLine;
  readonly gone: Promise<void>;
  /** What is known of why it ends, besides its exit code. */
  lastWords: string | undefined;
}

class Supervisor implements SupervisedAdapter {
  readonly #options: SuperviseOptions;
  readonly #policy: SupervisionPolicy;
  #state = unsupervised;
  #child: Child | undefined;
  /** Resolves when the process forked last is gone. */
  #gone = Promise.resolve();
  #inFlight = 1;
  #disarm = (): void => {};

  constructor(options: SuperviseOptions) {
    this.#options = options;
    this.#policy = { ...defaultPolicy, ...options.policy };
    this.#feed({ type: "start" });
  }

  get status(): AdapterStatus {
    const { phase, failures, reason } = this.#state;
    return { state: phase, failures: failures.length, reason };
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
    const { phase } = this.#state;
    if (phase !== "running" || !this.#child) {
      throw new AdapterError("unreachable", `the ${this.#options.protocol} adapter is ${phase}`);
    }
    await this.#child.line.send(native, command, timeoutMs, signal);
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
      const release = this.#options.clock.after(stopGraceMs, () => child.process.kill("SIGKILL"));
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
        this.#child?.line.ping();
    }
  }

  #fork(): void {
    const { protocol } = this.#options;
    let forked: ChildProcess;
    try {
      forked = this.#options.fork?.() ?? forkAdapter(protocol);
    } catch (error) {
      this.#feed({ type: "failed", reason: `no process: ${String(error)}`, lasting: false });
      return;
    }
    const child = this.#attend(forked);
    this.#child = child;
    this.#gone = child.gone;
    void this.#start(child);
  }

  async #start(child: Child): Promise<void> {
    const { protocol, settings, store, log } = this.#options;
    try {
      const { inFlight } = await child.line.start(settings, store.entries());
      this.#inFlight = inFlight;
    } catch (error) {
      const { code, message } = error as AdapterError;
      // The end of the process tells more than the end of the line, and comes with it.
      if (code === "unreachable") return;
      log("error", `the ${protocol} adapter did not start: ${message}`, { code });
      this.#of(child, { type: "failed", reason: message, lasting: code === "settings" });
      return;
    }
    this.#of(child, { type: "started" });
  }

  #attend(forked: ChildProcess): Child {
    const { announced, reported, store, log, clock } = this.#options;
    const line = new AdapterLine(childChannel(forked), {
      announce: announced,
      reports: reported,
      store: (key, value) => store.put(key, value),
      log: (level, message, fields) => {
        if (level === "error") child.lastWords = message;
        log(level, message, fields);
      },
      pong: () => this.#of(child, { type: "pong" }),
      closed: () => {
        if (this.#state.phase !== "stopped") forked.kill("SIGKILL");
      },
      broken: (reason) => this.#of(child, { type: "failed", reason, lasting: false }),
    });
    const gone = Promise.withResolvers<void>();
    const child: Child = { process: forked, line, gone: gone.promise, lastWords: undefined };
    const ended = (how: string): void => {
      gone.resolve();
      const reason = child.lastWords === undefined ? how : `${how}: ${child.lastWords}`;
      this.#of(child, { type: "failed", reason, lasting: false });
    };
    forked.once("exit", (code, signal) => ended(signal === null ? `exit code ${code}` : `signal ${signal}`));
    // Raised when there was no process to begin with: then there is no exit either.
    forked.on("error", (error) => {
      if (forked.pid === undefined) ended(`no process: ${error.message}`);
    });
    logOutput(forked, log, clock);
    return child;
  }

  /** Passes on what concerns the present process; the end of one that was given up is no news. */
  #of(child: Child, input: SupervisionInput): void {
    if (this.#child === child) this.#feed(input);
  }
}

/** Among bundles each adapter is a file of its own beside the hub's. */
function forkAdapter(protocol: string): ChildProcess {
  const entry = import.meta.url.endsWith(".ts")
    ? new URL("./child.ts", import.meta.url)
    : new URL(`./adapter-${protocol}.mjs`, import.meta.url);
  return forkProcess(entry, [protocol], {
    serialization: "advanced",
    execArgv: [],
    env: adapterEnvironment(process.env),
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
}
