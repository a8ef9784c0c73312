import type { Submission as Sending } from "@ledge/dispatch";
import type { Asking, RequestOutcome } from "@ledge/api";
import type { Kernel, Outcome, Submission } from "@ledge/kernel";
import { isReadOnly } from "@ledge/kernel";
import type { Command, CommandIssued, DeviceAction, LoggedEvent, PendingCommand } from "@ledge/model";
import { alarmId, featureEvents, limits } from "@ledge/model";
import type { AdapterRequest } from "@ledge/port";
import { adapterErrorOf } from "@ledge/port";
import { isAdapterOn, settingsNow } from "../adapters/adapter-features.ts";
import type { AdapterStatus } from "../adapters/supervisor.ts";
import { batchesOf } from "./casts.ts";
import { portKey, portsIn } from "../serial/ports-in.ts";
import { CommandChains } from "./command-chains.ts";
import { Natives } from "./natives.ts";
import type { DeviceProtocol, ProtocolHost } from "./protocol.ts";
import { Protocol } from "./protocol.ts";
import { SeenNotes } from "./seen-notes.ts";

/** A command as decided, or as pending. */
type Sendable = Pick<CommandIssued, "id" | "device" | "attributes" | "absolute" | "group" | "action">;

/** Opens a protocol: starts its adapter. */
export type OpenProtocol = (name: string, settings: unknown, host: ProtocolHost) => DeviceProtocol;

/** The devices of the hub. It maps each device to its protocol and sends commands from the log to the radios. */
export class Devices {
  readonly #kernel: Kernel;
  readonly #host: ProtocolHost;
  readonly #open: OpenProtocol;
  readonly #protocols = new Map<string, DeviceProtocol>();
  /** Ports in use: the key that identifies a port -> the protocol whose adapter uses it. */
  readonly #ports = new Map<string, string>();
  /** The settings that each adapter was started with, as JSON. */
  readonly #startedWith = new Map<string, string>();
  /** Adapters that were not started because another adapter uses their port, and what says so. */
  readonly #refused = new Map<string, string>();
  /** The settings of all adapters, of those too whose features are off. */
  readonly #settings = new Map<string, unknown>();
  #restarting: Promise<unknown> = Promise.resolve();
  #isStopped = false;
  /** Commands that were sent while their commit was being written. */
  readonly #sent = new Set<string>();
  readonly #unsubscribe: () => void;
  #cancelSettling: () => void = () => {};

  constructor(
    host: Omit<ProtocolHost, "natives" | "seen" | "chains">,
    open: OpenProtocol = (name, settings, shared) => new Protocol(name, settings, shared),
  ) {
    const { kernel, clock } = host;
    this.#kernel = kernel;
    this.#open = open;
    this.#host = {
      ...host,
      natives: new Natives(kernel),
      seen: new SeenNotes(kernel, clock),
      chains: new CommandChains(),
    };
    this.#unsubscribe = kernel.subscribe({
      decided: (timestamp, firstIndex, events, relayed) =>
        this.#decided(timestamp, firstIndex, events, relayed),
      published: ({ events }) => this.#published(events),
      failed: (events) => this.#failed(events),
      stateChanged: (state) => {
        if (state === "serving") for (const protocol of this.#protocols.values()) protocol.takeUp();
      },
    });
  }

  /**
   * Starts those of these adapters that are on, independently of each other, and resumes the commands that a stop left
   * pending. The others start with their features.
   */
  start(adapters: Readonly<Record<string, unknown>>): void {
    for (const [name, settings] of Object.entries(adapters)) {
      this.#settings.set(name, settings);
      if (isAdapterOn(name, this.#kernel)) this.#begin(name);
    }
    this.#noteUnserved();
    const pending = [...this.#kernel.all("command")].map(([, command]) => command);
    for (const timestamp of new Set(pending.map(({ issuedAt }) => issuedAt))) this.#recall(timestamp);
    for (const command of pending) this.#takeUp(command);
    // No client waits any more for a pairing from before the stop.
    if (this.#kernel.size("scan") > 0)
      this.#kernel.submit({ commands: [{ type: "END_SCAN" }], origin: "system" }).catch(() => undefined);
    this.#waitForRadios();
  }

  /**
   * Stops the adapter of a protocol, if it runs, and starts it with other settings, if it is on. Without settings it
   * stays off. Restarts run one after another. Resolves when this one is done.
   */
  restart(name: string, settings: unknown): Promise<void> {
    const restarted = this.#restartAfter(this.#restarting, name, settings);
    this.#restarting = restarted.catch(() => undefined);
    return restarted;
  }

  async #restartAfter(before: Promise<unknown>, name: string, settings: unknown): Promise<void> {
    await before;
    if (settings === undefined) this.#settings.delete(name);
    else this.#settings.set(name, settings);
    await this.#replace(name);
  }

  /** Stops an adapter, if it runs, and starts it with its present settings, if it is on. */
  async #replace(name: string): Promise<void> {
    const running = this.#protocols.get(name);
    this.#protocols.delete(name);
    if (running !== undefined) await this.#end(name, running);
    for (const [port, user] of this.#ports) if (user === name) this.#ports.delete(port);
    if (this.#isStopped) return;
    const isOn = this.#settings.has(name) && isAdapterOn(name, this.#kernel);
    if (isOn) this.#begin(name);
    else this.#settle(name);
    this.#noteUnserved();
    if (!isOn) return;
    // Sends the commands that the adapter had not sent before the restart.
    for (const [, command] of this.#kernel.all("command"))
      if (this.#kernel.get("binding", command.device)?.protocol === name) this.#takeUp(command);
  }

  /** Resolves when the restarts and changes of features so far are done. */
  async restarted(): Promise<void> {
    await this.#restarting;
  }

  /** Starts and stops adapters with their features. */
  #followFeatures(): void {
    for (const name of this.#settings.keys())
      this.#restarting = this.#adapt(this.#restarting, name).catch(() => undefined);
  }

  async #adapt(before: Promise<unknown>, name: string): Promise<void> {
    await before;
    const has = this.#protocols.has(name) || this.#refused.has(name);
    const isOn = isAdapterOn(name, this.#kernel);
    const now = JSON.stringify(this.#settingsNow(name));
    if (isOn !== has || (isOn && this.#startedWith.get(name) !== now)) await this.#replace(name);
  }

  /** Returns an adapter's settings with those parts that are on. */
  #settingsNow(name: string): unknown {
    return settingsNow(name, this.#settings.get(name), this.#kernel);
  }

  /** Closes what an adapter that is off has left open: commands that nobody sends, and alarms about it. */
  #settle(name: string): void {
    this.#refused.delete(name);
    for (const [id, { device, waits }] of this.#kernel.all("command")) {
      if (waits !== undefined || this.#kernel.get("binding", device)?.protocol !== name) continue;
      this.#note({ type: "NOTE_COMMAND_FAILED", id, code: "unreachable", message: "its adapter is off" });
    }
    for (const kind of ["ADAPTER_FAILED", "ADAPTER_RESTING"] as const) {
      const id = alarmId(kind, name);
      const isOpen = this.#kernel.get("alarm", id)?.closed === false;
      if (isOpen) void this.#host.notes.note({ type: "CLOSE_ALARM", id } as Command);
    }
  }

  /** Stops an adapter. One that does not stop is killed, so that it does not block others. */
  async #end(name: string, protocol: DeviceProtocol): Promise<void> {
    try {
      await protocol.stop();
    } catch (error) {
      this.#host.logger.error(
        { adapter: name, reason: (error as Error).message },
        "the adapter did not stop cleanly",
      );
    }
  }

  /** Starts an adapter, unless another one uses its port: then an alarm gives the reason. */
  #begin(name: string): void {
    this.#refused.delete(name);
    const settings = this.#settingsNow(name);
    this.#startedWith.set(name, JSON.stringify(settings));
    const ports = portsIn(settings);
    const taken = ports.find((port) => this.#ports.has(portKey(port)));
    if (taken !== undefined) {
      const reason = `${taken} is in use by ${this.#ports.get(portKey(taken))}`;
      this.#refused.set(name, reason);
      const noted = { type: "NOTE_ADAPTER", id: name, state: "resting", reason, failure: "settings" };
      void this.#host.notes.note(noted);
      return;
    }
    for (const port of ports) this.#ports.set(portKey(port), name);
    this.#protocols.set(name, this.#open(name, settings, this.#host));
  }

  /** Marks devices as unreachable when their adapter was not started. */
  #noteUnserved(): void {
    const unserved = new Set<string>();
    for (const [id, { protocol, removed }] of this.#kernel.all("binding")) {
      const isShown = !removed && this.#kernel.get("device", id)?.state["reachable"] !== false;
      if (isShown && !this.#protocols.has(protocol)) unserved.add(protocol);
    }
    const at = this.#kernel.now();
    for (const id of unserved) {
      const reason = this.#refused.get(id) ?? "it is not on";
      const noted = { type: "NOTE_ADAPTER_AWAY", id, reason, at, spared: [] };
      void this.#host.notes.note(noted);
    }
  }

  /** Returns the status of each adapter by protocol. */
  statuses(): Record<string, AdapterStatus> {
    const refused = [...this.#refused].map(([name, reason]) => {
      const status = { state: "resting", failures: 0, reports: 0, reason, failure: "settings" } as const;
      return [name, status] as const;
    });
    return Object.fromEntries([
      ...[...this.#protocols].map(([name, { status }]) => [name, status] as const),
      ...refused,
    ]);
  }

  /** Restarts a resting adapter; false when there is none of that name. */
  resume(name: string): boolean {
    const isRefused = this.#refused.has(name);
    if (isRefused) this.#begin(name);
    else this.#protocols.get(name)?.resume();
    return isRefused || this.#protocols.has(name);
  }

  /**
   * Sends commands that only switch devices, while nothing can be recorded. They go to the radio and leave no
   * trace in the log and the state.
   * @returns undefined, with nothing done, when a command would change anything else or its adapter is away
   */
  switchUnrecorded(submission: Submission): Outcome | undefined {
    const { outcome, events } = this.#kernel.foresee(submission);
    if (!outcome.accepted) return outcome;
    const issued = issuedIn(events);
    if (issued.length < events.length || !issued.every(({ device }) => this.#isServed(device)))
      return undefined;
    this.#sendAll(issued);
    return outcome;
  }

  /** Whether a device has a running adapter. Commands wait for an adapter that is still starting. */
  #isServed(device: string): boolean {
    const protocol = this.#protocols.get(this.#kernel.get("binding", device)?.protocol ?? "");
    const state = protocol?.status.state;
    return state === "running" || state === "starting";
  }

  /** Resolves once each of these adapters has reported its offers or has failed; after `limits.offersKnownMs` at most. */
  async #offersKnown(protocols: readonly DeviceProtocol[]): Promise<void> {
    const { clock } = this.#host;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = clock.after(limits.offersKnownMs, resolve);
    const known = Promise.all(protocols.map((protocol) => protocol.offersKnown));
    await Promise.race([known, promise]);
    cancel();
  }

  /** As `HubPorts.offering`. */
  async offering(type: string, among: Asking["among"] = "requests"): Promise<string[]> {
    await this.#offersKnown([...this.#protocols.values()]);
    return [...this.#protocols].flatMap(([name, { offers }]) => (offers[among].includes(type) ? [name] : []));
  }

  /**
   * As `HubPorts.ask`.
   * @returns the outcome; undefined when no adapter of the profile offers the request
   */
  async request(
    request: AdapterRequest,
    { among, protocol, timeoutMs = limits.requestMs }: Asking,
  ): Promise<RequestOutcome | undefined> {
    const candidates = [...this.#protocols].flatMap(([name, served]) =>
      (protocol ?? name) === name ? [served] : [],
    );
    await this.#offersKnown(candidates);
    const asked = candidates.find(({ offers }) => offers[among].includes(request.type));
    if (asked === undefined) return among === "protocolCommands" ? stillStarting(this.#protocols) : undefined;
    try {
      return { answered: true, value: await asked.request(request, timeoutMs) };
    } catch (error) {
      const { code, message } = adapterErrorOf(error);
      return { answered: false, code, message };
    }
  }

  /** Stops the adapters, then writes the last-seen times of devices. */
  async stop(): Promise<void> {
    this.#cancelSettling();
    this.#isStopped = true;
    await this.#restarting;
    await Promise.all([...this.#protocols].map(([name, protocol]) => this.#end(name, protocol)));
    this.#host.seen.stop();
    await this.#host.seen.write().catch(() => undefined);
    this.#unsubscribe();
  }

  #decided(timestamp: number, firstIndex: number, events: readonly LoggedEvent[], relayed: boolean): void {
    this.#host.chains.follow(timestamp, firstIndex, events);
    // A command from outside waits for the disk.
    if (relayed) return;
    // An absolute command may be sent twice without harm, so it need not wait. A device of this commit has no
    // adapter yet.
    const issued = issuedIn(events).filter(
      ({ absolute, device }) => absolute && this.#kernel.get("binding", device) !== undefined,
    );
    for (const { id } of issued) this.#sent.add(id);
    this.#sendAll(issued);
  }

  /** Reads the causes of the commands of a commit from the log, because no state holds them. */
  #recall(timestamp: number): void {
    for (const { events } of this.#kernel.log.read(timestamp - 1, timestamp))
      this.#host.chains.follow(timestamp, 0, events);
  }

  #published(events: readonly LoggedEvent[]): void {
    // Protocols hear of kept devices first, because the same commit may also hold a command to such a device.
    for (const event of events) {
      if (event.type === "DeviceUnbound") this.#forget(event.id);
      for (const protocol of this.#protocols.values()) protocol.follow(event);
    }
    this.#sendAll(issuedIn(events).filter(({ id }) => !this.#sent.delete(id)));
    if (events.some(({ type }) => featureEvents.has(type))) this.#followFeatures();
  }

  /** Refreshes devices that got a command whose commit then failed. */
  #failed(events: readonly LoggedEvent[]): void {
    for (const event of events) {
      if (event.type !== "CommandIssued" || !this.#sent.delete(event.id)) continue;
      const { device } = event as LoggedEvent<CommandIssued>;
      const binding = this.#kernel.get("binding", device);
      if (binding === undefined) continue;
      const { protocol, native, radio } = binding;
      const id = `refresh ${event.id}`;
      this.#protocols
        .get(protocol)
        ?.send({ id, native, radio, command: { type: "refresh" }, absolute: true });
    }
  }

  /** Sends the commands of a commit, as one frame per group where possible. */
  #sendAll(issued: readonly Sendable[]): void {
    if (issued.length === 0) return;
    const casts = (protocol: string, radio: string): boolean =>
      this.#protocols.get(protocol)?.offers.groupcast.includes(radio) ?? false;
    for (const { commands, group } of batchesOf(issued, this.#kernel, casts)) {
      const sendings = commands.flatMap((command) => this.#sendingOf(command) ?? []);
      const [first] = sendings;
      if (group !== null && first)
        first.protocol.cast(
          group,
          sendings.map(({ sending }) => sending),
        );
      else for (const { protocol, sending } of sendings) protocol.send(sending);
    }
  }

  /**
   * Returns what a protocol has to send; undefined when the device has no protocol, which is recorded as a
   * failure.
   */
  #sendingOf({
    id,
    device,
    attributes,
    absolute,
    action,
  }: Sendable): { readonly protocol: DeviceProtocol; readonly sending: Sending } | undefined {
    const binding = this.#kernel.get("binding", device);
    const protocol = binding && this.#protocols.get(binding.protocol);
    if (binding === undefined || protocol === undefined) {
      this.#note({
        type: "NOTE_COMMAND_FAILED",
        id,
        code: "unreachable",
        message: "its adapter is not running",
      });
      return undefined;
    }
    const { native, radio } = binding;
    const before = this.#kernel.get("device", device)?.state ?? {};
    const command =
      action === undefined ? ({ type: "set", attributes } as const) : { type: action as DeviceAction };
    return { protocol, sending: { id, native, radio, command, absolute, before } };
  }

  /** Sends a pending command again when that is harmless and it is young, or waits for its device; else expires it. */
  #takeUp(command: PendingCommand): void {
    if (command.waits !== undefined) {
      this.#sendAll([command]);
      return;
    }
    const age = this.#kernel.now() - command.issuedAt;
    // Without a trusted clock the hub cannot tell how long it was down.
    const isYoung = this.#kernel.clockTrusted && age >= 0 && age < limits.commandTimeoutMs;
    if (command.absolute && isYoung) this.#sendAll([command]);
    else this.#note({ type: "EXPIRE_COMMAND", id: command.id });
  }

  #forget(device: string): void {
    const binding = this.#kernel.get("binding", device);
    if (binding !== undefined) this.#protocols.get(binding.protocol)?.forget(binding.native);
  }

  #note(command: { type: string; id: string; [field: string]: unknown }): void {
    const chain = this.#host.chains.get(command.id) ?? { origin: "system" as const };
    this.#kernel.submit({ commands: [command], ...chain }).catch((error: unknown) => {
      // The command is still pending, and the next start looks at it again.
      if (isReadOnly(error)) return;
      this.#host.logger.error(
        { reason: (error as Error).message },
        "the outcome of a command was not stored",
      );
    });
  }

  /** Holds back timers that recheck their condition until every radio has reported, up to a limit. */
  #waitForRadios(left: number = limits.settleMs): void {
    const settled = [...this.#protocols.values()].every((protocol) => protocol.settled);
    if (settled || left <= 0) {
      this.#kernel.settled();
      return;
    }
    const stepMs = 1000;
    this.#cancelSettling = this.#host.clock.after(stepMs, () => this.#waitForRadios(left - stepMs));
  }
}

function issuedIn(events: readonly LoggedEvent[]): LoggedEvent<CommandIssued>[] {
  return events.filter(({ type }) => type === "CommandIssued") as LoggedEvent<CommandIssued>[];
}

/** What a hub answers that cannot tell yet what one of its adapters takes; undefined when it can. */
function stillStarting(protocols: ReadonlyMap<string, DeviceProtocol>): RequestOutcome | undefined {
  const isUnknown = ([, { status, offers }]: readonly [string, DeviceProtocol]): boolean =>
    status.state === "starting" && offers.protocolCommands.length + offers.requests.length === 0;
  const names = [...protocols].filter(isUnknown).map(([name]) => name);
  if (names.length === 0) return undefined;
  const message = `an adapter is still starting (${names.join(", ")}): try again`;
  return { answered: false, code: "unreachable", message };
}
