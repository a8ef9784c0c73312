import type { ConfigurationItem, ConfigurationValue } from "@ledge/model";
import { limits, valueProblem } from "@ledge/model";
import { plainItem } from "@ledge/port";
import { nameAt, textOf } from "./item.ts";

/** A value that a parameter may have, or a range of them. */
export type Allowed =
  | { readonly value: number }
  | { readonly from: number; readonly to: number; readonly step?: number };

/** A parameter, or a part of one, as the device database or the device describes it. */
export interface Parameter {
  readonly endpoint: number;
  readonly number: number;
  /** The bits of a part; absent for a whole parameter. */
  readonly mask?: number;
  readonly label?: string;
  readonly description?: string;
  readonly unit?: string;
  readonly min?: number;
  readonly max?: number;
  readonly default?: number;
  readonly allowed?: readonly Allowed[];
  /** Labels by value. */
  readonly states?: Readonly<Record<string, string>>;
  /** Whether it takes values besides `states`. */
  readonly takesOthers: boolean;
  readonly isReadable: boolean;
  readonly isWriteable: boolean;
  /** A value of it does harm, such as a factory reset. */
  readonly isDestructive: boolean;
}

const off = /^(?:disabled?|off|no|false|inactive|none)$/i;
const on = /^(?:enabled?|on|yes|true|active)$/i;

/** Returns the name of a parameter's setting, such as `parameter.7`, `parameter.7.ff00`, `endpoint2.parameter.7`. */
export function parameterName({ endpoint, number, mask }: Parameter): string {
  return nameAt(endpoint, `parameter.${number}${mask === undefined ? "" : `.${mask.toString(16)}`}`);
}

/** Returns a parameter as a setting. */
export function parameterItem(parameter: Parameter): ConfigurationItem {
  const { number, label, description, unit, isWriteable } = parameter;
  const shown = textOf(label) ?? `Parameter ${number}`;
  const measured = textOf(unit);
  const item: ConfigurationItem = {
    ...plainItem,
    name: parameterName(parameter),
    label: { en: textOf(measured === undefined ? shown : `${shown} (${measured})`) ?? shown },
    help: helpOf(textOf(description), parameter),
    readOnly: !isWriteable,
    ...kindOf(parameter),
  };
  // A reset leaves alone what acts as soon as it is written.
  const isPlain = parameter.isReadable && !parameter.isDestructive;
  const value = isPlain ? parameterValue(item, parameter.default) : undefined;
  return { ...item, defaultValue: value ?? null };
}

/** Returns what a setting shows of a raw value; undefined for a value that the parameter cannot have. */
export function parameterValue(item: ConfigurationItem, raw: unknown): ConfigurationValue | undefined {
  if (typeof raw !== "number" || !Number.isInteger(raw)) return undefined;
  const value = item.fieldType === "BOOL" ? (raw === 0 || raw === 1 ? raw === 1 : undefined) : raw;
  return valueProblem(item, value) === undefined ? value : undefined;
}

/** Returns the raw value of a setting. */
export function rawValue(value: ConfigurationValue): number {
  return Number(value);
}

/** Returns why a parameter cannot have a value within its bounds; undefined when it can. */
export function parameterProblem({ allowed = [] }: Parameter, value: number): string | undefined {
  if (!Number.isInteger(value)) return "must be a whole number";
  const isAllowed = allowed.length === 0 || allowed.some((each) => isWithin(each, value));
  return isAllowed ? undefined : `must be ${allowed.map(rangeText).join(" or ")}`;
}

type Kind = Pick<ConfigurationItem, "fieldType" | "options" | "minValue" | "maxValue">;

function kindOf(parameter: Parameter): Kind {
  const { min, max, takesOthers } = parameter;
  const states = statesOf(parameter);
  const isSwitch = states.length === 0 ? min === 0 && max === 1 : isOffOn(states);
  const none = { options: [], minValue: null, maxValue: null };
  if (isSwitch && !(takesOthers && states.length > 0)) return { ...none, fieldType: "BOOL" };
  if (states.length > 0 && states.length <= limits.configurationOptions && !takesOthers) {
    const options = labelled(states).map(([value, label]) => ({ value, label: { en: label } }));
    return { ...none, fieldType: "OPTION", options };
  }
  const values = states.map(([value]) => value);
  const bounds = [...(parameter.allowed ?? []).flatMap(endsOf), ...values];
  const least = min ?? (bounds.length > 0 ? Math.min(...bounds) : null);
  const most = max ?? (bounds.length > 0 ? Math.max(...bounds) : null);
  const isTurned = least !== null && most !== null && least > most;
  return {
    fieldType: "NUMBER",
    options: [],
    minValue: isTurned ? null : least,
    maxValue: isTurned ? null : most,
  };
}

type State = readonly [value: number, label: string];

function statesOf({ states = {} }: Parameter): readonly State[] {
  return Object.entries(states)
    .map(([value, label]): State => [Number(value), textOf(label) ?? value])
    .filter(([value]) => Number.isInteger(value))
    .toSorted(([one], [two]) => one - two);
}

function isOffOn(states: readonly State[]): boolean {
  const [first, second, third] = states;
  if (first === undefined || second === undefined || third !== undefined) return false;
  return first[0] === 0 && second[0] === 1 && off.test(first[1]) && on.test(second[1]);
}

/** Tells options of one label apart by their values. */
function labelled(states: readonly State[]): readonly State[] {
  const counts = Map.groupBy(states, ([, label]) => label);
  return states.map(([value, label]) => [
    value,
    (counts.get(label) ?? []).length > 1 ? `${label} (${value})` : label,
  ]);
}

/** Returns the help of a parameter: with the meanings and ranges of values that its kind does not show. */
function helpOf(description: string | undefined, parameter: Parameter): ConfigurationItem["help"] {
  const { takesOthers, allowed = [] } = parameter;
  const meanings = takesOthers ? statesOf(parameter).map(([value, label]) => `${value}: ${label}`) : [];
  const ranges = allowed.length > 1 && takesOthers ? [`Values: ${allowed.map(rangeText).join(", ")}`] : [];
  const text = textOf([description, ...meanings, ...ranges].filter((part) => part !== undefined).join(". "));
  return text === undefined ? null : { en: text };
}

function isWithin(allowed: Allowed, value: number): boolean {
  if ("value" in allowed) return allowed.value === value;
  const { from, to, step = 1 } = allowed;
  return value >= from && value <= to && (value - from) % step === 0;
}

function endsOf(allowed: Allowed): readonly number[] {
  return "value" in allowed ? [allowed.value] : [allowed.from, allowed.to];
}

function rangeText(allowed: Allowed): string {
  if ("value" in allowed) return String(allowed.value);
  const { from, to, step = 1 } = allowed;
  return `${from} to ${to}${step > 1 ? ` in steps of ${step}` : ""}`;
}
