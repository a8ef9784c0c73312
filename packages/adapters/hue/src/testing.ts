import { attribute, extrasProblem } from "@ledge/model";
import { Check } from "typebox/value";
import { EventStream } from "./event-stream.ts";
import { attributesOf, describe, type Values, wantedBy } from "./lamp.ts";
import { attributesOfSensor, describeSensor, type Press, type Thing } from "./sensor.ts";
import * as firstSensors from "./v1-sensors.ts";
import * as first from "./v1.ts";
import * as secondSensors from "./v2-sensors.ts";
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
  readonly sensors: unknown;
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
  const { lights, groups, scenes, sensors, resources, events } = { ...changed };
  const problems: string[] = [];
  let count = 0;
  try {
    const lamps = first.lampsIn(lights);
    const all: Thing[] = [...lamps, ...first.groupsIn(groups, scenes, lamps)];
    first.errorIn(lights);
    first.keyIn(events);
    const known = second.resourcesIn(resources);
    const next = second.applyEvents(known, events) ?? known;
    all.push(...second.foundIn(known).map(({ lamp }) => lamp));
    all.push(...second.foundIn(next).map(({ lamp }) => lamp));
    second.errorIn(resources);
    const { heard } = firstSensors.pressesIn(answers.sensors, undefined);
    const presses = [
      ...firstSensors.pressesIn(sensors, heard).presses,
      ...secondSensors.pressesIn(known, events),
      ...secondSensors.pressesIn(next, events),
    ];
    for (const press of presses) problems.push(...problemsOfPress(press));
    all.push(...firstSensors.sensorsIn(sensors), ...secondSensors.sensorsIn(known));
    all.push(...secondSensors.sensorsIn(next));
    for (const thing of all) problems.push(...problemsOf(thing));
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

function problemsOf(thing: Thing): readonly string[] {
  const problems: string[] = [];
  const isSensor = thing.kind === "sensor";
  const native = `bridge/${thing.id}`;
  const { stateExtras = [], name } = isSensor
    ? describeSensor(native, "bridge", thing)
    : describe(native, "bridge", thing);
  const extras = extrasProblem(stateExtras);
  if (extras !== undefined) problems.push(`${thing.id}: ${JSON.stringify(extras)}`);
  if (name === "") problems.push(`${thing.id} has no name`);
  problems.push(...problemsOfValues(thing.id, isSensor ? attributesOfSensor(thing) : attributesOf(thing)));
  if (isSensor) return problems;
  const wanted =
    wantedBy({ isOn: true, brightness: 0.5, temperature: 3000, hue: 1, saturation: 1 }, thing) ?? {};
  for (const body of [first.bodyOf(wanted), second.bodyOf(wanted)])
    if (/null|NaN|Infinity/.test(JSON.stringify(body))) problems.push(`${thing.id}: ${JSON.stringify(body)}`);
  return problems;
}

function problemsOfPress({ id, button, modifiers }: Press): readonly string[] {
  return problemsOfValues(id, { button, modifiers });
}

function problemsOfValues(id: string, values: Values): readonly string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const schema = attribute(key)?.value;
    return schema === undefined || !Check(schema, value) ? [`${id}: ${key} is ${JSON.stringify(value)}`] : [];
  });
}
