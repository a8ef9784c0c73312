import type { Clock, Kernel } from "@ledge/kernel";
import { isReadOnly } from "@ledge/kernel";
import type { Dispatch, Effect, Match, Outcome, Submission as Sending } from "@ledge/dispatch";
import { createDispatch } from "@ledge/dispatch";
import type { AdapterState, Command, LoggedEvent } from "@ledge/model";
import { limits } from "@ledge/model";
import type { AdapterError, AdapterOffers, AdapterRequest, DeviceDescription, Report } from "@ledge/port";
import { AbortAhead, adapterErrorOf, type ReadyAbort } from "@ledge/port";
import type { AdapterStatus, SupervisedAdapter, SuperviseOptions } from "../adapters/supervisor.ts";
import { superviseAdapter } from "../adapters/supervisor.ts";
import { adapterFolder } from "../folder/folder.ts";
import type { Logger } from "@ledge/host/logger";
import { adapterLog } from "../adapters/adapter-log.ts";
import { isSealedSecret } from "@ledge/host/secrets/sealing";
import { Absence } from "./absence.ts";
import { AirGroups } from "./air-groups.ts";
import { AdapterPairing } from "./adapter-pairing.ts";
import type { CommandChains } from "./command-chains.ts";
import { Intake } from "./intake.ts";
import type { Notes } from "../notes/notes.ts";
import type { Natives } from "./natives.ts";
import type { SeenNotes } from "./seen-notes.ts";
import { type Serving, servingOf } from "./serving.ts";
import { Sleepers } from "./sleepers.ts";
import { endTrouble, noteTrouble } from "./trouble.ts";
import { Upkeep } from "./upkeep.ts";

/** The parts of the hub that every protocol shares. */
export interface ProtocolHost {
  readonly kernel: Kernel;
  readonly natives: Natives;
  readonly seen: SeenNotes;
  readonly chains: CommandChains;
  readonly notes: Notes;
  /** The data folder. Each adapter has a folder for caches in it. */
  readonly folder: string;
  /** The heap of an adapter's process (MB). */
  readonly memoryMb: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** 0 <= random() < 1. */
  readonly random: () => number;
}

/** The interface between the hub and one protocol. */
export interface DeviceProtocol {
  readonly status: AdapterStatus;
  /** True once every device has reported since the adapter's start. */
  readonly settled: boolean;
  /** Sends a command to a device. */
  send(sending: Sending): void;
  /** Sends the same command to members of a group, as one frame where possible. */
  cast(group: string, sendings: readonly Sending[]): void;
  /** The offers of its adapter besides devices. */
  readonly offers: AdapterOffers;
  /** Resolves when its adapter has started for the first time, has failed to start, or is stopped. */
  readonly offersKnown: Promise<void>;
  /**
   * Resolves with the adapter's answer.
   * @throws AdapterError
   */
  request(request: AdapterRequest, timeoutMs: number): Promise<unknown>;
  /** Follows a published event. */
  follow(event: LoggedEvent): void;
  /** Makes the adapter forget a device for good. */
  forget(native: string): void;
  /** Restarts a resting adapter. */
  resume(): void;
  /** Submits what was held while the kernel took nothing. */
  takeUp(): void;
  stop(): Promise<void>;
}

type Transmission = Extract<Effect, { type: "send" | "cast" }>;

/** The path between the kernel and one adapter: commands go out through the dispatcher, reports come in. */
export class Protocol implements DeviceProtocol {
  readonly name: string;
  readonly #host: ProtocolHost;
  readonly #intake: Intake;
  readonly #dispatch: Dispatch;
  readonly #adapter: SupervisedAdapter;
  readonly #pairing: AdapterPairing;
  readonly #upkeep: Upkeep;
  readonly #absence: Absence;
  readonly #airGroups: AirGroups;
  readonly #sleepers: Sleepers;
  readonly #serving: Serving | undefined;
  /** The devices that the adapter has announced since its start. */
  readonly #announced = new Set<string>();
  /** Commands that the adapter has not answered yet, by the number of their send. */
  readonly #underWay = new Map<number, ReadyAbort>();
  readonly #aborts = new AbortAhead();
  /** Notes that could not be written while the kernel was read-only, oldest first. */
  #unnoted: (() => Promise<void>)[] = [];
  #cancelTick: () => void = () => {};
  #stopped = false;
  readonly #offersKnown = Promise.withResolvers<void>();

  /** Starts the adapter; it runs until `stop`. */
  constructor(
    name: string,
    settings: unknown,
    host: ProtocolHost,
    start: (options: SuperviseOptions) => SupervisedAdapter = superviseAdapter,
  ) {
    this.name = name;
    this.#host = host;
    const { kernel, natives, seen, clock, logger, random } = host;
    this.#intake = new Intake(name, kernel, natives, seen, logger);
    this.#dispatch = createDispatch({ inFlight: () => this.#adapter.inFlight });
    this.#absence = new Absence(clock, () => this.#noteAway());
    // Before the adapter, which tells its status at once.
    this.#serving = servingOf(name, host, () => this.#adapter);
    this.#adapter = start({
      protocol: name,
      settings,
      store: {
        entries: () => keptValues(kernel.get("adapter", name)),
        put: (key, value) => this.#store(key, value),
      },
      folder: adapterFolder(host.folder, name),
      clock,
      random,
      memoryMb: host.memoryMb,
      log: adapterLog(logger, name),
      announced: (device) => this.#announce(device),
      found: (device) => this.#intake.found(device),
      lost: (native) => this.#intake.lost(native),
      troubled: (trouble) => noteTrouble(name, trouble, kernel, host.notes),
      reported: (reports, dropped) => this.#take(reports, dropped),
      changed: (status) => this.#noteStatus(status),
    });
    this.#pairing = new AdapterPairing(name, kernel, this.#adapter, logger);
    this.#upkeep = new Upkeep(name, host, this.#adapter, (native) => this.#pairing.keeping(native));
    this.#airGroups = new AirGroups(name, host, this.#adapter);
    this.#sleepers = new Sleepers(kernel);
  }

  get status(): AdapterStatus {
    return this.#adapter.status;
  }

  get settled(): boolean {
    return this.#intake.settled;
  }

  get offers(): AdapterOffers {
    return this.#adapter.offers;
  }

  get offersKnown(): Promise<void> {
    return this.#offersKnown.promise;
  }

  async request(request: AdapterRequest, timeoutMs: number): Promise<unknown> {
    await this.#serving?.settled();
    return await this.#adapter.request(request, timeoutMs);
  }

  send(sending: Sending): void {
    const keeping = this.#pairing.keeping(sending.native);
    if (keeping === undefined) this.#perform(this.#dispatch.submit(sending, this.#host.clock.monotonic()));
    else void this.#sendAfter(keeping, sending);
  }

  /** Waits here and not in the dispatcher, where the command would occupy the radio. */
  async #sendAfter(keeping: Promise<unknown>, sending: Sending): Promise<void> {
    const { clock } = this.#host;
    const givenAt = clock.monotonic();
    await keeping;
    if (!this.#stopped) this.#perform(this.#dispatch.submit({ ...sending, givenAt }, clock.monotonic()));
  }

  cast(group: string, sendings: readonly Sending[]): void {
    const ready: Sending[] = [];
    for (const sending of sendings) {
      const keeping = this.#pairing.keeping(sending.native);
      if (keeping === undefined) ready.push(sending);
      else void this.#sendAfter(keeping, sending);
    }
    this.#perform(this.#dispatch.cast(group, ready, this.#host.clock.monotonic()));
  }

  follow(event: LoggedEvent): void {
    this.#airGroups.follow(event);
    this.#pairing.follow(event);
    this.#upkeep.follow(event);
    this.#serving?.follow(event);
  }

  forget(native: string): void {
    this.#announced.delete(native);
    this.#adapter.forget(native);
    this.#perform(this.#dispatch.forget(native, this.#host.clock.monotonic()));
  }

  resume(): void {
    this.#adapter.resume();
  }

  takeUp(): void {
    for (const note of this.#unnoted.splice(0)) void note();
    void this.#takeUpReports();
  }

  async #takeUpReports(): Promise<void> {
    const dropped = await this.#intake.takeUp();
    if (dropped === 0) return;
    const { logger } = this.#host;
    logger.warn({ adapter: this.name, dropped }, "pulses came while nothing could be recorded");
    await this.#host.notes.note({ type: "NOTE_DROPPED", id: this.name, dropped } as Command);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#absence.stop();
    this.#serving?.stop();
    this.#cancelTick();
    this.#airGroups.stop();
    await this.#adapter.stop();
  }

  #perform(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.type === "settle") this.#settle(effect);
      else if (effect.type === "cancel") this.#underWay.get(effect.send)?.abort();
      // Commands that were not sent before a stop are resumed at the next start.
      else if (!this.#stopped) void this.#transmit(effect);
    }
    this.#cancelTick();
    if (this.#stopped) return;
    const due = this.#dispatch.due();
    if (due === undefined) return;
    const { clock } = this.#host;
    const wait = Math.max(due - clock.monotonic(), 0);
    this.#cancelTick = clock.after(wait, () => this.#perform(this.#dispatch.tick(clock.monotonic())));
  }

  async #transmit(effect: Transmission): Promise<void> {
    const { send } = effect;
    const abort = this.#aborts.take();
    this.#underWay.set(send, abort);
    let fault: AdapterError | undefined;
    try {
      const accepted = this.#hand(effect, abort.signal);
      this.#aborts.prepare();
      await accepted;
    } catch (error) {
      fault = adapterErrorOf(error);
    }
    this.#underWay.delete(send);
    // This also counts for an aborted command: only now is its radio free.
    this.#perform(this.#dispatch.outcome(send, fault, this.#host.clock.monotonic()));
  }

  #hand(effect: Transmission, signal: AbortSignal): Promise<void> {
    const { command, timeoutMs } = effect;
    if (effect.type === "send") return this.#adapter.send(effect.native, command, timeoutMs, signal);
    const { send, group, natives } = effect;
    const answered = (native: string, error?: AdapterError): void =>
      this.#perform(this.#dispatch.answered(send, native, error, this.#host.clock.monotonic()));
    return this.#adapter.cast(group, natives, command, timeoutMs, answered, signal);
  }

  #settle({ id, outcome }: Extract<Effect, { type: "settle" }>): void {
    const { origin, ...chain } = this.#host.chains.get(id) ?? { origin: "system" as const };
    if (this.#sleepers.keeps(id, outcome)) return;
    const note = noteOf(id, outcome);
    // A success can wait for the telemetry window; a failure is recorded at once.
    void this.#submit([note], { origin, ...chain, quiet: note.type === "NOTE_COMMAND_DONE" });
  }

  async #take(reports: readonly Report[], dropped: number): Promise<void> {
    // Submits everything before it waits, so that the next batch cannot overtake this one.
    const noted =
      dropped > 0 && this.#host.notes.note({ type: "NOTE_DROPPED", id: this.name, dropped } as Command);
    await Promise.all([noted, ...reports.map((report) => this.#report(report))]);
  }

  async #report(report: Report): Promise<void> {
    const now = this.#host.clock.monotonic();
    const { effects, matches } = this.#dispatch.report(report.native, report.attributes, now);
    const echo = matches.find(({ as }) => as !== "stale");
    const confirmed = echo && this.#host.chains.get(echo.id);
    const stored = this.#intake.report(withoutStale(report, matches), confirmed);
    // Most reports match no command and do not change when the dispatcher is due.
    if (effects.length > 0) this.#perform(effects);
    if (report.attributes["reachable"] !== false) this.#heard(report.native);
    await stored;
  }

  /** Sends a device what it could not take while it slept. */
  #heard(native: string): void {
    for (const sending of this.#sleepers.heard(native)) this.send(sending);
    this.#upkeep.heard(native);
  }

  /** Tells an adapter to forget a device again when it announces one that the hub has removed. */
  async #announce(device: DeviceDescription): Promise<void> {
    const { native } = device;
    if (this.#host.natives.find(this.name, native)?.removed === true) {
      this.#adapter.forget(native);
      return;
    }
    this.#announced.add(native);
    await this.#intake.announce(device);
  }

  #noteStatus({ state, reason, failure }: AdapterStatus): void {
    this.#absence.follow(state);
    if (state !== "running") {
      void endTrouble(this.name, this.#host.kernel, this.#host.notes);
      this.#dispatch.hold();
      this.#serving?.stop();
    }
    if (state === "starting") {
      this.#announced.clear();
      this.#intake.restarted();
      return;
    }
    this.#offersKnown.resolve();
    if (state === "running") {
      this.#pairing.running(this.#announced);
      this.#upkeep.running();
      this.#serving?.running();
      this.#airGroups.running();
      this.#perform(this.#dispatch.resume(this.#host.clock.monotonic()));
      // The adapter has to know which devices to keep awake when they wake up.
      for (const sending of this.#sleepers.all()) this.send(sending);
    }
    const noted: AdapterState["state"] = state === "restarting" ? "failed" : state;
    const command = { type: "NOTE_ADAPTER", id: this.name, state: noted, reason, failure };
    void this.#host.notes.note(command);
  }

  #noteAway(): void {
    const { state, reason } = this.#adapter.status;
    const spared: string[] = [];
    let isNews = false;
    for (const [id, { protocol, native, removed }] of this.#host.kernel.all("binding")) {
      if (protocol !== this.name || removed) continue;
      if (state === "starting" && this.#intake.hasHeard(native)) spared.push(id);
      else isNews ||= this.#host.kernel.get("device", id)?.state["reachable"] !== false;
    }
    const at = this.#host.kernel.now();
    const command = { type: "NOTE_ADAPTER_AWAY", id: this.name, reason, at, spared };
    if (isNews) void this.#host.notes.note(command);
  }

  async #store(key: string, value: unknown): Promise<void> {
    const command = { type: "STORE_VALUE", id: this.name, key, value } as Command;
    await this.#host.kernel.submit({ commands: [command], origin: "system" });
  }

  async #submit(commands: readonly object[], chain: object): Promise<void> {
    try {
      await this.#host.kernel.submit({
        commands: commands as readonly Command[],
        ...(chain as { origin: "system" }),
      });
    } catch (error) {
      if (isReadOnly(error)) this.#noteLater(() => this.#submit(commands, chain));
      else
        this.#host.logger.error(
          { adapter: this.name, reason: (error as Error).message },
          "the outcome of a command was not stored",
        );
    }
  }

  #noteLater(note: () => Promise<void>): void {
    this.#unnoted.push(note);
    if (this.#unnoted.length > limits.commandsQueued) this.#unnoted.shift();
  }
}

function noteOf(id: string, outcome: Outcome): { readonly type: string; readonly id: string } {
  switch (outcome.result) {
    case "failed":
      return { type: "NOTE_COMMAND_FAILED", id, ...outcome };
    case "deferred":
      return { type: "NOTE_COMMAND_DEFERRED", id, ...outcome };
    case "done":
    case "superseded":
      return { type: "NOTE_COMMAND_DONE", id };
  }
}

/**
 * Returns the values that an adapter has stored. Secrets without their key, or left out of a backup, are
 * missing.
 */
function keptValues(state: AdapterState | undefined): [key: string, value: unknown][] {
  return Object.entries(state?.values ?? {}).filter(([, value]) => value !== null && !isSealedSecret(value));
}

/** Removes values that a device still showed from before its command. */
function withoutStale(report: Report, matches: readonly Match[]): Report {
  const stale = matches.filter(({ as }) => as === "stale").map(({ attribute }) => attribute);
  if (stale.length === 0) return report;
  const news = Object.entries(report.attributes).filter(([name]) => !stale.includes(name));
  return { ...report, attributes: Object.fromEntries(news) };
}
