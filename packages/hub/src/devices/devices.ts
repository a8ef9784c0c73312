import type { Submission as Sending } from "@ledge/dispatch";
import type { Asking, RequestOutcome } from "@ledge/api";
import type { Kernel, Outcome, Submission } from "@ledge/kernel";
import { isReadOnly } from "@ledge/kernel";
import type { CommandIssued, DeviceAction, LoggedEvent, PendingCommand } from "@ledge/model";
import { limits } from "@ledge/model";
import type { AdapterRequest } from "@ledge/port";
import { adapterErrorOf } from "@ledge/port";
import type { AdapterStatus } from "../adapters/supervisor.ts";
import { batchesOf } from "./casts.ts";
import { portKey, portsIn } from "../serial/ports-in.ts";
import { CommandChains } from "./command-chains.ts";
import { Natives } from "./natives.ts";
import type { DeviceProtocol, ProtocolHost } from "./protocol.ts";
import { Protocol } from "./protocol.ts";
import { SeenNotes } from "./seen-notes.ts";

/** A command as it was decided, or as it is pending. */
type Sendable = Pick<CommandIssued, "id" | "device" | "attributes" | "absolute" | "group" | "action">;

/** Opens a protocol: starts its adapter. */
export type OpenProtocol = (name: string, settings: unknown, host: ProtocolHost) => DeviceProtocol;

/** The devices of the hub: which protocol each belongs to, and the way of commands from the log to the radio. */
export class Devices {
  readonly #kernel: Kernel;
  readonly #host: ProtocolHost;
  readonly #open: OpenProtocol;
  readonly #protocols = new Map<string, DeviceProtocol>();
  /** Ports by what they are compared by, with the protocol whose adapter has them. */
  readonly #ports = new Map<string, string>();
  /** Adapters that were not started, as another has their port. */
  readonly #refused = new Map<string, { readonly settings: unknown; readonly reason: string }>();
  #restarting: Promise<unknown> = Promise.resolve();
  #isStopped = false;
  /** Commands that went out beside their commit. */
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

  /** Starts the adapters of a profile, each on its own, and takes up the commands that a stop left pending. */
  start(adapters: Readonly<Record<string, unknown>>): void {
    for (const [name, settings] of Object.entries(adapters)) this.#begin(name, settings);
    this.#noteUnserved();
    const pending = [...this.#kernel.all("command")].map(([, command]) => command);
    for (const timestamp of new Set(pending.map(({ issuedAt }) => issuedAt))) this.#recall(timestamp);
    for (const command of pending) this.#takeUp(command);
    // Nobody waits for what was being paired when the hub stopped.
    if (this.#kernel.size("scan") > 0)
      this.#kernel.submit({ commands: [{ type: "END_SCAN" }], origin: "system" }).catch(() => undefined);
    this.#waitForRadios();
  }

  /**
   * Stops the adapter of a protocol, if it runs, and starts it with other settings. Resolves when that is done; each
   * waits for the one before.
   */
  restart(name: string, settings: unknown): Promise<void> {
    const restarted = this.#restartAfter(this.#restarting, name, settings);
    this.#restarting = restarted.catch(() => undefined);
    return restarted;
  }

  async #restartAfter(before: Promise<unknown>, name: string, settings: unknown): Promise<void> {
    await before;
    const running = this.#protocols.get(name);
    this.#protocols.delete(name);
    if (running !== undefined) await this.#end(name, running);
    for (const [port, user] of this.#ports) if (user === name) this.#ports.delete(port);
    if (this.#isStopped) return;
    this.#begin(name, settings);
    this.#noteUnserved();
    // Those that the one before had not sent yet.
    for (const [, command] of this.#kernel.all("command"))
      if (this.#kernel.get("binding", command.device)?.protocol === name) this.#takeUp(command);
  }

  /** Stops an adapter. One that does not end as it should is killed, and is in nobody's way. */
  async #end(name: string, protocol: DeviceProtocol): Promise<void> {
    try {
      await protocol.stop();
    } catch (error) {
      this.#host.logger.error({ adapter: name, reason: (error as Error).message }, "it did not stop well");
    }
  }

  /** A port is opened by one adapter: a second that is to have it is not started, and its alarm says why. */
  #begin(name: string, settings: unknown): void {
    this.#refused.delete(name);
    const ports = portsIn(settings);
    const taken = ports.find((port) => this.#ports.has(portKey(port)));
    if (taken !== undefined) {
      const reason = `${taken} is in use by ${this.#ports.get(portKey(taken))}`;
      this.#refused.set(name, { settings, reason });
      const noted = { type: "NOTE_ADAPTER", id: name, state: "resting", reason, failure: "settings" };
      void this.#host.notes.note(noted);
      return;
    }
    for (const port of ports) this.#ports.set(portKey(port), name);
    this.#protocols.set(name, this.#open(name, settings, this.#host));
  }

  /** Devices of which no adapter was begun, as none is on or another has its port, cannot be reached. */
  #noteUnserved(): void {
    const unserved = new Set<string>();
    for (const [id, { protocol, removed }] of this.#kernel.all("binding")) {
      const isShown = !removed && this.#kernel.get("device", id)?.state["reachable"] !== false;
      if (isShown && !this.#protocols.has(protocol)) unserved.add(protocol);
    }
    const at = this.#kernel.now();
    for (const id of unserved) {
      const reason = this.#refused.get(id)?.reason ?? "it is not on";
      const noted = { type: "NOTE_ADAPTER_AWAY", id, reason, at, spared: [] };
      void this.#host.notes.note(noted);
    }
  }

  /** How each adapter fares, by protocol. */
  statuses(): Record<string, AdapterStatus> {
    const refused = [...this.#refused].map(([name, { reason }]) => {
      const status = { state: "resting", failures: 0, reports: 0, reason, failure: "settings" } as const;
      return [name, status] as const;
    });
    return Object.fromEntries([
      ...[...this.#protocols].map(([name, { status }]) => [name, status] as const),
      ...refused,
    ]);
  }

  /** Tries a resting adapter again; false when there is none of that name. */
  resume(name: string): boolean {
    const refused = this.#refused.get(name);
    if (refused !== undefined) this.#begin(name, refused.settings);
    else this.#protocols.get(name)?.resume();
    return refused !== undefined || this.#protocols.has(name);
  }

  /**
   * Carries out commands that only switch devices, while nothing can be recorded: they go to the radio, and neither
   * the log nor the state knows of them.
   * @returns undefined when they would change anything else, or their adapter is away: nothing is done then
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

  /** Whether a device has an adapter that runs; what is sent to one that still starts waits for it. */
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
   * @returns the outcome; undefined where none of the profile's adapters offers the request.
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
    if (asked === undefined) return undefined;
    try {
      return { answered: true, value: await asked.request(request, timeoutMs) };
    } catch (error) {
      const { code, message } = adapterErrorOf(error);
      return { answered: false, code, message };
    }
  }

  /** Stops the adapters, then writes down when devices were last heard of. */
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
    // One from outside waits for the disk.
    if (relayed) return;
    // Absolute: sent again it does no harm, so it need not wait. A device of this commit is nobody's yet.
    const issued = issuedIn(events).filter(
      ({ absolute, device }) => absolute && this.#kernel.get("binding", device) !== undefined,
    );
    for (const { id } of issued) this.#sent.add(id);
    this.#sendAll(issued);
  }

  /** Reads on whose behalf the commands of a commit were given: no state holds that. */
  #recall(timestamp: number): void {
    for (const { events } of this.#kernel.log.read(timestamp - 1, timestamp))
      this.#host.chains.follow(timestamp, 0, events);
  }

  #published(events: readonly LoggedEvent[]): void {
    // First whom the adapters are to have: what is sent to a device may stand in the commit that keeps it.
    for (const event of events) {
      if (event.type === "DeviceUnbound") this.#forget(event.id);
      for (const protocol of this.#protocols.values()) protocol.follow(event);
    }
    this.#sendAll(issuedIn(events).filter(({ id }) => !this.#sent.delete(id)));
  }

  /** Devices that were told something which never became true are asked how they are. */
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

  /** Sends the commands of a commit, those to a group as one frame where that can be. */
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

  /** What a protocol is to send; undefined when there is none, and that is noted. */
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

  /** Sent again only when that does no harm and somebody may still wait for it. */
  #takeUp(command: PendingCommand): void {
    const age = this.#kernel.now() - command.issuedAt;
    // Without a clock to believe nobody knows how long the hub was down.
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
      // It is pending still, and is looked at again after the next start.
      if (isReadOnly(error)) return;
      this.#host.logger.error({ reason: (error as Error).message }, "the end of a command was not stored");
    });
  }

  /** Timers that look before they fire wait until every radio has reported again, but not for ever. */
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
