import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Cause, Command, Device, LoggedEvent, Origin } from "@ledge/model";
import type { TestKernel, TestKernelOptions } from "@ledge/testkit";
import { openTestKernel, SimulatedClock } from "@ledge/testkit";
import { RuleEngine } from "./engine.ts";
import type { ValueField } from "./field.ts";
import type { Template } from "./template.ts";
import { catalogue } from "./templates/index.ts";

type Attributes = Readonly<Record<string, unknown>>;

/** A rule and the devices that it works with, by names of the test's own. */
export interface HomeOf {
  /** By name: the class and the capabilities beside DEVICE. */
  readonly devices: Readonly<Record<string, readonly [type: string, ...capabilities: string[]]>>;
  /** What devices show before anything happens; they are reachable. */
  readonly shown?: Readonly<Record<string, Attributes>>;
  /** What their adapter says of devices beside, such as `buttons`. */
  readonly described?: Readonly<Record<string, Attributes>>;
  readonly inputs?: Readonly<Record<string, readonly string[]>>;
  readonly outputs?: Readonly<Record<string, readonly string[]>>;
  /** A value, or a list of values, each as it stands in `value`; whole objects with a `type` as they are. */
  readonly extras?: Readonly<Record<string, unknown>>;
  /** Names of scenes, each of which can be named in extras. */
  readonly scenes?: readonly string[];
  /** Local time at the start; the zone is Europe/Helsinki unless it says otherwise. */
  readonly at?: string;
  readonly zone?: string;
  /** Devices that carry nothing out: commands to them fail. */
  readonly dead?: readonly string[];
  /** The rule is not turned on at the start. */
  readonly off?: true;
}

/** One thing that happens, and what the rule does about it. */
export interface ScenarioStep {
  /** The words of the template's semantics that this shows. */
  readonly shows?: string;
  readonly report?: Readonly<Record<string, Attributes>>;
  /** The first words after a start, before it is settled: they restore what is known. Without `down` at any time. */
  readonly resync?: Readonly<Record<string, Attributes>>;
  /** Devices of which it is noted that they still say the same. */
  readonly seen?: readonly string[];
  /** Devices do what another rule has told them. */
  readonly ruled?: Readonly<Record<string, Attributes>>;
  /** A person commands devices. */
  readonly user?: Readonly<Record<string, Attributes>>;
  /** ms. */
  readonly pass?: number;
  readonly rule?: "on" | "off";
  readonly scene?: Readonly<Record<string, boolean>>;
  /** A person closes an alarm of the rule, or about a device of that name. */
  readonly close?: readonly [kind: string, about?: string];
  /** A person removes one. */
  readonly remove?: readonly [kind: string, about?: string];
  readonly prices?: readonly { readonly start: number; readonly end: number; readonly price: number }[];
  /** The hub's clock is set forward by so much (ms). */
  readonly jump?: number;
  /** The home's clocks are set to another time zone. */
  readonly zone?: string;
  /** What the rule commands, by device; nothing unless given. */
  readonly commands?: Readonly<Record<string, Attributes>>;
  /** Scenes that it turns on or off; none unless given. */
  readonly turned?: Readonly<Record<string, boolean>>;
  /** Alarms that it raises or closes (`-KIND`), in order; none unless given. */
  readonly alarms?: readonly string[];
  /** Devices of which it was kept away. */
  readonly suppressed?: readonly string[];
  /** The home is as it was and nothing of it is looked at: the hub was down meanwhile. */
  readonly down?: number;
}

/**
 * Runs a scenario table of a template: as it stands, and with a restart of the hub before each step. Each step
 * must come to exactly what it says.
 */
export function scenario(
  name: string,
  configType: string,
  home: HomeOf,
  steps: readonly ScenarioStep[],
): void {
  describe(`${configType}: ${name}`, () => {
    for (const restarts of [false, true]) {
      test(restarts ? "with a restart before each step" : "as it stands", async () => {
        const world = await RuleHome.open(configType, home);
        for (const [index, step] of steps.entries()) {
          if (restarts) await world.restart();
          await world.run(step, `step ${index + 1}${step.shows === undefined ? "" : `: ${step.shows}`}`);
        }
        await world.close();
      });
    }
  });
}

const person: Origin = "user:person";

/** A home with one rule, whose devices do what they are told unless they are dead. */
export class RuleHome {
  #hub: TestKernel;
  readonly #of: HomeOf;
  readonly #ids = new Map<string, string>();
  readonly #names = new Map<string, string>();
  #events: LoggedEvent[] = [];
  rule = "";

  private constructor(of: HomeOf) {
    this.#of = of;
    const clock = new SimulatedClock(Date.parse(of.at ?? "2026-01-15T12:00:00+02:00"));
    this.#hub = openTestKernel({ clock, reactions: engineReactions(), onClockJump: this.#noteJump });
    this.#listen();
  }

  static async open(configType: string, of: HomeOf): Promise<RuleHome> {
    const home = new RuleHome(of);
    await home.#furnish(catalogue.template(configType) as Template);
    return home;
  }

  get kernel(): TestKernel["kernel"] {
    return this.#hub.kernel;
  }

  get clock(): SimulatedClock {
    return this.#hub.clock;
  }

  id(name: string): string {
    const id = this.#ids.get(name);
    assert.ok(id, `no ${name}`);
    return id;
  }

  device(name: string): Device {
    return this.kernel.get("device", this.id(name)) as Device;
  }

  async restart(): Promise<void> {
    this.#hub = this.#hub.restart({ reactions: engineReactions() });
    this.#listen();
    this.kernel.settled();
    await this.clock.pass(0);
  }

  async close(): Promise<void> {
    await this.kernel.close();
  }

  /** Does what a step says and checks what comes of it. */
  async run(step: ScenarioStep, what: string): Promise<void> {
    this.#events = [];
    for (const [name, attributes] of Object.entries(step.report ?? {}))
      await this.#report(name, attributes, "device");
    if (step.down === undefined) await this.#resync(step);
    if (step.seen !== undefined) {
      const at = Object.fromEntries(step.seen.map((name) => [this.id(name), this.clock.now()]));
      await this.#submit({ type: "NOTE_SEEN", at }, "system");
    }
    for (const [name, attributes] of Object.entries(step.ruled ?? {}))
      await this.#report(name, attributes, "rule:another");
    for (const [name, state] of Object.entries(step.user ?? {})) {
      await this.#submit({ type: "CMD_DEVICE", id: this.id(name), state }, person);
    }
    if (step.rule !== undefined) {
      await this.#submit(
        { type: step.rule === "on" ? "RULE_ON_COMMAND" : "RULE_OFF_COMMAND", id: this.rule },
        person,
      );
    }
    for (const [name, on] of Object.entries(step.scene ?? {})) {
      await this.#submit({ type: on ? "CMD_SCENE_ON" : "CMD_SCENE_OFF", id: this.id(name) }, person);
    }
    for (const [type, alarm] of [
      ["CLOSE_ALARM", step.close],
      ["DELETE_ALARM", step.remove],
    ] as const) {
      if (alarm === undefined) continue;
      const [kind, about] = alarm;
      const id = `${kind}-${about === undefined ? this.rule : this.id(about)}`;
      await this.#submit({ type, id }, person);
    }
    if (step.prices !== undefined) await this.#price(step.prices);
    if (step.jump !== undefined) this.clock.stepWall(step.jump);
    if (step.zone !== undefined) await this.#setZone(step.zone);
    if (step.down !== undefined) await this.#sleep(step.down, step);
    await this.clock.pass(step.pass ?? 0);
    this.#check(step, what);
  }

  async #resync({ resync = {} }: ScenarioStep): Promise<void> {
    for (const [name, attributes] of Object.entries(resync)) await this.#report(name, attributes, "resync");
  }

  async #sleep(ms: number, step: ScenarioStep): Promise<void> {
    const { clock } = this;
    const down = this.#hub.log.clone();
    this.kernel.close().catch(() => undefined);
    await clock.pass(ms);
    this.#hub = openTestKernel({
      clock,
      log: down,
      reactions: engineReactions(),
      onClockJump: this.#noteJump,
    });
    this.#listen();
    // Radios take a moment.
    await clock.pass(10);
    await this.#resync(step);
    this.kernel.settled();
  }

  #check(step: ScenarioStep, what: string): void {
    const by: Origin = `rule:${this.rule}`;
    const own = this.#events.filter(({ origin }) => origin === by);
    const of = (type: string): LoggedEvent[] => own.filter((event) => event.type === type);
    const commands: Record<string, Attributes> = {};
    for (const event of of("CommandIssued") as (LoggedEvent & { device: string; attributes: Attributes })[]) {
      const name = this.#name(event.device);
      commands[name] = { ...commands[name], ...event.attributes };
    }
    const turned: Record<string, boolean> = {};
    for (const { id } of of("SceneTurnedOn")) turned[this.#name(id)] = true;
    for (const { id } of of("SceneTurnedOff")) turned[this.#name(id)] = false;
    const alarms = own.flatMap(({ type, id }) => {
      if (type !== "AlarmRaised" && type !== "AlarmClosed") return [];
      const [kind = "", ...source] = id.split("-");
      const about = this.#names.get(source.join("-"));
      return [`${type === "AlarmClosed" ? "-" : ""}${kind}${about === undefined ? "" : ` ${about}`}`];
    });
    const suppressed = of("CommandSuppressed").map(({ id }) => this.#name(id));
    const faults = of("RuleFaulted").map((event) => (event as LoggedEvent & { reason: string }).reason);
    assert.deepEqual(faults, [], what);
    assert.deepEqual(
      { commands, turned, alarms, suppressed },
      {
        commands: step.commands ?? {},
        turned: step.turned ?? {},
        alarms: step.alarms ?? [],
        suppressed: step.suppressed ?? [],
      },
      what,
    );
  }

  async #furnish({ configType, inputs, outputs, extras }: Template): Promise<void> {
    const { devices, shown = {}, described = {}, scenes = [], zone = "Europe/Helsinki" } = this.#of;
    await this.#hub.accept({ type: "CREATE_HUB", name: "Home", timezone: zone });
    for (const [name, [type, ...capabilities]] of Object.entries(devices)) {
      const what = {
        class: type,
        capabilities: ["DEVICE", ...capabilities],
        manufacturer: null,
        model: null,
        extras: described[name] ?? {},
      };
      const add = { type: "ADD_DEVICE", name, protocol: "sim", native: name, radio: "sim", ...what };
      this.#call(name, await this.#hub.accept(add));
      await this.#report(name, { reachable: true, ...shown[name] }, "resync");
    }
    for (const name of scenes) this.#call(name, await this.#hub.accept({ type: "CMD_SCENE", name }));
    const config = {
      type: "CONFIG",
      name: "The rule",
      configType,
      inputs: this.#filled(Object.keys(inputs), this.#of.inputs),
      outputs: this.#filled(Object.keys(outputs), this.#of.outputs),
      extras: Object.fromEntries(
        Object.entries(extras).map(([name, field]) => [name, this.#typed(field, this.#of.extras?.[name])]),
      ),
    };
    this.rule = await this.#hub.accept({ type: "SET_RULE", config });
    this.kernel.settled();
    await this.clock.pass(0);
    if (!this.#of.off) await this.#hub.accept({ type: "RULE_ON_COMMAND", id: this.rule });
    await this.clock.pass(0);
  }

  #filled(fields: readonly string[], given: HomeOf["inputs"] = {}): object {
    const unknown = Object.keys(given).filter((name) => !fields.includes(name));
    assert.deepEqual(unknown, [], "fields that the template does not have");
    return Object.fromEntries(
      fields.map((name) => [name, (given[name] ?? []).map((device) => this.id(device))]),
    );
  }

  #typed({ fieldType, max }: ValueField, given: unknown): readonly object[] {
    if (given === undefined) return [];
    const values = max > 1 ? [given].flat() : [given];
    return values.map((value) => {
      if (typeof value === "object" && value !== null && "type" in value) return value;
      return { type: fieldType, value: fieldType === "SCENE" ? this.id(value as string) : value };
    });
  }

  #call(name: string, id: string): void {
    this.#ids.set(name, id);
    this.#names.set(id, name);
  }

  #name(id: string): string {
    return this.#names.get(id) ?? id;
  }

  readonly #noteJump: NonNullable<TestKernelOptions["onClockJump"]> = (jump) => {
    const [id] = [...this.kernel.all("hub")].map(([hub]) => hub);
    void this.#submit({ type: "NOTE_CLOCK_JUMP", id, ...jump }, "system");
  };

  async #price(slots: readonly object[]): Promise<void> {
    const [hub] = [...this.kernel.all("hub")].map(([id]) => id);
    const market = { area: "FI", currency: "EUR", unit: "kWh" };
    await this.#submit({ type: "SET_PRICES", id: hub, ...market, slots }, "system");
  }

  async #setZone(timezone: string): Promise<void> {
    const [hub] = [...this.kernel.all("hub")].map(([id]) => id);
    await this.#submit({ type: "SET_TIMEZONE", id: hub, timezone }, person);
  }

  #report(name: string, attributes: Attributes, origin: Origin, chain: object = {}): Promise<void> {
    return this.#submit(
      { type: "REPORT_DEVICE", id: this.id(name), attributes, at: this.clock.now() },
      origin,
      chain,
    );
  }

  async #submit(command: Command & Attributes, origin: Origin, chain: object = {}): Promise<void> {
    const outcome = await this.#hub.submit(command, { origin, ...chain });
    assert.ok(outcome.accepted, `${command.type}: ${JSON.stringify(outcome)}`);
    // Timestamps of what follows at once run ahead of the clock.
    await this.clock.pass(10);
  }

  #listen(): void {
    const { kernel } = this.#hub;
    kernel.subscribe({
      published: ({ timestamp, events }) => {
        this.#events.push(...events);
        for (const [index, event] of events.entries()) {
          if (event.type === "CommandIssued") this.#obey(event as never, `${timestamp}-${index}`);
        }
      },
    });
  }

  /** The device does what it is told, and says so on behalf of whoever told it. */
  #obey(command: LoggedEvent & { device: string; attributes: Attributes }, cause: Cause): void {
    const name = this.#name(command.device);
    const { origin, depth, root = cause } = command;
    const chain = { origin, cause, root, depth: depth + 1 };
    const at = this.clock.now();
    const isDead = this.#of.dead?.includes(name) === true;
    const report = { type: "REPORT_DEVICE", id: command.device, attributes: command.attributes, at };
    const commands = isDead
      ? [{ type: "NOTE_COMMAND_FAILED", id: command.id, code: "timeout", message: "no answer" }]
      : [report, { type: "NOTE_COMMAND_DONE", id: command.id }];
    void this.#hub.submit(commands, chain);
  }
}

function engineReactions(): RuleEngine["reactions"] {
  return new RuleEngine(catalogue).reactions;
}
