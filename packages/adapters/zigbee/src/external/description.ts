import { limits, lazyValidator } from "@ledge/model";
import Type from "typebox";

const strict = { additionalProperties: false } as const;
const Word = Type.String({ minLength: 1, maxLength: limits.nameChars });
const Name = Type.String({ pattern: "^[A-Za-z][A-Za-z0-9_]*$", maxLength: 64 });
const Code = Type.Integer({ minimum: 0, maximum: 0xffff });

/** Types of attributes by the names that ZCL has for them (ZCL 2.6.2), and their numbers. */
export const attributeTypes = {
  bool: 0x10,
  bitmap8: 0x18,
  bitmap16: 0x19,
  uint8: 0x20,
  uint16: 0x21,
  uint24: 0x22,
  uint32: 0x23,
  uint48: 0x25,
  int8: 0x28,
  int16: 0x29,
  int24: 0x2a,
  int32: 0x2b,
  enum8: 0x30,
  enum16: 0x31,
  single: 0x39,
  text: 0x42,
} as const;

const Attribute = Type.Object(
  { id: Code, type: Type.Enum(Object.keys(attributeTypes) as (keyof typeof attributeTypes)[]) },
  strict,
);
/** A cluster that ZCL does not have, or attributes of a maker in one that it has. */
const Cluster = Type.Object(
  {
    id: Code,
    manufacturerCode: Type.Optional(Code),
    attributes: Type.Record(Name, Attribute),
  },
  strict,
);

const Report = Type.Object(
  {
    minSeconds: Type.Integer({ minimum: 0, maximum: 65_534 }),
    maxSeconds: Type.Integer({ minimum: 1, maximum: 65_534 }),
    /** In the attribute's own steps. */
    change: Type.Integer({ minimum: 0, maximum: 0xffff_ffff }),
  },
  strict,
);
const Property = Type.Object(
  {
    type: Type.Enum(["numeric", "binary", "enum", "text"]),
    name: Name,
    label: Type.Optional(Word),
    description: Type.Optional(Type.String({ maxLength: limits.configurationTextChars })),
    unit: Type.Optional(Word),
    access: Type.Optional(Type.Enum(["read", "write", "both"])),
    endpoint: Type.Optional(Type.Integer({ minimum: 1, maximum: 240 })),
    cluster: Name,
    attribute: Name,
    /** The value is the attribute times this, plus `offset`. */
    scale: Type.Optional(Type.Number()),
    offset: Type.Optional(Type.Number()),
    min: Type.Optional(Type.Number()),
    max: Type.Optional(Type.Number()),
    /** Of a binary: the attribute's values. */
    on: Type.Optional(Type.Union([Type.Boolean(), Type.Integer(), Word])),
    off: Type.Optional(Type.Union([Type.Boolean(), Type.Integer(), Word])),
    /** Of an enum: the attribute's values by word. */
    values: Type.Optional(Type.Record(Word, Type.Integer())),
    report: Type.Optional(Report),
  },
  strict,
);
/** What a standard cluster of the device does: it needs no attribute here. */
const Standard = Type.Object(
  {
    type: Type.Enum(["switch", "light", "cover", "lock"]),
    features: Type.Optional(
      Type.Array(Type.Enum(["brightness", "color_temp", "color_xy", "position", "tilt"]), { maxItems: 5 }),
    ),
  },
  strict,
);
export type Property = Readonly<Type.Static<typeof Property>>;
export type Standard = Readonly<Type.Static<typeof Standard>>;

const Description = Type.Object(
  {
    /** The model identifiers that devices say. */
    models: Type.Array(Word, { minItems: 1, maxItems: 64 }),
    /** The manufacturer's name that devices say; missing for any. */
    manufacturer: Type.Optional(Word),
    vendor: Word,
    model: Word,
    clusters: Type.Optional(Type.Record(Name, Cluster)),
    exposes: Type.Array(Type.Unknown(), { minItems: 1, maxItems: limits.stateExtras }),
  },
  strict,
);
type Loose = Type.Static<typeof Description>;

/** A definition of a model as data: exposes, clusters, attributes and scales. */
export type ExternalDescription = Readonly<Omit<Loose, "exposes">> & {
  readonly exposes: readonly (Property | Standard)[];
};

const descriptions = lazyValidator(Description);
const properties = lazyValidator(Property);
const standards = lazyValidator(Standard);

/** Keys of definitions that are programs: those cannot be data. */
const programs = new Set([
  "fromZigbee",
  "toZigbee",
  "extend",
  "configure",
  "onEvent",
  "convert",
  "converter",
  "meta",
]);

/** Returns a description from parsed JSON, or what is wrong with it. */
export function descriptionOf(said: unknown): ExternalDescription | { readonly problem: string } {
  const program = programIn(said);
  if (program !== undefined)
    return {
      problem: `${program} needs code, and a definition holds data only: name the cluster and attribute of each expose`,
    };
  if (!descriptions.Check(said)) return { problem: errorOf(descriptions, said) };
  for (const [index, expose] of said.exposes.entries()) {
    const isStandard = standards.Check(expose);
    if (!isStandard && !properties.Check(expose))
      return { problem: `exposes/${index}${errorOf(properties, expose)}` };
    const problem = isStandard ? undefined : propertyProblem(expose);
    if (problem !== undefined) return { problem: `exposes/${index}: ${problem}` };
  }
  const names = (said.exposes as readonly (Property | Standard)[]).map((each) =>
    "name" in each ? each.name : each.type,
  );
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return { problem: `exposes: ${twice} is there twice` };
  return said as ExternalDescription;
}

function propertyProblem({ type, on, off, values, min, max, scale }: Property): string | undefined {
  if (type === "binary" && (on === undefined || off === undefined || on === off))
    return "a binary has two different values, on and off";
  if (type === "enum" && Object.keys(values ?? {}).length === 0) return "an enum has values";
  if (scale === 0) return "the scale is 0";
  return (min ?? -Infinity) > (max ?? Infinity) ? "its minimum is above its maximum" : undefined;
}

function programIn(said: unknown, depth = 0): string | undefined {
  if (typeof said !== "object" || said === null || depth > 4) return undefined;
  for (const [key, value] of Object.entries(said)) {
    if (programs.has(key)) return key;
    const inner = programIn(value, depth + 1);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function errorOf(
  validator: { Errors(value: unknown): readonly { instancePath: string; message: string }[] },
  said: unknown,
): string {
  const [error] = validator.Errors(said);
  return `${error?.instancePath ?? ""} ${error?.message ?? "is invalid"}`;
}
