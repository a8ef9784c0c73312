// Generates values that fit a schema, and hostile values.
import type { Random } from "../crash/random.ts";

/** A JSON schema, with the keywords that the rows use. */
export interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface Source {
  readonly random: Random;
  /** Ids of the hub's objects. */
  readonly ids: readonly string[];
  /** Returns values for a field by its name; undefined when any value will do. */
  readonly wordsOf?: (field: string) => readonly unknown[] | undefined;
}

const words = [
  "Hall",
  "x",
  "UTC",
  "row",
  "#ff8000",
  "0 7 * * 1",
  "ann@example.org",
  "192.168.1.9",
  "ON_OFF",
  "PAIR_MODBUS",
  "GET_MODBUS_PAIRINGS",
  "ZWAVE_START_INCLUSION",
];
/** Fields that hold ids, or lists of them. */
const idField = /(?:^id|Ids?|^members|^room|^zones|^scenes|^target)$/;

/** Returns a value that fits a schema, with ids of the hub in fields for ids. */
export function valueOf(schema: Schema, source: Source, field = ""): unknown {
  const { random, ids } = source;
  if ("const" in schema) return schema.const;
  const known = source.wordsOf?.(field);
  if (known !== undefined && random.chance(0.9)) return random.pick(known);
  if (schema.anyOf !== undefined) return valueOf(random.pick(schema.anyOf), source, field);
  switch (schema.type ?? "anything") {
    case "object":
      return objectOf(schema, source);
    case "array": {
      const { minItems = 0, maxItems = 4 } = schema;
      const count = minItems + random.below(Math.min(4, maxItems - minItems + 1));
      return Array.from({ length: count }, () => valueOf(schema.items ?? {}, source, field));
    }
    case "string":
      return idField.test(field) && ids.length > 0 && random.chance(0.9)
        ? random.pick(ids)
        : random.pick(words);
    case "integer":
    case "number": {
      const { minimum = 0, maximum = 40 } = schema;
      return minimum + random.below(Math.max(1, Math.min(maximum - minimum + 1, 1000)));
    }
    case "boolean":
      return random.chance(0.5);
    case "null":
      return null;
    default:
      return random.pick([true, 1, "on", { isOn: true, brightness: 0.5 }, null]);
  }
}

function objectOf(schema: Schema, source: Source): Record<string, unknown> {
  const { random, ids } = source;
  const value: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (schema.required?.includes(name) || random.chance(0.6)) value[name] = valueOf(property, source, name);
  }
  const [further] = Object.values(schema.patternProperties ?? {});
  if (further !== undefined) {
    for (let left = random.below(3); left > 0; left -= 1) {
      const key = ids.length > 0 && random.chance(0.5) ? random.pick(ids) : random.pick(stateKeys);
      value[key] = valueOf(further, source);
    }
  }
  return value;
}

const stateKeys = ["isOn", "brightness", "hue", "mode", "type", "lastSeen", "a", "sensors"];

const long = "x".repeat(200_000);
const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf", ""];

/** Returns a value that few fields accept. */
export function hostileValue({ random }: Source): unknown {
  return random.pick<unknown>([
    null,
    true,
    0,
    -1,
    0.5,
    1e308,
    2 ** 53,
    -(2 ** 63),
    "",
    " ",
    long,
    "a\u0000b\u001b[31m\r\n",
    "\ud800",
    "../../../etc/passwd",
    "%s%n${x}{{x}}",
    "00000000-0000-4000-8000-000000000000",
    "99999999999999999999",
    [],
    {},
    [[]],
    [null],
    { type: "SET", values: null },
    Array.from({ length: 1001 }, (_, index) => index),
    nested(40),
    ...names,
  ]);
}

/** Returns nested lists. */
export function nested(depth: number): unknown {
  let value: unknown = [];
  for (let left = depth; left > 1; left -= 1) value = [value];
  return value;
}

/** Returns a copy with one part, or the whole, replaced. */
export function spoilt(value: unknown, by: unknown, random: Random): unknown {
  if (typeof value !== "object" || value === null || random.chance(0.2)) return by;
  const keys = Object.keys(value);
  if (keys.length === 0) return by;
  const key = random.pick(keys);
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  copy[key] = spoilt(copy[key], by, random);
  return copy;
}

/** Returns a copy without one key of one of its objects. */
export function without(value: unknown, random: Random): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const keys = Object.keys(value);
  if (keys.length === 0) return value;
  const key = random.pick(keys);
  const inner = (value as Record<string, unknown>)[key];
  if (typeof inner === "object" && inner !== null && random.chance(0.6)) {
    const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
    copy[key] = without(inner, random);
    return copy;
  }
  if (Array.isArray(value)) return value.toSpliced(Number(key), 1);
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}

/** Returns JSON text in which each object has its first key twice, or also has names of the prototype. */
export function withKeys(text: string, source: Source, twice: boolean): string {
  const { random } = source;
  return text.replaceAll(/\{("(?:[^"\\]|\\.)*":)?/g, (_, key: string | undefined) => {
    const added = twice && key !== undefined ? key : `${JSON.stringify(random.pick(names))}:`;
    const value = JSON.stringify(hostileValue(source)) ?? "null";
    return `{${added}${value.length > 1000 ? "{}" : value}${key === undefined ? "" : `,${key}`}`;
  });
}
