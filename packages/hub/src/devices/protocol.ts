import type { Clock, Kernel } from "@ledge/kernel";
import type { Dispatch, Effect, Submission as Sending } from "@ledge/dispatch";
import { createDispatch } from "@ledge/dispatch";
import type { AdapterState, Command } from "@ledge/model";
import type { Report } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { AdapterStatus, SupervisedAdapter } from "../adapters/supervisor.ts";
import { superviseAdapter } from "../adapters/supervisor.ts";
import type { Logger } from "../logger.ts";
import { adapterLog } from "../logger.ts";
import type { CommandChains } from "./command-chains.ts";
import { Intake } from "./intake.ts";
import type { Natives } from "./natives.ts";
import type { SeenNotes } from "./seen-notes.ts";

/** What every protocol shares. */
export interface ProtocolHost {
  readonly kernel: Kernel;
  readonly natives: Natives;
  readonly seen: SeenNotes;
  readonly chains: CommandChains;
  readonly clock: Clock;
  readonly logger: Logger;
  /** 0 <= random() < 1. */
  readonly random: () => number;
}

/** What the hub asks of a protocol. */
export interface DeviceProtocol {
  readonly status: AdapterStatus;
  /** True once every device has reported since the adapter's start. */
  readonly settled: boolean;
  /** Sends a command to a device. */
  send(sending: Sending): void;
  /** Lets a device go for good. */
  forget(native: string): void;
  /** Tries a resting adapter again. */
  resume(): void;
  stop(): Promise<void>;
}

/** One protocol's way between the kernel and its adapter: commands out through the dispatcher, reports in. */
export class Protocol implements DeviceProtocol {
  readonly name: string;
  readonly #host: ProtocolHost;
  readonly #intake: Intake;
  readonly #dispatch: Dispatch;
  readonly #adapter: SupervisedAdapter;
  #cancelTick: () => void = () => {};

  /** Starts the adapter; it runs until `stop`. */
  constructor(name: string, settings: unknown, host: ProtocolHost) {
    this.name = name;
    this.#host = host;
    const { kernel, natives, seen, clock, logger, random } = host;
    this.#intake = new Intake(name, kernel, natives, seen, clock, logger);
    this.#dispatch = createDispatch({ inFlight: () => this.#adapter.inFlight });
    this.#adapter = superviseAdapter({
      protocol: name,
      settings,
      store: {
        entries: () => Object.entries(kernel.get("adapter", name)?.values ?? {}),
        put: (key, value) => this.#store(key, value),
      },
      clock,
      random,
      log: adapterLog(logger, name),
      announced: (device) => this.#intake.announce(device),
      reported: (reports, dropped) => this.#take(reports, dropped),
      changed: (status) => this.#noteStatus(status),
    });
  }

  get status(): AdapterStatus {
    return this.#adapter.status;
  }

  get settled(): boolean {
    return this.#intake.settled;
  }

  send(sending: Sending): void {
    this.#perform(this.#dispatch.submit(sending, this.#host.clock.monotonic()));
  }

  forget(native: string): void {
    this.#adapter.forget(native);
    this.#perform(this.#dispatch.forget(native, this.#host.clock.monotonic()));
  }

  resume(): void {
    this.#adapter.resume();
  }

  async stop(): Promise<void> {
    this.#cancelTick();
    await this.#adapter.stop();
  }

  #perform(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.type === "send") void this.#transmit(effect);
      else if (effect.type === "settle") this.#settle(effect);
    }
    this.#cancelTick();
    const due = this.#dispatch.due();
    if (due === undefined) return;
    const { clock } = this.#host;
    const wait = Math.max(due - clock.monotonic(), 0);
    this.#cancelTick = clock.after(wait, () => this.#perform(this.#dispatch.tick(clock.monotonic())));
  }

  async #transmit({ send, native, command, timeoutMs }: Extract<Effect, { type: "send" }>): Promise<void> {
    const { clock } = this.#host;
    try {
      await this.#adapter.send(native, command, timeoutMs);
      this.#perform(this.#dispatch.outcome(send, undefined, clock.monotonic()));
    } catch (error) {
      const fault = error instanceof AdapterError ? error : new AdapterError("refused", String(error));
      this.#perform(this.#dispatch.outcome(send, fault, clock.monotonic()));
    }
  }

  #settle({ id, outcome }: Extract<Effect, { type: "settle" }>): void {
    const { origin, ...chain } = this.#host.chains.get(id) ?? { origin: "system" as const };
    const note =
      outcome.result === "failed"
        ? { type: "NOTE_COMMAND_FAILED", id, code: outcome.code, message: outcome.message }
        : { type: "NOTE_COMMAND_DONE", id };
    // A success is no hurry; a failure is news.
    void this.#submit([note], { origin, ...chain, quiet: outcome.result !== "failed" });
  }

  async #take(reports: readonly Report[], dropped: number): Promise<void> {
    if (dropped > 0) await this.#submit([{ type: "NOTE_DROPPED", id: this.name, dropped }]);
    await Promise.all(reports.map((report) => this.#report(report)));
  }

  async #report(report: Report): Promise<void> {
    const { native } = report;
    const { effects, matches } = this.#dispatch.report(
      native,
      report.attributes,
      this.#host.clock.monotonic(),
    );
    const stale = new Set(matches.filter(({ as }) => as === "stale").map(({ attribute }) => attribute));
    const news = Object.entries(report.attributes).filter(([name]) => !stale.has(name));
    const echo = matches.find(({ as }) => as !== "stale");
    const confirmed = echo && this.#host.chains.get(echo.id);
    const stored = this.#intake.report({ ...report, attributes: Object.fromEntries(news) }, confirmed);
    this.#perform(effects);
    await stored;
  }

  #noteStatus({ state, reason }: AdapterStatus): void {
    if (state === "starting") {
      this.#intake.restarted();
      return;
    }
    const noted: AdapterState["state"] = state === "restarting" ? "failed" : state;
    void this.#submit([{ type: "NOTE_ADAPTER", id: this.name, state: noted, reason }]);
  }

  async #store(key: string, value: unknown): Promise<void> {
    const command = { type: "STORE_VALUE", id: this.name, key, value } as Command;
    await this.#host.kernel.submit({ commands: [command], origin: "system" });
  }

  async #submit(commands: readonly object[], chain: object = { origin: "system" }): Promise<void> {
    try {
      await this.#host.kernel.submit({
        commands: commands as readonly Command[],
        ...(chain as { origin: "system" }),
      });
    } catch (error) {
      this.#host.logger.error({ adapter: this.name, reason: (error as Error).message }, "not stored");
    }
  }
}
