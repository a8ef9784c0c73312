import { limits } from "@ledge/model";
import type { Arguments } from "../machine/chart.ts";
import type { View } from "../machine/view.ts";
import type { Scope } from "./expression.ts";
import type { Kept, Names } from "./names.ts";

/** Units of work that reading one device costs. */
const deviceUnits = 10;

/** What the expressions of a custom rule can read during a step. */
export class RuleScope implements Scope {
  readonly #view: View;
  readonly #kept: Kept;
  readonly #names: Names;

  constructor({ context, event: { view } }: Arguments<Kept>, names: Names) {
    this.#view = view;
    this.#kept = context;
    this.#names = names;
  }

  value([root = "", name = "", part = ""]: readonly string[]): unknown {
    const view = this.#view;
    switch (root) {
      case "now":
        return view.now;
      case "time":
        this.spend(deviceUnits);
        return view.local[name as keyof typeof view.local];
      case "ctx":
        return Object.hasOwn(this.#kept, name) ? this.#kept[name] : undefined;
      case "cfg":
        return this.#configured(name);
      default:
        return this.#changed(root === "in", name, part);
    }
  }

  readings(field: string): readonly unknown[] {
    const readings = this.#view.readings(field);
    this.spend(readings.length * deviceUnits);
    return readings;
  }

  /**
   * Counts work.
   * @throws when the step does too much
   */
  spend(units: number): void {
    spend(this.#view, units);
  }

  #configured(name: string): unknown {
    if (this.#names.extras[name]?.fieldType !== "TIME_RANGE") return this.#view.value(name);
    const ranges = this.#view.ranges(name);
    this.spend(deviceUnits * (1 + ranges.length));
    return this.#view.isWithin(name);
  }

  #changed(isInput: boolean, field: string, part: string): unknown {
    const { change } = this.#view;
    const isField = isInput === Object.hasOwn(this.#names.inputs, field);
    if (change === undefined || change.field !== field || !isField) return undefined;
    switch (part) {
      case "value":
        return change.value;
      case "before":
        return change.before;
      case "news":
        return change.isNews;
      default:
        return change.device.name;
    }
  }
}

/**
 * Counts work of a step.
 * @throws when the step does too much
 */
export function spend(view: View, units: number): void {
  view.spent += units;
  if (view.spent > limits.ruleStepUnits) throw new Error("the step does too much");
}
