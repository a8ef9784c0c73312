import assert from "node:assert/strict";
import type {
  AnyDecider,
  Capability,
  Cause,
  Command,
  Device,
  DeviceClass,
  LoggedEvent,
  Origin,
  PendingCommand,
  Reaction,
} from "@ledge/model";
import { activation, aggregates, limits } from "@ledge/model";
import type { TestKernel, TestKernelOptions } from "@ledge/testkit";
import { contentOf, openTestKernel, SimulatedClock } from "@ledge/testkit";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { rulesOf } from "../catalogue/config.ts";
import { customRules } from "../custom/installing.ts";
import { RuleEngine } from "../engine.ts";
import { catalogue as all } from "../templates/index.ts";

type Attributes = Readonly<Record<string, unknown>>;
export type Issued = LoggedEvent & { readonly device: string; readonly attributes: Attributes };

export interface HouseOf {
  readonly catalogue?: Catalogue;
  /** Local time at the start; the zone is Europe/Helsinki unless it names another. */
  readonly at?: string;
  readonly zone?: string;
  /** Accepts any CONFIG, as if another release had let it in. */
  readonly unchecked?: true;
  readonly kernel?: TestKernelOptions;
}

/** The fields of a rule; those left out are empty. */
export interface RuleOf {
  readonly inputs?: Readonly<Record<string, readonly string[]>>;
  readonly outputs?: Readonly<Record<string, readonly string[]>>;
  readonly extras?: Readonly<Record<string, readonly object[]>>;
}

/** The chain that a device's report continues. */
interface Chain {
  readonly origin: Origin;
  readonly cause: Cause;
  readonly root: Cause;
  readonly depth: number;
}

/** Some tests live through weeks, where frequent checks of the clock would take most of the time. */
const clockCheckMs = 60_000;

/** A stand-in for a hash, which differs for texts of different lengths. */
export const lengthHash = (text: string): string => `${text.length} characters`;

/** Applies the presets of a scene that goes on, as the hub does. */
export const scenes: Reaction = {
  name: "scenes",
  on: ["SceneTurnedOn"],
  origin: ({ id }) => `scene:${id}`,
  react: (event) => [activation(event.id, (event as LoggedEvent).origin)],
};

/** A home with several rules, whose devices carry out commands and report it, unless they are dead. */
export class TestHouse {
  #of: HouseOf;
  readonly #names = new Map<string, string>();
  /** Devices whose commands fail. */
  readonly dead = new Set<string>();
  /** Devices that accept a command and never report. */
  readonly mute = new Set<string>();
  /** Devices whose commands get no answer at all. */
  readonly lost = new Set<string>();
  /** Called at every command to a device, with the time of publication (ms). */
  onIssued: (command: Issued, at: number) => void = () => {};
  /** While true, no command reaches its device until the process has died. */
  losesCommands = false;
  /** Commands that devices got and that are not idempotent. */
  readonly impulses: string[] = [];
  #hub: TestKernel;
  #events: LoggedEvent[] = [];

  private constructor(of: HouseOf) {
    this.#of = of;
    const clock = new SimulatedClock(Date.parse(of.at ?? "2026-01-15T12:00:00+02:00"));
    this.#hub = openTestKernel({ clockCheckMs, ...of.kernel, clock, ...this.#parts() });
    this.#listen();
  }

  static async open(of: HouseOf = {}): Promise<TestHouse> {
    const house = new TestHouse(of);
    await house.accept({ type: "CREATE_HUB", name: "Home", timezone: of.zone ?? "Europe/Helsinki" });
    house.kernel.settled();
    return house;
  }

  /** Reopens the house after its process has died: what the log holds, at the time of its end. */
  static async reopen(of: HouseOf): Promise<TestHouse> {
    const house = new TestHouse(of);
    await house.#resume();
    return house;
  }

  get kernel(): TestKernel["kernel"] {
    return this.#hub.kernel;
  }

  get clock(): SimulatedClock {
    return this.#hub.clock;
  }

  get hub(): TestKernel {
    return this.#hub;
  }

  get hubId(): string {
    const [[id] = assert.fail("no hub")] = [...this.kernel.all("hub")];
    return id;
  }

  /** The events published since `forget`, in order. */
  get events(): readonly LoggedEvent[] {
    return this.#events;
  }

  forget(): void {
    this.#events = [];
  }

  /** Returns how often each type of event came since `forget`. */
  counts(): Readonly<Record<string, number>> {
    const found: Record<string, number> = {};
    for (const { type } of this.#events) found[type] = (found[type] ?? 0) + 1;
    return found;
  }

  /**
   * Returns the commands to devices since `forget`: `<device> <attributes as JSON> <origin>`, with names
   * where known.
   */
  issued(): readonly string[] {
    return this.#events
      .filter((event): event is Issued => event.type === "CommandIssued")
      .map(({ device, attributes, origin }) => {
        const [kind, by = ""] = origin.split(":");
        return `${this.name(device)} ${JSON.stringify(attributes)} ${this.#names.get(by) ?? kind}`;
      });
  }

  name(id: string): string {
    return this.#names.get(id) ?? id;
  }

  call(name: string, id: string): string {
    this.#names.set(id, name);
    return id;
  }

  device(id: string): Device {
    return this.kernel.get("device", id) as Device;
  }

  /**
   * Adds a device.
   * @param shown its first state
   */
  async addDevice(
    name: string,
    type: DeviceClass,
    capabilities: readonly Capability[],
    shown: Attributes = {},
    extras: Attributes = {},
  ): Promise<string> {
    const content = { ...contentOf(type, ["DEVICE", ...capabilities]), extras };
    const add = { type: "ADD_DEVICE", name, protocol: "sim", native: name, radio: "sim", ...content };
    const id = this.call(name, await this.accept(add));
    await this.report(id, { reachable: true, ...shown }, "resync");
    return id;
  }

  lamp(name: string, isOn = false): Promise<string> {
    return this.addDevice(name, "LIGHT", ["ON_OFF", "BRIGHTNESS"], { isOn });
  }

  configOf(name: string, configType: string, of: RuleOf): object {
    const template = (this.#of.catalogue ?? all).template(configType, this.kernel);
    const none = (fields: object = {}): object =>
      Object.fromEntries(Object.keys(fields).map((field) => [field, []]));
    const inputs = { ...none(template?.inputs), ...of.inputs };
    const outputs = { ...none(template?.outputs), ...of.outputs };
    const extras = { ...none(template?.extras), ...of.extras };
    return { type: "CONFIG", name, configType, inputs, outputs, extras };
  }

  /** Makes a rule and turns it on. */
  async addRule(name: string, configType: string, of: RuleOf): Promise<string> {
    const command = { type: "SET_RULE", config: this.configOf(name, configType, of) };
    const id = this.call(name, await this.accept(command));
    await this.accept({ type: "RULE_ON_COMMAND", id });
    await this.clock.pass(10);
    return id;
  }

  async report(id: string, attributes: Attributes, origin: Origin = "device"): Promise<void> {
    await this.submit({ type: "REPORT_DEVICE", id, attributes, at: this.clock.now() }, origin);
  }

  /** Lets a person command a device. */
  async use(id: string, state: Attributes): Promise<void> {
    await this.submit({ type: "CMD_DEVICE", id, state }, "user:person");
  }

  async accept(command: Command & Attributes): Promise<string> {
    const id = await this.#hub.accept(command);
    await this.clock.pass(10);
    return id;
  }

  async submit(command: Command & Attributes, origin: Origin): Promise<void> {
    const outcome = await this.#hub.submit(command, { origin });
    assert.ok(outcome.accepted, `${command.type}: ${JSON.stringify(outcome)}`);
    // Timestamps of what follows at once run ahead of the clock.
    await this.clock.pass(10);
  }

  /**
   * Lets the process die and start again, with what is durable. Recent commands under way are sent again, as
   * the hub does.
   * @param changes replaces options of the house
   * @param resync what devices report before the hub is settled; by default they repeat their state
   */
  async restart(changes: Partial<HouseOf> = {}, downMs = 0, resync?: () => Promise<void>): Promise<void> {
    const log = this.#hub.log.clone();
    this.kernel.close().catch(() => undefined);
    const { clock } = this;
    if (downMs > 0) await clock.pass(downMs);
    this.#of = { ...this.#of, ...changes };
    this.losesCommands = false;
    this.#hub = openTestKernel({ clockCheckMs, ...this.#of.kernel, clock, log, ...this.#parts() });
    this.#listen();
    await this.#resume(resync);
  }

  async close(): Promise<void> {
    await this.kernel.close();
  }

  async #resume(resync = () => this.#sayAgain()): Promise<void> {
    const { kernel, clock } = this;
    const pending = [...kernel.all("command")].map(([, command]) => command);
    const inOrder = pending.toSorted((a, b) => a.issuedAt - b.issuedAt || (a.id < b.id ? -1 : 1));
    for (const command of inOrder) {
      const isGood = command.absolute && clock.now() - command.issuedAt < limits.commandTimeoutMs;
      if (isGood) this.#carryOut(command.id, command.device, command.attributes, this.#chainOf(command));
      else await this.#hub.submit({ type: "EXPIRE_COMMAND", id: command.id });
    }
    await clock.pass(0);
    await resync();
    kernel.settled();
    await clock.pass(0);
  }

  async #sayAgain(): Promise<void> {
    const reports = [...this.kernel.all("device")].map(([id, { state }]) => {
      const { type: _, lastSeen: _seen, ...attributes } = state;
      return { type: "REPORT_DEVICE", id, attributes, at: this.clock.now() };
    });
    await this.#hub.submit(reports, { origin: "resync" });
  }

  /** Returns the chain of a command from before the process died, from the log. */
  #chainOf({ id, issuedAt }: PendingCommand): Chain {
    for (const { timestamp, events } of this.kernel.log.read(issuedAt - 1, issuedAt)) {
      const index = events.findIndex((event) => event.type === "CommandIssued" && event.id === id);
      const event = events[index];
      if (event !== undefined) return chainAfter(event, `${timestamp}-${index}`);
    }
    throw new Error(`the log does not hold the command ${id}`);
  }

  #parts(): Pick<TestKernelOptions, "aggregates" | "reactions" | "onClockJump"> {
    const { catalogue = all, unchecked } = this.#of;
    const knowing: Readonly<Record<string, AnyDecider>> = {
      rule: rulesOf(catalogue) as AnyDecider,
      customRule: customRules(lengthHash) as AnyDecider,
    };
    return {
      reactions: [scenes, ...new RuleEngine(catalogue).reactions],
      aggregates: unchecked ? aggregates : aggregates.map((known) => knowing[known.kind] ?? known),
      onClockJump: (jump) => {
        void this.submit({ type: "NOTE_CLOCK_JUMP", id: this.hubId, ...jump }, "system");
      },
    };
  }

  #listen(): void {
    this.kernel.subscribe({
      published: ({ timestamp, events }) => {
        this.#events.push(...events);
        for (const [index, event] of events.entries()) {
          if (event.type !== "CommandIssued") continue;
          const { id, device, attributes } = event as Issued;
          this.onIssued(event as Issued, this.clock.now());
          this.#carryOut(id, device, attributes, chainAfter(event, `${timestamp}-${index}`));
        }
      },
    });
  }

  /** The device carries out a command and reports on behalf of its sender. */
  #carryOut(id: string, device: string, attributes: Attributes, chain: Chain): void {
    if (this.losesCommands || this.lost.has(device)) return;
    if (this.kernel.get("command", id)?.absolute === false) this.impulses.push(id);
    const report = { type: "REPORT_DEVICE", id: device, attributes, at: this.clock.now() };
    const done = { type: "NOTE_COMMAND_DONE", id };
    const failed = { type: "NOTE_COMMAND_FAILED", id, code: "timeout", message: "no answer" };
    const said = this.mute.has(device) ? [done] : [report, done];
    // Nobody hears of a process that has died.
    this.#hub.submit(this.dead.has(device) ? [failed] : said, chain).catch(() => undefined);
  }
}

function chainAfter(event: LoggedEvent, ref: Cause): Chain {
  const { origin, root, cause, depth } = event;
  return { origin, cause: ref, root: root ?? cause ?? ref, depth: depth + 1 };
}
