import { limits } from "@ledge/model";
import type { Action, Arguments, Chart, StateNode, Transition } from "../machine/chart.ts";
import { actionAt, expressionAt, sizeOf } from "./actions.ts";
import { isInherited } from "./expression.ts";
import type { Kept, Names } from "./names.ts";
import type { Fields } from "./problem.ts";
import { fail, listAt, nameAt, objectAt, shapeAt, textAt, under } from "./problem.ts";
import { expressionText } from "./expression-text.ts";
import { RuleScope } from "./rule-scope.ts";

/** A chart, and what it adds to its template. */
export interface Drawn {
  readonly chart: Chart<Kept>;
  /** Events that it hears besides those of its inputs. */
  readonly hears: ReadonlySet<string>;
}

/** A state while the source is being read. */
interface Node {
  readonly path: readonly string[];
  readonly place: string;
  readonly given: Fields;
  readonly children: ReadonlyMap<string, Node>;
}

interface Machine {
  readonly names: Names;
  readonly root: Node;
  /** The states that have an `id`, by it. */
  readonly byId: ReadonlyMap<string, Node>;
  readonly delays: Map<string, (given: Arguments<Kept>) => number>;
  readonly hears: Set<string>;
}

const aside = ["description", "meta", "tags", "id"];
const nodeFields = new Set([...aside, "type", "initial", "states", "on", "always", "after", "entry", "exit"]);
const rootFields = new Set([...nodeFields, "context", "types", "version"]);
const transitionFields = new Set(["target", "guard", "actions", "reenter", "description", "meta"]);
const guardFields = new Set(["type", "params"]);
const exprFields = new Set(["expr"]);
/** What an XState machine may contain and a rule may not, with the reason. */
const refused: Readonly<Record<string, string>> = {
  invoke: "invoke starts other code: a rule only has states",
  activities: "a rule has no activities",
  onDone: "a rule's states do not end: there is no onDone",
  history: "a rule remembers in its context: there is no history",
  output: "a rule has no output: its outputs are devices",
  input: "a rule is given its devices and extras: there is no input",
  guards: "guards stand where they are used",
  actions: "actions stand where they are used",
  actors: "a rule has no actors",
  delays: "a rule has no named delays: after takes <ms> or cfg.<extra>",
  exec: "nothing is executed",
};
const stateForm = /^[A-Za-z0-9_](?:[A-Za-z0-9_ -]*[A-Za-z0-9_-])?$/;
const stateWords = "the name of a state has only letters, digits, _, - and spaces";
const delayForm = /^(?:([1-9]\d{0,14})|cfg\.([A-Za-z][A-Za-z0-9_]*))$/;

/**
 * Makes a chart of the machine in a source.
 * @throws SourceProblem
 */
export function chartOf(json: unknown, fields: Omit<Names, "context">): Drawn {
  const at = "machine";
  const given = nodeAt(json, at, rootFields);
  const context = contextAt(given["context"], under(at, "context"));
  const names = { ...fields, context };
  const count = { states: 0 };
  const byId = new Map<string, Node>();
  const root = readNode(given, at, [], count, byId);
  const { id } = given;
  if (typeof id === "string") byId.set(id, root);
  const machine: Machine = { names, root, byId, delays: new Map(), hears: new Set() };
  if (root.children.size === 0) fail(under(at, "states"), "a machine has at least one state");
  const { idle, initial = "", states = {}, ...rest } = nodeOf(root, machine);
  if (idle) fail(under(at, "tags"), "a state is idle, not the machine");
  const delays = Object.fromEntries(machine.delays);
  return { chart: { context, initial, states, ...rest, delays }, hears: machine.hears };
}

function nodeAt(json: unknown, path: string, allowed: ReadonlySet<string>): Fields {
  for (const name of Object.keys(objectAt(json, path))) {
    const why = Object.hasOwn(refused, name) ? refused[name] : undefined;
    if (why !== undefined) fail(under(path, name), why);
  }
  return shapeAt(json, path, allowed);
}

function contextAt(json: unknown, path: string): Kept {
  const context = objectAt(json ?? {}, path);
  for (const [name, value] of Object.entries(context)) {
    nameAt(
      name,
      under(path, name),
      /^[A-Za-z][A-Za-z0-9_]*$/,
      "the name of a value has only letters, digits and _",
    );
    if (typeof value === "object" && value !== null)
      fail(under(path, name), "a number, text, boolean or null");
    if (typeof value === "string") textAt(value, under(path, name), limits.ruleTextChars);
  }
  if (sizeOf(context as Kept) > limits.ruleContextBytes)
    fail(path, `a rule keeps at most ${limits.ruleContextBytes} bytes`);
  return context as Kept;
}

/** Reads the tree of states first, so that transitions can find their targets. */
function readNode(
  given: Fields,
  place: string,
  path: readonly string[],
  count: { states: number },
  byId: Map<string, Node>,
): Node {
  const children = new Map<string, Node>();
  const at = under(place, "states");
  for (const [name, json] of Object.entries(objectAt(given["states"] ?? {}, at))) {
    const inside = under(at, name);
    nameAt(name, inside, stateForm, stateWords);
    if (name.length > limits.nameChars) fail(inside, `at most ${limits.nameChars} characters`);
    if (++count.states > limits.ruleStates) fail(inside, `at most ${limits.ruleStates} states`);
    if (path.length >= limits.ruleStateDepth)
      fail(inside, `states stand at most ${limits.ruleStateDepth} deep`);
    const child = readNode(nodeAt(json, inside, nodeFields), inside, [...path, name], count, byId);
    children.set(name, child);
    const { id } = child.given;
    if (id === undefined) continue;
    const called = textAt(id, under(inside, "id"), limits.nameChars);
    if (byId.has(called)) fail(under(inside, "id"), `another state has the id ${called}`);
    byId.set(called, child);
  }
  return { path, place, given, children };
}

function nodeOf(node: Node, machine: Machine): StateNode<Kept> {
  const { given, place, children } = node;
  const parallel = kindOf(node);
  const on = Object.entries(objectAt(given["on"] ?? {}, under(place, "on"))).map(([event, json]) => {
    const path = under(under(place, "on"), event);
    heard(event, path, machine);
    return [event, transitionsOf(json, path, node, machine)] as const;
  });
  const after = Object.entries(objectAt(given["after"] ?? {}, under(place, "after"))).map(([delay, json]) => {
    const path = under(under(place, "after"), delay);
    return [delayAt(delay, path, machine), transitionsOf(json, path, node, machine)] as const;
  });
  const { always } = given;
  const entry = actionsOf(given["entry"], under(place, "entry"), machine);
  const exit = actionsOf(given["exit"], under(place, "exit"), machine);
  const states = [...children].map(([name, child]) => [name, nodeOf(child, machine)] as const);
  const isIdle = tagsOf(given["tags"], under(place, "tags")).includes("idle");
  return {
    ...(on.length > 0 && { on: Object.fromEntries(on) }),
    ...(always !== undefined && { always: transitionsOf(always, under(place, "always"), node, machine) }),
    ...(after.length > 0 && { after: Object.fromEntries(after) }),
    ...(entry.length > 0 && { entry }),
    ...(exit.length > 0 && { exit }),
    ...(isIdle && { idle: true }),
    ...(parallel && { parallel }),
    ...(!parallel && states.length > 0 && { initial: initialOf(node) }),
    ...(states.length > 0 && { states: Object.fromEntries(states) }),
  };
}

/** Returns true for a parallel state. */
function kindOf({ given, place, children }: Node): true | undefined {
  const { type } = given;
  const at = under(place, "type");
  if (type === "final") fail(at, "a rule has no end: a state without transitions stays");
  if (type === "history") fail(at, refused["history"] ?? "");
  if (type !== undefined && type !== "atomic" && type !== "compound" && type !== "parallel")
    fail(at, `a state is atomic, compound or parallel, not ${JSON.stringify(type)}`);
  const hasStates = children.size > 0;
  if (type !== undefined && hasStates === (type === "atomic"))
    fail(at, `a state that has ${hasStates ? "" : "no "}states is not ${type}`);
  return type === "parallel" ? true : undefined;
}

function initialOf({ given: { initial }, place, children }: Node): string {
  const at = under(place, "initial");
  if (typeof initial !== "string") fail(at, "the name of the first state is wanted");
  if (!children.has(initial)) fail(at, `there is no state ${initial}`);
  return initial;
}

function tagsOf(json: unknown, path: string): readonly string[] {
  return listAt(json).map((tag) => textAt(tag, path, limits.nameChars));
}

/** Checks an event: a change of a field, or something that happens to the rule. */
function heard(event: string, path: string, { names, hears }: Machine): void {
  const [kind = "", ...rest] = event.split(".");
  const field = rest.join(".");
  if (kind === "in" && Object.hasOwn(names.inputs, field)) return;
  if (kind === "out" && Object.hasOwn(names.outputs, field)) return void hears.add("outputs");
  if (event === "failed" || event === "time") return void hears.add(event);
  fail(path, "a rule hears in.<input>, out.<output>, time and failed");
}

/** Returns the name of a delay; its length is worked out when the state is entered. */
function delayAt(delay: string, path: string, { names, delays }: Machine): string {
  const [, ms, extra] = delayForm.exec(delay) ?? [];
  if (ms === undefined && extra === undefined) fail(path, "after takes <ms> or cfg.<extra>");
  if (extra === undefined) {
    const duration = Number(ms);
    if (duration < limits.ruleAfterMinMs) fail(path, `after takes at least ${limits.ruleAfterMinMs} ms`);
    if (duration > limits.ruleAfterMaxMs) fail(path, `after takes at most ${limits.ruleAfterMaxMs} ms`);
    delays.set(`ms${duration}`, () => duration);
    return `ms${duration}`;
  }
  const field = Object.hasOwn(names.extras, extra) ? names.extras[extra] : undefined;
  if (field?.fieldType !== "TIME_DELTA_MS" || field.max !== 1)
    fail(path, `there is no TIME_DELTA_MS ${extra} among the extras`);
  if (field.min === 0 && field.standard === null)
    fail(path, `${extra} may be left out and has no defaultValue`);
  const { ruleAfterMinMs: least, ruleAfterMaxMs: most } = limits;
  delays.set(`cfg_${extra}`, ({ event }) => Math.min(most, Math.max(least, event.view.number(extra))));
  return `cfg_${extra}`;
}

function transitionsOf(
  json: unknown,
  path: string,
  node: Node,
  machine: Machine,
): readonly Transition<Kept>[] {
  const isList = Array.isArray(json);
  const list = listAt(json);
  return list.map((one, index) => transitionOf(one, isList ? under(path, index) : path, node, machine));
}

function transitionOf(json: unknown, path: string, node: Node, machine: Machine): Transition<Kept> {
  const given = typeof json === "string" ? { target: json } : shapeAt(json, path, transitionFields);
  const { target, guard, actions, reenter = false }: Fields = given;
  if (typeof reenter !== "boolean") fail(under(path, "reenter"), "true or false");
  const [to, ...more] = listAt(target);
  if (more.length > 0) fail(under(path, "target"), "one target");
  const wanted = actionsOf(actions, under(path, "actions"), machine);
  return {
    ...(to !== undefined && { target: targetAt(to, under(path, "target"), node, machine) }),
    ...(guard !== undefined && { guard: guardOf(guard, under(path, "guard"), machine) }),
    ...(wanted.length > 0 && { actions: wanted }),
    ...(reenter && { reenter }),
  };
}

/** Resolves a target: a sibling, a `.child`, or `#id` with a path of states below it. */
function targetAt(target: unknown, path: string, node: Node, { root, byId }: Machine): string {
  if (typeof target !== "string" || target === "") fail(path, "the name of a state is wanted");
  let names = target.split(".");
  let from: Node | undefined;
  if (target.startsWith("#")) {
    from = byId.get((names[0] ?? "").slice(1));
    names = names.slice(1);
  } else if (target.startsWith(".")) {
    from = node;
    names = names.slice(1);
  } else from = below(root, node.path.slice(0, -1));
  const found = below(from, names);
  if (found === undefined || isInherited(target))
    fail(path, `there is no state ${target.slice(0, limits.nameChars)}`);
  if (found === root) fail(path, "a target is a state, not the machine itself");
  const name = found.path.at(-1) ?? "";
  const around = found.path.slice(0, -1).join(".");
  if (node !== root && around === node.path.slice(0, -1).join(".")) return name;
  if (around === node.path.join(".")) return `.${name}`;
  return `#rule.${["on", ...found.path].join(".")}`;
}

function below(from: Node | undefined, names: readonly string[]): Node | undefined {
  return names.reduce<Node | undefined>((of, name) => of?.children.get(name), from);
}

function guardOf(json: unknown, path: string, { names }: Machine): (given: Arguments<Kept>) => boolean {
  if (typeof json === "string") fail(path, `a guard is {"type": "expr", "params": {"expr"}}, not a text`);
  const { type, params } = shapeAt(json, path, guardFields);
  if (type !== "expr") fail(under(path, "type"), `a guard is an expr, not ${JSON.stringify(type)}`);
  const inside = under(path, "params");
  const { expr } = shapeAt(params, inside, exprFields);
  const evaluate = expressionAt(expr, under(inside, "expr"), names);
  const guard = (given: Arguments<Kept>): boolean => evaluate(new RuleScope(given, names)) === true;
  // Diagrams and answers to "why not" show the guard under this name.
  return Object.defineProperty(guard, "name", { value: expressionText(expr) });
}

function actionsOf(json: unknown, path: string, { names }: Machine): readonly Action<Kept>[] {
  const isList = Array.isArray(json);
  return listAt(json).map((one, index) => actionAt(one, isList ? under(path, index) : path, names));
}
