import type { Asking, RequestOutcome } from "@ledge/api";
import type { Kernel, Outcome, Submission } from "@ledge/kernel";
import { isReadOnly } from "@ledge/kernel";
import type { CommandIssued, DeviceAction, LoggedEvent, PendingCommand } from "@ledge/model";
import { limits } from "@ledge/model";
import type { AdapterRequest } from "@ledge/port";
import { adapterErrorOf } from "@ledge/port";
import type { AdapterStatus } from "../adapters/supervisor.ts";
import { CommandChains } from "./command-chains.ts";
import { Natives } from "./natives.ts";
import type { DeviceProtocol, ProtocolHost } from "./protocol.ts";
import { Protocol } from "./protocol.ts";
import { SeenNotes } from "./seen-notes.ts";

/** A command as it was decided, or as it is pending. */
type Sendable = Pick<CommandIssued, "id" | "device" | "absolute"> & {
  readonly attributes: PendingCommand["attributes"];
  readonly action?: string;
};

/** Opens a protocol: starts its adapter. */
export type OpenProtocol = (name: string, settings: unknown, host: ProtocolHost) => DeviceProtocol;

/** The devices of the hub: which protocol each belongs to, and the way of commands from the log to the radio. */
export class Devices {
  readonly #kernel: Kernel;
  readonly #host: ProtocolHost;
  readonly #open: OpenProtocol;
  readonly #protocols = new Map<string, DeviceProtocol>();
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
    for (const [name, settings] of Object.entries(adapters)) {
      this.#protocols.set(name, this.#open(name, settings, this.#host));
    }
    const pending = [...this.#kernel.all("command")].map(([, command]) => command);
    for (const timestamp of new Set(pending.map(({ issuedAt }) => issuedAt))) this.#recall(timestamp);
    for (const command of pending) this.#takeUp(command);
    // Nobody waits for what was being paired when the hub stopped.
    if (this.#kernel.size("scan") > 0)
      this.#kernel.submit({ commands: [{ type: "END_SCAN" }], origin: "system" }).catch(() => undefined);
    this.#waitForRadios();
  }

  /** How each adapter fares, by protocol. */
  statuses(): Record<string, AdapterStatus> {
    return Object.fromEntries([...this.#protocols].map(([name, { status }]) => [name, status]));
  }

  /** Tries a resting adapter again; false when there is none of that name. */
  resume(name: string): boolean {
    this.#protocols.get(name)?.resume();
    return this.#protocols.has(name);
  }

  /**
   * Carries out commands that only switch devices, while nothing can be recorded: they go to the radio, and neither
   * the log nor the state knows of them.
   * @returns undefined when they would change anything else, or their adapter does not run: nothing is done then
   */
  switchUnrecorded(submission: Submission): Outcome | undefined {
    const { outcome, events } = this.#kernel.foresee(submission);
    if (!outcome.accepted) return outcome;
    const issued = events.filter(({ type }) => type === "CommandIssued") as LoggedEvent<CommandIssued>[];
    if (issued.length < events.length || !issued.every(({ device }) => this.#isReachable(device)))
      return undefined;
    for (const command of issued) this.#send(command);
    return outcome;
  }

  #isReachable(device: string): boolean {
    const protocol = this.#protocols.get(this.#kernel.get("binding", device)?.protocol ?? "");
    return protocol?.status.state === "running";
  }

  /** The protocols whose adapters answer requests of a type. */
  offering(type: string, among: Asking["among"] = "requests"): string[] {
    return [...this.#protocols].flatMap(([name, { offers }]) => (offers[among].includes(type) ? [name] : []));
  }

  /**
   * Has an adapter answer a request: the first that offers its type, or that of a given protocol.
   * @returns what came of it; undefined where none of the profile's adapters offers it.
   */
  async request(
    request: AdapterRequest,
    { among, protocol, timeoutMs = limits.requestMs }: Asking,
  ): Promise<RequestOutcome | undefined> {
    const asked = [...this.#protocols].find(
      ([name, { offers }]) => (protocol ?? name) === name && offers[among].includes(request.type),
    )?.[1];
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
    await Promise.all([...this.#protocols.values()].map((protocol) => protocol.stop()));
    this.#host.seen.stop();
    await this.#host.seen.write().catch(() => undefined);
    this.#unsubscribe();
  }

  #decided(timestamp: number, firstIndex: number, events: readonly LoggedEvent[], relayed: boolean): void {
    this.#host.chains.follow(timestamp, firstIndex, events);
    // One from outside waits for the disk.
    if (relayed) return;
    for (const event of events) {
      if (event.type !== "CommandIssued") continue;
      const issued = event as LoggedEvent<CommandIssued>;
      // Absolute: sent again it does no harm, so it need not wait.
      if (!issued.absolute) continue;
      this.#sent.add(issued.id);
      this.#send(issued);
    }
  }

  /** Reads on whose behalf the commands of a commit were given: no state holds that. */
  #recall(timestamp: number): void {
    for (const { events } of this.#kernel.log.read(timestamp - 1, timestamp))
      this.#host.chains.follow(timestamp, 0, events);
  }

  #published(events: readonly LoggedEvent[]): void {
    for (const event of events) {
      if (event.type === "CommandIssued" && !this.#sent.delete(event.id))
        this.#send(event as LoggedEvent<CommandIssued>);
      if (event.type === "DeviceUnbound") this.#forget(event.id);
      for (const protocol of this.#protocols.values()) protocol.follow(event);
    }
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

  #send({ id, device, attributes, absolute, action }: Sendable): void {
    const binding = this.#kernel.get("binding", device);
    const protocol = binding && this.#protocols.get(binding.protocol);
    if (binding === undefined || protocol === undefined) {
      this.#note({
        type: "NOTE_COMMAND_FAILED",
        id,
        code: "unreachable",
        message: "its adapter is not running",
      });
      return;
    }
    const { native, radio } = binding;
    const before = this.#kernel.get("device", device)?.state ?? {};
    const command =
      action === undefined ? ({ type: "set", attributes } as const) : { type: action as DeviceAction };
    protocol.send({ id, native, radio, command, absolute, before });
  }

  /** Sent again only when that does no harm and somebody may still wait for it. */
  #takeUp(command: PendingCommand): void {
    const age = this.#kernel.now() - command.issuedAt;
    // Without a clock to believe nobody knows how long the hub was down.
    const isYoung = this.#kernel.clockTrusted && age >= 0 && age < limits.commandTimeoutMs;
    if (command.absolute && isYoung) this.#send(command);
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
