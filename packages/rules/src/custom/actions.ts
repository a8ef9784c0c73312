import type { Device } from "@ledge/model";
import { attribute, isRejection, limits } from "@ledge/model";
import { Check } from "typebox/value";
import type { Action, Arguments } from "../machine/chart.ts";
import { keep, out } from "../machine/chart.ts";
import type { Effect } from "../machine/effect.ts";
import { set, turn } from "../machine/effect.ts";
import type { Evaluate, Value } from "./expression.ts";
import { compileExpression } from "./expression.ts";
import type { Kept, Names } from "./names.ts";
import { unmeasured, unreadable } from "./names.ts";
import type { Fields } from "./problem.ts";
import { fail, shapeAt, SourceProblem, textAt, under } from "./problem.ts";
import { RuleScope, spend } from "./rule-scope.ts";

/** Units of work that an action costs, plus as many for each of its devices. */
const actionUnits = 20;

/** Compiles an expression of a custom rule. @throws SourceProblem */
export function expressionAt(json: unknown, path: string, names: Names): Evaluate {
  const compiled = compileExpression(json, {
    path,
    unreadable: (of) => unreadable(of, names),
    unmeasured: (field) => unmeasured(field, names),
  });
  if (isRejection(compiled)) throw new SourceProblem(compiled.field ?? path, compiled.message);
  return compiled;
}

const actionFields = new Set(["type", "params"]);

/**
 * Compiles an action: `cmd`, `set`, `notify` or `log`.
 * @throws SourceProblem
 */
export function actionAt(json: unknown, path: string, names: Names): Action<Kept> {
  if (typeof json === "string")
    fail(path, `an action is {"type", "params"}, not the text ${json.slice(0, 40)}`);
  const { type, params = {} } = shapeAt(json, path, actionFields);
  const inside = under(path, "params");
  switch (type) {
    case "cmd":
      return cmd(shapeAt(params, inside, cmdFields), inside, names);
    case "set":
      return setting(shapeAt(params, inside, setFields), inside, names);
    case "notify": {
      const say = textIn(params, inside, names);
      return done((of) => [{ do: "raise", alarm: "CUSTOM_NOTICE", facts: { text: say(of) } }]);
    }
    case "log": {
      const say = textIn(params, inside, names);
      return done((of) => [{ do: "log", text: say(of) }]);
    }
    default:
      return fail(under(path, "type"), `an action is cmd, set, notify or log, not ${JSON.stringify(type)}`);
  }
}

type Given = Arguments<Kept>;

function done(of: (given: Given) => readonly Effect[]): Action<Kept> {
  return out((given) => {
    spend(given.event.view, actionUnits);
    return of(given);
  });
}

const cmdFields = new Set(["output", "op", "value"]);
const setFields = new Set(["name", "value"]);
const textFields = new Set(["text"]);

/** What a command does: it turns a value into effects on devices. */
type Operation = (devices: readonly Device[], value: Exclude<Value, undefined>) => readonly Effect[];

/** Attributes whose values are objects: a custom rule cannot set them. */
const composed: ReadonlySet<string> = new Set(["rcData", "avtData"]);

function cmd({ output, op, value }: Fields, path: string, names: Names): Action<Kept> {
  if (typeof output !== "string" || !Object.hasOwn(names.outputs, output))
    fail(under(path, "output"), `there is no output ${JSON.stringify(output)}: a rule commands its own only`);
  if (op === "on" || op === "off") {
    if (value !== undefined) fail(under(path, "value"), `${op} takes no value`);
    return told(output, ({ event: { view } }) => turn(view.devices(output), op === "on"));
  }
  const operation = operationAt(op, under(path, "op"));
  const place = under(path, "value");
  if (value === undefined) fail(place, "a value is wanted");
  const evaluate = expressionAt(value, place, names);
  checkLiteral(value, op as string, place);
  return told(output, (given) => {
    const wanted = evaluate(new RuleScope(given, names));
    return wanted === undefined ? [] : operation(given.event.view.devices(output), wanted);
  });
}

function told(output: string, of: (given: Given) => readonly Effect[]): Action<Kept> {
  return done((given) => {
    spend(given.event.view, actionUnits * given.event.view.devices(output).length);
    return of(given);
  });
}

function operationAt(op: unknown, path: string): Operation {
  if (op === "level") return (devices, value) => set(devices, { isOn: true, brightness: value });
  if (op === "toggle") fail(path, "a command is absolute: there is no toggle");
  const known = typeof op === "string" && !composed.has(op) ? attribute(op) : undefined;
  if (known === undefined || known.settableBy.length === 0)
    fail(path, `op is on, off, level or an attribute that can be set, not ${JSON.stringify(op)}`);
  return (devices, value) => set(devices, { [op as string]: value });
}

/** Refuses a literal value that the attribute could never take; other values are only known when the rule runs. */
function checkLiteral(value: unknown, op: string, path: string): void {
  if (typeof value === "object") return;
  // On a lamp this attribute is a colour temperature in kelvin; on other devices it cannot be set.
  const schema = attribute(op === "level" ? "brightness" : op)?.value;
  if (schema !== undefined && !Check(schema, value)) fail(path, `${op} cannot be ${JSON.stringify(value)}`);
}

function setting({ name, value }: Fields, path: string, names: Names): Action<Kept> {
  if (typeof name !== "string" || !Object.hasOwn(names.context, name))
    fail(under(path, "name"), `the machine's context has no ${JSON.stringify(name)}`);
  const place = under(path, "value");
  if (value === undefined) fail(place, "a value is wanted");
  const evaluate = value === null ? () => undefined : expressionAt(value, place, names);
  return keep((given) => {
    spend(given.event.view, actionUnits);
    const kept = evaluate(new RuleScope(given, names)) ?? null;
    const { context } = given;
    if (typeof kept === "string" && sizeOf({ ...context, [name]: kept }) > limits.ruleContextBytes)
      throw new Error(`it keeps more than ${limits.ruleContextBytes} bytes`);
    return { [name]: kept };
  });
}

/** Returns the size of a machine's context as JSON, in bytes. */
export function sizeOf(context: Kept): number {
  return Buffer.byteLength(JSON.stringify(context));
}

const hole = /\{([A-Za-z_][\w.-]*)\}/g;

/** Compiles a text with holes such as `{ctx.count}`, with the paths of `var`. An unknown value reads `?`. */
function textIn(params: unknown, path: string, names: Names): (given: Given) => string {
  const place = under(path, "text");
  const text = textAt(shapeAt(params, path, textFields)["text"], place, limits.ruleTextChars);
  if (text.trim() === "") fail(place, "a text is wanted");
  const paths = [...text.matchAll(hole)].map(([, name = ""]) => name);
  const values = new Map(paths.map((name) => [name, expressionAt({ var: name }, place, names)]));
  return (given) => {
    const scope = new RuleScope(given, names);
    const said = text.replace(hole, (_, name: string) => shown(values.get(name)?.(scope)));
    return said.slice(0, limits.ruleTextChars);
  };
}

function shown(value: Value): string {
  if (value === undefined) return "?";
  return typeof value === "number" ? String(Math.round(value * 100) / 100) : String(value);
}
