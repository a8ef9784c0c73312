import type { ValueField } from "../catalogue/field.ts";
import type { Described } from "./template-of.ts";

/** The context of a custom rule's machine, by name; JSON. */
export type Kept = Readonly<Record<string, number | string | boolean | null>>;

/** The names that the expressions of a custom rule may use. */
export interface Names extends Pick<Described, "inputs" | "outputs" | "extras"> {
  readonly context: Kept;
}

const changeParts = ["value", "before", "news", "device"];
const timeParts = ["minutes", "weekday", "date"];

/** Returns why a path of `var` can never have a value; undefined when it can. */
export function unreadable(
  [root = "", name = "", ...rest]: readonly string[],
  names: Names,
): string | undefined {
  switch (root) {
    case "now":
      return name === "" ? undefined : "now is a number";
    case "time":
      return timeParts.includes(name) && rest.length === 0 ? undefined : `time has ${timeParts.join(", ")}`;
    case "ctx":
      if (!Object.hasOwn(names.context, name)) return `the machine's context has no ${name}`;
      return rest.length === 0 ? undefined : `ctx.${name} is one value`;
    case "cfg":
      return rest.length === 0 ? unset(name, names) : `cfg.${name} is one value`;
    case "in":
    case "out": {
      const fields = root === "in" ? names.inputs : names.outputs;
      if (!Object.hasOwn(fields, name)) return `there is no ${root === "in" ? "input" : "output"} ${name}`;
      const [part = ""] = rest;
      return changeParts.includes(part) && rest.length === 1
        ? undefined
        : `${root}.${name} has ${changeParts.join(", ")}`;
    }
    default:
      return `a path begins with in, out, cfg, ctx, time or now, not ${root}`;
  }
}

function unset(name: string, { extras }: Names): string | undefined {
  const field = Object.hasOwn(extras, name) ? extras[name] : undefined;
  if (field === undefined) return `there is no value ${name} among the extras`;
  return isOneValue(field) ? undefined : `cfg.${name} is a list`;
}

/** Time ranges count as one value: whether one of them holds now. */
function isOneValue({ fieldType, max }: ValueField): boolean {
  return fieldType === "TIME_RANGE" || (max === 1 && fieldType !== "WEEKDAYS");
}

/** Returns why a field has no readings; undefined when it has. */
export function unmeasured(field: string, { inputs, outputs }: Names): string | undefined {
  const isField = Object.hasOwn(inputs, field) || Object.hasOwn(outputs, field);
  return isField ? undefined : `there is no input or output ${field}`;
}
