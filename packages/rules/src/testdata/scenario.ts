import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Capability, Command, DeviceClass, LoggedEvent, Origin } from "@ledge/model";
import type { ValueField } from "../catalogue/field.ts";
import type { Template } from "../catalogue/template.ts";
import { catalogue } from "../templates/index.ts";
import type { HouseOf, Issued, RuleOf } from "./house.ts";
import { TestHouse } from "./house.ts";

type Attributes = Readonly<Record<string, unknown>>;

/** A rule and its devices, by names of the test. */
export interface HomeOf extends Pick<HouseOf, "at" | "zone"> {
  /** The class of each device and its capabilities besides DEVICE. */
  readonly devices: Readonly<Record<string, readonly [DeviceClass, ...Capability[]]>>;
  /** The first state of devices; they are reachable. */
  readonly shown?: Readonly<Record<string, Attributes>>;
  /** Descriptions of devices by their adapter, such as `buttons`. */
  readonly described?: Readonly<Record<string, Attributes>>;
  readonly inputs?: Readonly<Record<string, readonly string[]>>;
  readonly outputs?: Readonly<Record<string, readonly string[]>>;
  /** A value, or a list of values, as in `value`; objects with a `type` are taken as they are. */
  readonly extras?: Readonly<Record<string, unknown>>;
  /** Names of scenes, which extras can use. */
  readonly scenes?: readonly string[];
  /** Devices whose commands fail. */
  readonly dead?: readonly string[];
  /** The rule is off at the start. */
  readonly off?: true;
}

/** One step of a scenario, and what the rule does in it. */
export interface ScenarioStep {
  /** The part of the template's behaviour that this step shows. */
  readonly shows?: string;
  readonly report?: Readonly<Record<string, Attributes>>;
  /**
   * The first reports after a start, before the hub is settled: they restore what is known. Without `down` at
   * any time.
   */
  readonly resync?: Readonly<Record<string, Attributes>>;
  /** Devices for which the hub notes that they repeat their state. */
  readonly seen?: readonly string[];
  /** Devices carry out the commands of another rule. */
  readonly ruled?: Readonly<Record<string, Attributes>>;
  /** A person commands devices. */
  readonly user?: Readonly<Record<string, Attributes>>;
  /** Lets time pass (ms). */
  readonly pass?: number;
  readonly rule?: "on" | "off";
  readonly scene?: Readonly<Record<string, boolean>>;
  /** A person closes an alarm of the rule, or about the named device. */
  readonly close?: readonly [kind: string, about?: string];
  /** A person removes an alarm. */
  readonly remove?: readonly [kind: string, about?: string];
  readonly prices?: readonly { readonly start: number; readonly end: number; readonly price: number }[];
  /** Sets the hub's clock forward (ms). */
  readonly jump?: number;
  /** Sets the home to another time zone. */
  readonly zone?: string;
  /** What the rule commands, by device; default: nothing. */
  readonly commands?: Readonly<Record<string, Attributes>>;
  /** Scenes that it turns on or off; default: none. */
  readonly turned?: Readonly<Record<string, boolean>>;
  /** Alarms that it raises or closes (`-KIND`), in order; default: none. */
  readonly alarms?: readonly string[];
  /** Devices whose commands were held back. */
  readonly suppressed?: readonly string[];
  /** The hub is down for this time (ms), while the home stays as it is. */
  readonly down?: number;
}

/**
 * Runs the steps of a scenario: once as they are, and once with a restart of the hub before each step. Each
 * step must have exactly the stated effects.
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
        const rule = await RuleHome.open(configType, home);
        for (const [index, step] of steps.entries()) {
          if (restarts) await rule.house.restart({}, 0, silence);
          await rule.run(step, `step ${index + 1}${step.shows === undefined ? "" : `: ${step.shows}`}`);
        }
        await rule.house.close();
      });
    }
  });
}

const person: Origin = "user:person";

/** Nothing changes while the hub is down, and no device reports. */
const silence = (): Promise<void> => Promise.resolve();

/** A home with one rule, in which the steps of a scenario take place. */
class RuleHome {
  readonly house: TestHouse;
  readonly #rule: string;
  readonly #ids: ReadonlyMap<string, string>;

  private constructor(house: TestHouse, rule: string, ids: ReadonlyMap<string, string>) {
    this.house = house;
    this.#rule = rule;
    this.#ids = ids;
  }

  static async open(configType: string, of: HomeOf): Promise<RuleHome> {
    const { devices, shown = {}, described = {}, dead = [], scenes = [] } = of;
    const house = await TestHouse.open({ ...of, unchecked: true });
    const ids = new Map<string, string>();
    for (const [name, [type, ...capabilities]] of Object.entries(devices))
      ids.set(name, await house.addDevice(name, type, capabilities, shown[name], described[name]));
    for (const name of scenes)
      ids.set(name, house.call(name, await house.accept({ type: "CMD_SCENE", name })));
    for (const name of dead) house.dead.add(idOf(ids, name));
    const template = catalogue.template(configType) ?? assert.fail(`no ${configType}`);
    const config = house.configOf("The rule", configType, filled(template, of, ids));
    const rule = await house.accept({ type: "SET_RULE", config });
    if (!of.off) await house.accept({ type: "RULE_ON_COMMAND", id: rule });
    return new RuleHome(house, rule, ids);
  }

  /** Runs a step and checks its effects. */
  async run(step: ScenarioStep, what: string): Promise<void> {
    const { house } = this;
    house.forget();
    await this.#report(step.report, "device");
    if (step.down === undefined) await this.#report(step.resync, "resync");
    if (step.seen !== undefined) {
      const at = Object.fromEntries(step.seen.map((name) => [this.#id(name), house.clock.now()]));
      await house.submit({ type: "NOTE_SEEN", at }, "system");
    }
    await this.#report(step.ruled, "rule:another");
    for (const [name, state] of Object.entries(step.user ?? {})) await house.use(this.#id(name), state);
    for (const command of this.#said(step)) await house.submit(command, person);
    if (step.prices !== undefined) {
      const market = { area: "FI", currency: "EUR", unit: "kWh" };
      await house.submit({ type: "SET_PRICES", id: house.hubId, ...market, slots: step.prices }, "system");
    }
    if (step.jump !== undefined) house.clock.stepWall(step.jump);
    if (step.zone !== undefined)
      await house.submit({ type: "SET_TIMEZONE", id: house.hubId, timezone: step.zone }, person);
    if (step.down !== undefined) {
      await house.restart({}, step.down, async () => {
        // Radios take a moment to report.
        await house.clock.pass(10);
        await this.#report(step.resync, "resync");
      });
    }
    await house.clock.pass(step.pass ?? 0);
    this.#check(step, what);
  }

  /** The commands of a person about the rule, scenes and alarms. */
  *#said({ rule, scene = {}, close, remove }: ScenarioStep): Generator<Command & Attributes> {
    if (rule !== undefined)
      yield { type: rule === "on" ? "RULE_ON_COMMAND" : "RULE_OFF_COMMAND", id: this.#rule };
    for (const [name, on] of Object.entries(scene))
      yield { type: on ? "CMD_SCENE_ON" : "CMD_SCENE_OFF", id: this.#id(name) };
    if (close !== undefined) yield { type: "CLOSE_ALARM", id: this.#alarm(...close) };
    if (remove !== undefined) yield { type: "DELETE_ALARM", id: this.#alarm(...remove) };
  }

  #check(step: ScenarioStep, what: string): void {
    const { house } = this;
    const by: Origin = `rule:${this.#rule}`;
    const own = house.events.filter(({ origin }) => origin === by);
    const of = (type: string): LoggedEvent[] => own.filter((event) => event.type === type);
    const commands: Record<string, Attributes> = {};
    for (const event of of("CommandIssued") as Issued[]) {
      const name = house.name(event.device);
      commands[name] = { ...commands[name], ...event.attributes };
    }
    const turned: Record<string, boolean> = {};
    for (const { id } of of("SceneTurnedOn")) turned[house.name(id)] = true;
    for (const { id } of of("SceneTurnedOff")) turned[house.name(id)] = false;
    const alarms = own.flatMap(({ type, id }) => {
      if (type !== "AlarmRaised" && type !== "AlarmClosed") return [];
      const [kind = "", ...source] = id.split("-");
      const about = source.join("-");
      const name = house.name(about);
      return [`${type === "AlarmClosed" ? "-" : ""}${kind}${name === about ? "" : ` ${name}`}`];
    });
    const suppressed = of("CommandSuppressed").map(({ id }) => house.name(id));
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

  async #report(said: Readonly<Record<string, Attributes>> = {}, origin: Origin): Promise<void> {
    for (const [name, attributes] of Object.entries(said))
      await this.house.report(this.#id(name), attributes, origin);
  }

  #alarm(kind: string, about?: string): string {
    return `${kind}-${about === undefined ? this.#rule : this.#id(about)}`;
  }

  #id(name: string): string {
    return idOf(this.#ids, name);
  }
}

function idOf(ids: ReadonlyMap<string, string>, name: string): string {
  return ids.get(name) ?? assert.fail(`no ${name}`);
}

/** Returns the fields of a rule, with ids instead of names. */
function filled(template: Template, of: HomeOf, ids: ReadonlyMap<string, string>): RuleOf {
  const devices = (fields: object, given: HomeOf["inputs"] = {}): NonNullable<RuleOf["inputs"]> => {
    const unknown = Object.keys(given).filter((name) => !Object.hasOwn(fields, name));
    assert.deepEqual(unknown, [], "fields that the template does not have");
    return Object.fromEntries(
      Object.entries(given).map(([field, names]) => [field, names.map((name) => idOf(ids, name))]),
    );
  };
  const values = ({ fieldType, max }: ValueField, given: unknown): readonly object[] => {
    if (given === undefined) return [];
    return (max > 1 ? [given].flat() : [given]).map((value) => {
      if (typeof value === "object" && value !== null && "type" in value) return value;
      return { type: fieldType, value: fieldType === "SCENE" ? idOf(ids, value as string) : value };
    });
  };
  const extras = Object.entries(template.extras).map(
    ([name, field]) => [name, values(field, of.extras?.[name])] as const,
  );
  return {
    inputs: devices(template.inputs, of.inputs),
    outputs: devices(template.outputs, of.outputs),
    extras: Object.fromEntries(extras),
  };
}
