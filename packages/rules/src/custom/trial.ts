import type { Device, Rejection, RuleState } from "@ledge/model";
import { isRejection, isSameValue, limits } from "@ledge/model";
import { machineOf } from "../machine/step.ts";
import type { Template } from "../catalogue/template.ts";
import { valueProblem } from "../catalogue/value.ts";
import type { Fields } from "./problem.ts";
import { fail, objectAt, shapeAt, SourceProblem, textAt, under } from "./problem.ts";
import type { CustomTemplate } from "./source.ts";
import { parseCustomRule } from "./source.ts";
import type { Budget } from "./trial-home.ts";
import { TrialHome } from "./trial-home.ts";

/** The result of a test in a source. */
export interface TestResult {
  readonly name: string;
  /** Undefined when the test passed. */
  readonly problem: Rejection | undefined;
}

/** A custom rule after its trial. */
export interface TriedRule extends CustomTemplate {
  readonly results: readonly TestResult[];
}

/** Like `tryCustomRule`, but refuses a rule whose tests fail; only a rule that passes may be installed. */
export function checkCustomRule(source: string): TriedRule | Rejection {
  const tried = tryCustomRule(source);
  if (isRejection(tried)) return tried;
  return tried.results.find(({ problem }) => problem !== undefined)?.problem ?? tried;
}

/** Reads the source of a custom rule, steps its machine from every state, and runs the tests in the source. */
export function tryCustomRule(source: string): TriedRule | Rejection {
  const parsed = parseCustomRule(source);
  if (isRejection(parsed)) return parsed;
  const budget = { left: limits.ruleTrialUnits };
  try {
    const entry = entryOf(parsed.template);
    stepEverywhere(entry, budget);
    const results = parsed.tests.map((json, index) => resultOf(json, under("tests", index), entry, budget));
    return { ...parsed, results };
  } catch (error) {
    if (error instanceof SourceProblem) return error.rejection;
    throw error;
  }
}

interface Entry {
  readonly template: Template;
  readonly machine: ReturnType<typeof machineOf>;
}

function entryOf(template: Template): Entry {
  try {
    return { template, machine: machineOf(template.chart) };
  } catch (error) {
    return fail("machine", (error as Error).message);
  }
}

/** Turns the rule on in a home without devices, and sends it a time event in each of its states. */
function stepEverywhere(entry: Entry, budget: Budget): void {
  const { template } = entry;
  const home = (): TrialHome => new TrialHome(entry, ruleOf(template, {}, {}), [], start, budget);
  stepAt("machine", () => home().step("rule.on"));
  const walk = (states: Template["chart"]["states"], path: readonly string[], place: string): void => {
    for (const [name, { states: inner = {} }] of Object.entries(states)) {
      const at = under(under(place, "states"), name);
      stepAt(at, () => {
        const tried = home();
        tried.stand(["on", ...path].reduceRight<unknown>((value, one) => ({ [one]: value }), name));
        tried.step("time");
      });
      walk(inner, [...path, name], at);
    }
  };
  walk(template.chart.states, [], "machine");
}

function stepAt(path: string, of: () => void): void {
  try {
    of();
  } catch (error) {
    if (error instanceof SourceProblem) throw error;
    const { message } = error as Error;
    fail(
      path,
      /infinite loop/i.test(message) ? "it goes from state to state forever without an event" : message,
    );
  }
}

const testFields = new Set(["name", "at", "extras", "devices", "steps"]);
const deviceFields = new Set(["field", "state"]);
const stepFields = new Set(["report", "pass", "rule", "commands", "says", "state", "ctx"]);
/** A Monday at noon. */
const start = Date.UTC(2026, 0, 5, 12);
const timeForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/;

function resultOf(json: unknown, path: string, entry: Entry, budget: Budget): TestResult {
  const given = shapeAt(json, path, testFields);
  const name = textAt(given["name"] ?? "", under(path, "name"), limits.nameChars);
  try {
    runTest(given, path, entry, budget);
    return { name, problem: undefined };
  } catch (error) {
    if (error instanceof SourceProblem) return { name, problem: error.rejection };
    throw error;
  }
}

function runTest(
  { at, extras = {}, devices = {}, steps = [] }: Fields,
  path: string,
  entry: Entry,
  budget: Budget,
): void {
  const { template } = entry;
  const known = devicesOf(devices, under(path, "devices"), template);
  const now = at === undefined ? start : Date.parse(`${textAt(at, under(path, "at"), limits.nameChars)}Z`);
  if (at !== undefined && (!timeForm.test(at as string) || Number.isNaN(now)))
    fail(under(path, "at"), "must be a time yyyy-mm-ddThh:mm, in UTC");
  const rule = ruleOf(template, known.fields, extrasOf(extras, under(path, "extras"), template));
  const home = new TrialHome(entry, rule, known.devices, now, budget);
  if (!Array.isArray(steps) || steps.length > limits.ruleTestSteps)
    fail(under(path, "steps"), `must be a list of at most ${limits.ruleTestSteps} steps`);
  stepAt(path, () => home.step("rule.on"));
  for (const [index, json] of (steps as readonly unknown[]).entries()) {
    const place = under(under(path, "steps"), index);
    const step = shapeAt(json, place, stepFields);
    // What the rule does when it is turned on belongs to the first step.
    if (index > 0) home.done = { commands: {}, says: [] };
    stepAt(place, () => act(step, place, home, known.devices));
    compare(step, place, home);
  }
}

function act(
  { report = {}, pass = 0, rule }: Fields,
  path: string,
  home: TrialHome,
  devices: readonly Device[],
): void {
  if (rule !== undefined && rule !== "on" && rule !== "off") fail(under(path, "rule"), "must be on or off");
  if (typeof pass !== "number" || !(pass >= 0 && pass <= limits.ruleAfterMaxMs))
    fail(under(path, "pass"), `at most ${limits.ruleAfterMaxMs} ms`);
  for (const [name, attributes] of Object.entries(objectAt(report, under(path, "report")))) {
    const place = under(under(path, "report"), name);
    if (!devices.some(({ id }) => id === name)) fail(place, `the test has no device ${name}`);
    home.report(name, objectAt(attributes, place));
  }
  if (rule !== undefined) home.step(`rule.${rule}`);
  home.pass(pass);
}

function compare(step: Fields, path: string, { done, standing }: TrialHome): void {
  const { commands = {}, says = [], state, ctx = {} } = step;
  const differ = (what: string, is: unknown, wanted: unknown): void => {
    if (!isSame(is, wanted))
      fail(under(path, what), `it is ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`);
  };
  differ("commands", done.commands, commands);
  differ("says", done.says, says);
  if (state !== undefined) differ("state", standing.value, state);
  for (const [name, value] of Object.entries(objectAt(ctx, under(path, "ctx"))))
    differ(`ctx.${name}`, standing.context[name] ?? null, value);
}

/** Returns whether two JSON values are equal, whatever the order of their keys. */
function isSame(one: unknown, other: unknown): boolean {
  return isSameValue(sorted(one), sorted(other));
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]));
}

interface Devices {
  readonly devices: readonly Device[];
  /** The ids of devices by field. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
}

function devicesOf(json: unknown, path: string, { inputs, outputs }: Template): Devices {
  const fields: Record<string, string[]> = {};
  const entries = Object.entries(objectAt(json, path));
  if (entries.length > limits.ruleFieldValues) fail(path, `at most ${limits.ruleFieldValues} devices`);
  const devices = entries.map(([id, given]) => {
    const place = under(path, id);
    const { field, state = {} } = shapeAt(given, place, deviceFields);
    const name = String(field);
    const isInput = Object.hasOwn(inputs, name);
    const of = isInput ? inputs[name] : Object.hasOwn(outputs, name) ? outputs[name] : undefined;
    if (of === undefined) fail(under(place, "field"), `there is no input or output ${name}`);
    (fields[name] ??= []).push(id);
    const values = ["DEVICE", ...of.capabilities];
    const shown = { reachable: true, ...objectAt(state, under(place, "state")) };
    const type = isInput ? "MULTI_SENSOR" : "LIGHT";
    return {
      type,
      id,
      name: id,
      room: [],
      capabilities: { type: "SET", values },
      state: shown,
    } as unknown as Device;
  });
  return { devices, fields };
}

function extrasOf(json: unknown, path: string, { extras }: Template): RuleState["config"]["extras"] {
  const given = Object.entries(objectAt(json, path)).map(([name, value]) => {
    const place = under(path, name);
    const field = Object.hasOwn(extras, name) ? extras[name] : undefined;
    if (field === undefined) return fail(place, `there is no value ${name} among the extras`);
    const { fieldType, max } = field;
    const isList = Array.isArray(value) && (max > 1 || fieldType === "TIME_RANGE");
    const list = (isList ? (value as unknown[]) : [value]).map((one) =>
      fieldType === "TIME_RANGE" && typeof one === "object" && one !== null
        ? (one as { type: string })
        : { type: fieldType, value: one },
    );
    for (const typed of list) {
      const problem = valueProblem(typed, field, { get: () => undefined });
      if (problem !== undefined) fail(place, problem);
    }
    return [name, list] as const;
  });
  return Object.fromEntries(given);
}

function ruleOf(
  { configType, inputs, outputs }: Template,
  fields: Devices["fields"],
  extras: RuleState["config"]["extras"],
): RuleState {
  const ids = (of: object): Record<string, string[]> =>
    Object.fromEntries(Object.keys(of).map((name) => [name, [...(fields[name] ?? [])]]));
  const config = {
    type: "CONFIG",
    id: "rule",
    name: "Rule",
    configType,
    inputs: ids(inputs),
    outputs: ids(outputs),
    extras,
  } as const;
  return { id: "rule", is_on: true, scenes: [], timers: [], config, createdAt: start };
}
