import type { Rejection } from "@ledge/model";
import { isRejection, limits, reject } from "@ledge/model";

/** The value of an expression; undefined means unknown. */
export type Value = number | string | boolean | undefined;

/** What an expression can read while it is evaluated. */
export interface Scope {
  /**
   * Returns the value at a path, such as `["ctx", "count"]`. Anything but a number, text or boolean counts as
   * unknown.
   */
  value(path: readonly string[]): unknown;
  /** Returns what the devices of a field show. */
  readings(field: string): readonly unknown[];
  /**
   * Counts work.
   * @throws when there was too much
   */
  spend?(units: number): void;
}

export type Evaluate = (scope: Scope) => Value;

export interface ExpressionOptions {
  /** The path of the expression in its source, for messages; default: empty. */
  readonly path?: string;
  /** Returns why a path of `var` can never have a value; undefined when it can. */
  readonly unreadable?: (path: readonly string[]) => string | undefined;
  /** Returns why a field has no readings; default: no field has any. */
  readonly unmeasured?: (field: string) => string | undefined;
}

/** Returns a scope over plain data that sees only own properties. */
export function scopeOver(data: object): Scope {
  return { value: (path) => ownValue(data, path), readings: () => [] };
}

/** Returns the value at a path of plain data; never an inherited one. */
export function ownValue(data: unknown, path: readonly string[]): unknown {
  let value = data;
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

/** Returns whether every object inherits this name, or it is `prototype`; such names are forbidden. */
export function isInherited(name: string): boolean {
  return name in Object.prototype || name === "prototype";
}

/**
 * Compiles an expression: a number, a text, a boolean, or one operator with its operands, as in `{"<":
 * [{"min": "temperature"}, {"var": "cfg.low"}]}`. The vocabulary is closed, and nothing in it reaches code.
 * An unknown operand makes the result unknown, except for `known`, `if`, and an `and` or `or` that the other
 * operands decide. Returns a rejection for too many operands, inherited names and too much depth.
 */
export function compileExpression(json: unknown, options: ExpressionOptions = {}): Evaluate | Rejection {
  const size = { nodes: 0 };
  const compiled = compile(json, { path: options.path ?? "", depth: 1, options, size });
  if (isRejection(compiled)) return compiled;
  return (scope) => {
    scope.spend?.(size.nodes);
    return compiled(scope);
  };
}

interface At {
  readonly path: string;
  readonly depth: number;
  readonly options: ExpressionOptions;
  readonly size: { nodes: number };
}

function compile(json: unknown, at: At): Evaluate | Rejection {
  at.size.nodes++;
  if (at.depth > limits.expressionDepth)
    return refuse(`an expression has at most ${limits.expressionDepth} levels`, at);
  if (typeof json !== "object" || json === null) return literal(json, at);
  if (Array.isArray(json)) return refuse("a list is only allowed as the operands of an operator", at);
  const [entry, ...more] = Object.entries(json);
  if (entry === undefined || more.length > 0)
    return refuse("an expression is one operator with its operands", at);
  const [name, given] = entry;
  if (isInherited(name)) return refuse(`${name} is not an operator`, at);
  const inside = { ...at, path: under(at.path, name) };
  if (Object.hasOwn(aggregates, name) && typeof given === "string") {
    return aggregate(aggregates[name as keyof typeof aggregates], given, inside);
  }
  if (name === "var") return variable(given, inside);
  if (name === "in") return oneOf(given, inside);
  if (!Object.hasOwn(operators, name)) {
    const isOfField = Object.hasOwn(aggregates, name);
    return refuse(isOfField ? `${name} takes the name of a field` : `there is no operator ${name}`, inside);
  }
  const { min, max, make } = operators[name as keyof typeof operators];
  const operands = operandsOf(given, min, max, inside);
  return isRejection(operands) ? operands : make(operands);
}

function literal(json: unknown, at: At): Evaluate | Rejection {
  if (json === null) return refuse("null is not a value: use known to ask whether there is one", at);
  if (typeof json === "number" && !Number.isFinite(json)) return refuse("a number must be finite", at);
  if (typeof json === "string" && json.length > limits.ruleTextChars)
    return refuse(`a text has at most ${limits.ruleTextChars} characters`, at);
  const value = known(json);
  return () => value;
}

function variable(given: unknown, at: At): Evaluate | Rejection {
  const path = pathOf(given);
  if (path === undefined || path.length === 0 || path.length > limits.expressionPath)
    return refuse(`var takes a path of at most ${limits.expressionPath} names`, at);
  const inherited = path.find(isInherited);
  if (inherited !== undefined) return refuse(`no path leads through ${inherited}`, at);
  const problem = at.options.unreadable?.(path);
  if (problem !== undefined) return refuse(problem, at);
  return (scope) => known(scope.value(path));
}

function pathOf(given: unknown): readonly string[] | undefined {
  if (typeof given === "string") return given.split(".");
  const isPath = Array.isArray(given) && given.every((name) => typeof name === "string");
  return isPath ? given : undefined;
}

function oneOf(given: unknown, at: At): Evaluate | Rejection {
  const [operand, list, ...more] = Array.isArray(given) ? (given as unknown[]) : [];
  if (!Array.isArray(list) || more.length > 0) return refuse("in takes a value and a list of values", at);
  const value = compile(operand, { ...at, path: under(at.path, 0), depth: at.depth + 1 });
  if (isRejection(value)) return value;
  for (const [index, one] of list.entries()) {
    const path = `${under(at.path, 1)}.${index}`;
    if (typeof one === "object") return refuse("a list holds numbers, texts and booleans", { ...at, path });
    const problem = literal(one, { ...at, path });
    if (isRejection(problem)) return problem;
  }
  at.size.nodes += list.length;
  const values = new Set<unknown>(list);
  return (scope) => {
    const one = value(scope);
    return one === undefined ? undefined : values.has(one);
  };
}

function operandsOf(given: unknown, min: number, max: number, at: At): readonly Evaluate[] | Rejection {
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (list.length < min || list.length > max) {
    const wanted = min === max ? `${min}` : `${min} to ${max}`;
    return refuse(`${at.path.split(".").at(-1)} takes ${wanted} operands`, at);
  }
  const compiled: Evaluate[] = [];
  for (const [index, operand] of list.entries()) {
    const path = Array.isArray(given) ? under(at.path, index) : at.path;
    const one = compile(operand, { ...at, path, depth: at.depth + 1 });
    if (isRejection(one)) return one;
    compiled.push(one);
  }
  return compiled;
}

/** Compiles an operator over a field: it reads what the field's devices show, and ignores unknown readings. */
function aggregate(of: Aggregate, field: string, at: At): Evaluate | Rejection {
  const problem = (at.options.unmeasured ?? (() => "there are no fields here"))(field);
  if (problem !== undefined) return refuse(problem, at);
  return (scope) => known(of(scope.readings(field)));
}

type Aggregate = (readings: readonly unknown[]) => Value;

const numbersIn = (readings: readonly unknown[]): readonly number[] =>
  readings.filter((reading) => typeof reading === "number");
const truthsIn = (readings: readonly unknown[]): readonly boolean[] =>
  readings.filter((reading) => typeof reading === "boolean");

function ofNumbers(of: (numbers: readonly number[]) => number): Aggregate {
  return (readings) => {
    const numbers = numbersIn(readings);
    return numbers.length === 0 ? undefined : of(numbers);
  };
}

function ofTruths(of: (truths: readonly boolean[]) => boolean): Aggregate {
  return (readings) => {
    const truths = truthsIn(readings);
    return truths.length === 0 ? undefined : of(truths);
  };
}

const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

const aggregates = {
  any: ofTruths((truths) => truths.includes(true)),
  all: ofTruths((truths) => !truths.includes(false)),
  min: ofNumbers((numbers) => Math.min(...numbers)),
  max: ofNumbers((numbers) => Math.max(...numbers)),
  avg: ofNumbers(mean),
  sum: ofNumbers((numbers) => numbers.reduce((sum, one) => sum + one, 0)),
  /** How many devices read true, and how many have a reading. */
  count: (readings: readonly unknown[]) => readings.filter((reading) => reading === true).length,
  seen: (readings: readonly unknown[]) => readings.filter((reading) => known(reading) !== undefined).length,
} as const satisfies Record<string, Aggregate>;

interface Operator {
  readonly min: number;
  readonly max: number;
  readonly make: (operands: readonly Evaluate[]) => Evaluate;
}

const many = limits.expressionOperands;

function operator(min: number, max: number, make: Operator["make"]): Operator {
  return { min, max, make };
}

/** An operator that is unknown unless all operands are known. */
function strict(min: number, max: number, of: (...values: Exclude<Value, undefined>[]) => Value): Operator {
  return operator(min, max, (operands) => (scope) => {
    const values: Exclude<Value, undefined>[] = [];
    for (const operand of operands) {
      const value = operand(scope);
      if (value === undefined) return undefined;
      values.push(value);
    }
    return known(of(...values));
  });
}

/** An operator on numbers. */
function numeric(min: number, max: number, of: (...numbers: number[]) => number): Operator {
  return strict(min, max, (...values) =>
    values.every((value) => typeof value === "number") ? of(...values) : undefined,
  );
}

/** Compares numbers or texts; with three operands the second must lie between the others. */
function ordered(of: (one: number | string, other: number | string) => boolean): Operator {
  return strict(2, 3, (...values) => {
    const [first] = values;
    const isOrdered = typeof first === "number" || typeof first === "string";
    if (!isOrdered || values.some((value) => typeof value !== typeof first)) return undefined;
    const list = values as (number | string)[];
    return list.slice(1).every((value, index) => of(list[index] as typeof value, value));
  });
}

/** Decided as soon as one operand is `decisive`; unknown when an unknown operand could still decide it. */
function logical(decisive: boolean): Operator {
  return operator(1, many, (operands) => (scope) => {
    let value: Value = !decisive;
    for (const operand of operands) {
      const one = operand(scope);
      if (one === decisive) return decisive;
      if (typeof one !== "boolean") value = undefined;
    }
    return value;
  });
}

const operators = {
  "==": strict(2, 2, (one, other) => one === other),
  "!=": strict(2, 2, (one, other) => one !== other),
  "<": ordered((one, other) => one < other),
  "<=": ordered((one, other) => one <= other),
  ">": ordered((one, other) => one > other),
  ">=": ordered((one, other) => one >= other),
  and: logical(false),
  or: logical(true),
  "!": strict(1, 1, (value) => (typeof value === "boolean" ? !value : undefined)),
  known: operator(
    1,
    1,
    ([operand]) =>
      (scope) =>
        operand?.(scope) !== undefined,
  ),
  /** Condition, value, condition, value, …, and an optional else. */
  if: operator(2, many, (operands) => (scope) => {
    let at = 0;
    for (; at + 1 < operands.length; at += 2) {
      if (operands[at]?.(scope) === true) return operands[at + 1]?.(scope);
    }
    return operands[at]?.(scope);
  }),
  "+": numeric(1, many, (...numbers) => numbers.reduce((sum, one) => sum + one)),
  "*": numeric(1, many, (...numbers) => numbers.reduce((product, one) => product * one)),
  "-": numeric(1, 2, (one, other) => (other === undefined ? -one : one - other)),
  "/": numeric(2, 2, (one, other) => one / other),
  "%": numeric(2, 2, (one, other) => one % other),
  min: numeric(1, many, (...numbers) => Math.min(...numbers)),
  max: numeric(1, many, (...numbers) => Math.max(...numbers)),
  avg: numeric(1, many, (...numbers) => mean(numbers)),
  abs: numeric(1, 1, Math.abs),
  round: numeric(1, 1, Math.round),
} as const satisfies Record<string, Operator>;

/** Returns a value, or undefined for anything else. JSON, and so the log, has no negative zero. */
function known(value: unknown): Value {
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : undefined;
  return typeof value === "string" || typeof value === "boolean" ? value : undefined;
}

function refuse(message: string, { path }: Pick<At, "path">): Rejection {
  return path === "" ? reject("invalid", message) : reject("invalid", message, path);
}

function under(path: string, name: string | number): string {
  return path === "" ? String(name) : `${path}.${name}`;
}
