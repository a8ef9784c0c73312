import { attribute, extrasProblem } from "@ledge/model";
import { Check } from "typebox/value";
import { EventStream } from "./event-stream.ts";
import { attributesOf, describe, type Lamp, wantedBy } from "./lamp.ts";
import * as first from "./v1.ts";
import * as second from "./v2.ts";

/** Returns a whole number from 0 up to `below`, exclusive. */
type Below = (below: number) => number;

const oddValues: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1e308,
  255,
  70_000,
  "",
  "on",
  "__proto__",
  [],
  {},
  [0.5],
  { on: true },
];

/** Returns a copy of JSON with something changed: a value, a key that is missing, twice or another's. */
function mutated(value: unknown, below: Below, depth = 0): unknown {
  if (below(40) === 0) return oddValues[below(oddValues.length)];
  if (Array.isArray(value)) {
    const items = value.map((each: unknown) => mutated(each, below, depth + 1));
    return below(12) === 0 ? items.slice(below(items.length + 1)) : items;
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, each]) => {
    if (below(30) === 0) return [];
    return [[below(60) === 0 ? "type" : key, mutated(each, below, depth + 1)] as const];
  });
  return Object.fromEntries(entries);
}

/** Answers of a bridge as it gives them, to be changed. */
export interface Answers {
  readonly lights: unknown;
  readonly groups: unknown;
  readonly scenes: unknown;
  readonly resources: unknown;
  readonly events: unknown;
}

/**
 * Reads changed answers of a bridge through both interfaces, as whole and as torn text.
 * @returns `outcome`: how many lamps there were. `problems`: what must not happen
 */
export function tryAnswers(
  answers: Answers,
  below: Below,
): { readonly outcome: string; readonly shown: string; readonly problems: readonly string[] } {
  const changed = mutated(answers, below) as Partial<Answers> | null;
  const { lights, groups, scenes, resources, events } = { ...changed };
  const problems: string[] = [];
  let count = 0;
  try {
    const lamps = first.lampsIn(lights);
    const all = [...lamps, ...first.groupsIn(groups, scenes, lamps)];
    first.errorIn(lights);
    first.keyIn(events);
    const known = second.resourcesIn(resources);
    const next = second.applyEvents(known, events) ?? known;
    all.push(...second.foundIn(known).map(({ lamp }) => lamp));
    all.push(...second.foundIn(next).map(({ lamp }) => lamp));
    second.errorIn(resources);
    for (const lamp of all) problems.push(...problemsOf(lamp));
    count = all.length;
    const text = `data: ${JSON.stringify(events ?? null)}\n\n`;
    const stream = new EventStream();
    const at = below(text.length);
    const read = [...stream.push(text.slice(0, at)), ...stream.push(text.slice(at))];
    if (read.length !== 1) problems.push(`a torn event was read ${read.length} times`);
    stream.push(text.slice(below(text.length)).repeat(2));
  } catch (error) {
    problems.push(`thrown: ${String((error as Error).stack)}`);
  }
  return {
    outcome: count === 0 ? "no lamp" : "lamps",
    shown: JSON.stringify(changed).slice(0, 2000),
    problems,
  };
}

function problemsOf(lamp: Lamp): readonly string[] {
  const problems: string[] = [];
  const { stateExtras = [], name } = describe(`bridge/${lamp.id}`, "bridge", lamp);
  const extras = extrasProblem(stateExtras);
  if (extras !== undefined) problems.push(`${lamp.id}: ${JSON.stringify(extras)}`);
  if (name === "") problems.push(`${lamp.id} has no name`);
  for (const [key, value] of Object.entries(attributesOf(lamp))) {
    const schema = attribute(key)?.value;
    if (schema === undefined || !Check(schema, value))
      problems.push(`${lamp.id}: ${key} is ${JSON.stringify(value)}`);
  }
  const wanted =
    wantedBy({ isOn: true, brightness: 0.5, temperature: 3000, hue: 1, saturation: 1 }, lamp) ?? {};
  for (const body of [first.bodyOf(wanted), second.bodyOf(wanted)])
    if (/null|NaN|Infinity/.test(JSON.stringify(body))) problems.push(`${lamp.id}: ${JSON.stringify(body)}`);
  return problems;
}
