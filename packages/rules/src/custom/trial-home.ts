import type { Device, RuleState, World } from "@ledge/model";
import { limits, shownIn, withShown } from "@ledge/model";
import type { StateNode } from "../machine/chart.ts";
import type { Machine, Standing } from "../machine/step.ts";
import { resolve, standing, step } from "../machine/step.ts";
import { placeOf, rangesAt } from "../schedule/index.ts";
import type { Template } from "../catalogue/template.ts";
import type { Change } from "../machine/view.ts";
import { attributesOf, View } from "../machine/view.ts";

/** What a rule did in a trial home. */
export interface Done {
  /** What the rule commanded, by the names of the devices. */
  readonly commands: Record<string, Record<string, unknown>>;
  /** Notices and log lines, in order. */
  readonly says: string[];
}

/** Units of work that a step costs, plus so many for each state of the machine. */
const stepUnits = 2000;
const stateUnits = 100;
const nowhere = { timezone: "UTC", location: null } as const;

/** The work that one installation may still spend on its trial. */
export interface Budget {
  left: number;
}

/** A home without a log in which the machine of one rule is tried; its devices carry out commands at once. */
export class TrialHome {
  now: number;
  done: Done = { commands: {}, says: [] };
  readonly #template: Template;
  readonly #machine: Machine;
  readonly #rule: RuleState;
  readonly #devices: Map<string, Device>;
  readonly #timers = new Map<string, number>();
  readonly #budget: Budget;
  readonly #stepUnits: number;
  #snapshot;

  constructor(
    { template, machine }: { readonly template: Template; readonly machine: Machine },
    rule: RuleState,
    devices: readonly Device[],
    now: number,
    budget: Budget,
  ) {
    this.#template = template;
    this.#machine = machine;
    this.#rule = rule;
    this.#devices = new Map(devices.map((device) => [device.id, device]));
    this.now = now;
    this.#budget = budget;
    this.#stepUnits = stepUnits + stateUnits * statesIn(template.chart);
    this.#snapshot = machine.initial;
  }

  /** The state of the machine; `value` is the part below `on`, or `off`. */
  get standing(): Standing {
    const { value, context } = standing(this.#snapshot);
    const isOn = typeof value === "object" && value !== null && "on" in value;
    return { value: isOn ? value.on : value, context };
  }

  /**
   * Puts the machine into a state.
   * @throws when there is no such state
   */
  stand(value: unknown): void {
    this.#snapshot = resolve(this.#machine, {
      value,
      context: standing(this.#machine.initial).context,
    });
  }

  /**
   * Steps the machine.
   * @throws what the step throws, and when the budget is spent
   */
  step(type: string, change?: Change, depth = 0): void {
    const view = new View(this.#world(), this.#template, this.#rule, placeOf(nowhere), undefined, change);
    try {
      const { snapshot, effects, timers, cancelled } = step(this.#machine, this.#snapshot, { type, view });
      this.#snapshot = snapshot;
      for (const name of cancelled) this.#timers.delete(name);
      for (const { name, durationMs } of timers) this.#timers.set(name, this.now + durationMs);
      for (const effect of effects) {
        if (effect.do === "set") this.#carryOut(effect.device, effect.attributes, depth);
        else if (effect.do === "log") this.done.says.push(effect.text);
        else if (effect.do === "raise") this.done.says.push(String(effect.facts?.["text"]));
      }
    } finally {
      this.#budget.left -= this.#stepUnits + view.spent;
    }
    if (this.#budget.left < 0) throw new Error("trying it out takes too long");
  }

  /** Lets a device report; the machine hears of the attributes that its fields read. */
  report(id: string, attributes: Readonly<Record<string, unknown>>, depth = 0): void {
    const before = this.#devices.get(id);
    if (before === undefined) return;
    const device = { ...before, state: withShown(before.state, attributes) };
    this.#devices.set(id, device);
    for (const [kind, fields, given] of [
      ["in", this.#template.inputs, this.#rule.config.inputs],
      [
        "out",
        this.#template.hears?.includes("outputs") ? this.#template.outputs : {},
        this.#rule.config.outputs,
      ],
    ] as const) {
      for (const [field, shown] of Object.entries(fields)) {
        if (!given[field]?.includes(id)) continue;
        for (const attribute of attributesOf(shown, device, this.#rule.config)) {
          if (!Object.hasOwn(attributes, attribute)) continue;
          const value = attributes[attribute];
          const was = shownIn(before.state, attribute);
          const change = {
            field,
            device,
            attribute,
            value,
            before: was,
            isNews: true,
            origin: "device",
          } as const;
          this.step(`${kind}.${field}`, change, depth);
        }
      }
    }
  }

  /** Lets time pass (ms): timers come due in order, and time ranges begin and end. */
  pass(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      const [name, due] = this.#next();
      if (due > end) break;
      this.now = Math.max(this.now, due);
      this.#timers.delete(name);
      this.step(name);
    }
    this.now = end;
  }

  #next(): readonly [name: string, due: number] {
    let next: readonly [string, number] = ["time", this.#edge()];
    for (const timer of this.#timers) if (timer[1] < next[1]) next = timer;
    return next;
  }

  #edge(): number {
    const { times } = this.#template;
    if (times === undefined || this.standing.value === "off") return Infinity;
    const place = placeOf(nowhere);
    const view = new View(this.#world(), this.#template, this.#rule, place);
    return rangesAt(times(view), this.now, place).next ?? Infinity;
  }

  #carryOut(id: string, attributes: Readonly<Record<string, unknown>>, depth: number): void {
    const name = this.#devices.get(id)?.name ?? id;
    this.done.commands[name] = { ...this.done.commands[name], ...attributes };
    if (depth >= limits.cascadeDepth)
      throw new Error(`the rule triggers itself more than ${limits.cascadeDepth} times`);
    this.report(id, attributes, depth + 1);
  }

  #world(): World {
    const devices = this.#devices;
    const get = (kind: string, id: string): never =>
      (kind === "device" ? devices.get(id) : undefined) as never;
    const all = (): never => new Map().entries() as never;
    return { now: this.now, newId: () => "", get, all, size: () => 0, before: { get } };
  }
}

function statesIn<Context>({ states = {} }: Pick<StateNode<Context>, "states">): number {
  return Object.values(states).reduce((count, inner) => count + 1 + statesIn(inner), 0);
}
