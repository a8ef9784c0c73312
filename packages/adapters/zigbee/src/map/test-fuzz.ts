import { attribute, extraAttribute, heatingMode, lampTemperature } from "@ledge/model";
import fc from "fast-check";
import type Type from "typebox";
import { Zcl } from "zigbee-herdsman";
import type { Fz, Zh } from "zigbee-herdsman-converters/lib/types";
import type { Validator } from "typebox/compile";
import { Compile } from "typebox/compile";
import { attributesOf } from "./attributes.ts";
import { settingValues } from "./configuration.ts";
import { clusters } from "./clusters/index.ts";
import { KnownModel } from "./known-model.ts";
import { herdsmanDevice } from "./test-herdsman.ts";
import type { ModelName } from "./test-models.ts";
import { models } from "./test-models.ts";
import type { Unit } from "./unit.ts";
import { unitsOf } from "./units.ts";

const validators = new Map<Type.TSchema, Validator>();

function isOf(schema: Type.TSchema, value: unknown): boolean {
  const validator = validators.get(schema) ?? Compile(schema);
  validators.set(schema, validator);
  return validator.Check(value);
}

/** Returns the first attribute with a value that the model would refuse; undefined when there is none. */
export function impossibleIn(
  { class: type, known }: Unit,
  shown: Readonly<Record<string, unknown>>,
): string | undefined {
  const kinds = new Map(known?.extras.map(({ described }) => [extraAttribute(described.name), described]));
  return Object.entries(shown).find(([name, value]) => {
    const extra = kinds.get(name);
    if (extra !== undefined) return !isOfKind(extra.fieldType, value);
    let schema = attribute(name)?.value;
    if (name === "temperature" && type === "LIGHT") schema = lampTemperature;
    if (name === "mode") schema = heatingMode;
    return schema === undefined || !isOf(schema, value);
  })?.[0];
}

function isOfKind(kind: string, value: unknown): boolean {
  if (kind === "NUMBER") return typeof value === "number" && Number.isFinite(value);
  if (kind === "BOOL") return typeof value === "boolean";
  return typeof value === "string" || typeof value === "number";
}

/** A device of a known model. */
interface Target {
  readonly name: ModelName;
  readonly model: KnownModel;
  readonly units: readonly Unit[];
  readonly device: Zh.Device;
  /** What it may send: the attributes of its clusters. */
  readonly clusters: readonly (readonly [cluster: string, attributes: readonly string[]])[];
  /** What its converters may publish. */
  readonly properties: readonly string[];
}

async function targetOf(name: ModelName): Promise<Target | undefined> {
  const { device } = herdsmanDevice(models[name]);
  const nothing = (): void => undefined;
  const model = await KnownModel.of(device, { log: nothing, said: nothing, changed: nothing });
  if (model === undefined) return undefined;
  await model.event("start");
  const units = unitsOf(models[name], model.facts);
  return { name, model, units, device, clusters: clustersOf(device), properties: propertiesOfUnits(units) };
}

function clustersOf({ endpoints }: Zh.Device): Target["clusters"] {
  const ids = new Set(
    endpoints.flatMap(({ inputClusters, outputClusters }) => [...inputClusters, ...outputClusters]),
  );
  return Object.entries(Zcl.Clusters).flatMap(([name, { ID, attributes }]) =>
    ids.has(ID) ? [[name, Object.keys(attributes)] as const] : [],
  );
}

function propertiesOfUnits(units: readonly Unit[]): readonly string[] {
  const all = units.flatMap(({ known }) => [
    ...(known?.own ?? []),
    ...(known?.extras ?? []),
    ...(known?.settings ?? []),
  ]);
  return ["action", ...new Set(all.map(({ property }) => property))];
}

const oddNumbers = [0, 1, -1, 127, 128, 255, 0x7fff, -0x8000, 0xffff, 0xff_ffff, 2 ** 32, 2 ** 48 - 1];
const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...oddNumbers) },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 300 }) },
  { weight: 1, arbitrary: fc.double() },
  { weight: 1, arbitrary: fc.anything() },
);
const datapoint = fc.record({
  dp: fc.integer({ min: 0, max: 130 }),
  datatype: fc.integer({ min: 0, max: 5 }),
  data: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
});
const datapoints = fc.record({ seq: fc.nat(), dpValues: fc.array(datapoint, { maxLength: 4 }) });
const types = [
  "attributeReport",
  "readResponse",
  "commandDataReport",
  "commandStatusChangeNotification",
  "raw",
];
const heard = [
  ...clusters.map(({ cluster }) => cluster),
  ..."genBasic genMultistateInput genAnalogInput manuSpecificTuya manuSpecificLumi genScenes".split(" "),
];
const words = "ON OFF on off true idle heat LOCK OPEN single low 1 x".split(" ");
const said = fc.oneof(value, fc.constantFrom(...words), fc.boolean(), fc.dictionary(fc.string(), value));

/** What a device sends, or what its converters publish. */
interface Frame {
  readonly target: Target;
  readonly cluster: string;
  readonly type: string;
  readonly data: unknown;
  readonly properties: Readonly<Record<string, unknown>> | undefined;
}

function framesOf(target: Target): fc.Arbitrary<Frame> {
  const own = target.clusters.map(([cluster, attributes]) =>
    fc.record({
      cluster: fc.constant(cluster),
      type: fc.constantFrom("attributeReport", "readResponse"),
      data: fc.dictionary(fc.constantFrom("65281", "__proto__", ...attributes), value, { maxKeys: 6 }),
    }),
  );
  const any = fc.record({
    cluster: fc.constantFrom(...heard),
    type: fc.constantFrom(...types),
    data: fc.oneof(datapoints, fc.anything()),
  });
  const message = fc.oneof({ weight: 3, arbitrary: fc.oneof(...own) }, { weight: 1, arbitrary: any });
  const published = fc.dictionary(fc.constantFrom(...target.properties), said, { maxKeys: 4 });
  return fc
    .tuple(message, fc.option(published, { nil: undefined, freq: 2 }))
    .map(([sent, properties]) => ({ target, ...sent, properties }));
}

/** A run of the fuzzer. */
export interface FrameFuzz {
  readonly cases: number;
  readonly seed: number;
  /** Called after each thousand frames. */
  readonly progress?: (done: number) => void;
}

/**
 * Sends random frames through the definitions of the test models: clusters, types and values of any kind.
 * @returns how many values were shown, and what failed: a throw, or a value that the model refuses.
 */
export async function fuzzFrames({ cases, seed, progress }: FrameFuzz): Promise<{
  readonly shown: number;
  readonly failures: readonly string[];
}> {
  const all = await Promise.all((Object.keys(models) as ModelName[]).map(targetOf));
  const targets = all.filter((target) => target !== undefined);
  const failures: string[] = [];
  let shown = 0;
  const frame = fc.oneof(...targets.map(framesOf));
  // Random draws in batches: one property for all frames would keep them all in memory.
  for (let done = 0; done < cases; done += 1000) {
    const frames = fc.sample(frame, { numRuns: Math.min(1000, cases - done), seed: seed + done });
    for (const each of frames) {
      const found = showing(each);
      if (typeof found === "number") shown += found;
      else
        failures.push(
          `${each.target.name} ${each.cluster} ${each.type} ${fc.stringify(each.data)}: ${found}`,
        );
    }
    progress?.(Math.min(cases, done + 1000));
    // Converters that answer later run meanwhile.
    await new Promise(setImmediate);
  }
  return { shown, failures };
}

/** Returns how many values a frame shows, or what is wrong with it. */
function showing({ target, cluster, type, data, properties: published }: Frame): number | string {
  const { model, units, device } = target;
  const [endpoint] = device.endpoints;
  const meta = { zclTransactionSequenceNumber: 1, rawData: Buffer.alloc(0) };
  const message = { type, cluster, data, device, endpoint, meta, groupID: 0, linkquality: 100 };
  try {
    const properties = published ?? model.read(message as unknown as Fz.Message<string>);
    let count = 0;
    for (const unit of units) {
      const about = { endpoint: endpoint?.ID ?? 1, cluster, type, data };
      const shown = attributesOf(unit, about, {}, properties);
      const wrong = impossibleIn(unit, shown);
      if (wrong !== undefined) return `${wrong} is ${fc.stringify(shown[wrong])}`;
      count += Object.keys(shown).length + Object.keys(settingValues(unit, properties)).length;
    }
    return count;
  } catch (error) {
    return String((error as Error).stack);
  }
}
