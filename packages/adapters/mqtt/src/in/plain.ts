import {
  attribute,
  capabilities as knownCapabilities,
  deviceClasses,
  type ExtraDescription,
  extrasProblem,
  isExtra,
  isReadable,
  limits,
} from "@ledge/model";
import { checkedSetting, refuseDuplicates, refuseSetting } from "@ledge/port";
import Type from "typebox";
import { Check } from "typebox/value";
import { capabilitiesOf, numberIn, type Point, pointAttributes } from "./point.ts";
import type { PointedDevice } from "./pointed-device.ts";
import { PointedDevices } from "./pointed-device.ts";
import type { Sending, Source, SourceHost, Values } from "./source.ts";

const strict = { additionalProperties: false } as const;
const Topic = Type.String({ pattern: "^[^+#\\u0000]+$", maxLength: 1024 });
const Path = Type.Optional(Type.String({ maxLength: 256 }));
const Word = Type.Union([Type.String({ maxLength: 64 }), Type.Number(), Type.Boolean()]);

const PlainPoint = Type.Object(
  {
    /** An attribute of the hub, or `extras.<name>` for anything else. */
    attribute: Type.Union([
      Type.Enum([...pointAttributes]),
      Type.String({ pattern: "^extras\\.[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$" }),
    ]),
    /** Of an extra, by default that of its `values`, else a number. */
    type: Type.Optional(Type.Enum(["bool", "number", "text"])),
    unit: Type.Optional(Type.String({ maxLength: 16 })),
    /** Where its value comes: as the whole message, or at a path of keys with dots between in its JSON. */
    topic: Type.Optional(Topic),
    path: Path,
    /** The attribute is so many times the number in the message. */
    scale: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
    /** The attribute's value by the word in the message. */
    values: Type.Optional(Type.Record(Type.String(), Word)),
    /** Takes the value: in the place of `{value}`, or as the whole message. */
    set: Type.Optional(
      Type.Object({ topic: Topic, payload: Type.Optional(Type.String({ maxLength: 1024 })) }, strict),
    ),
  },
  strict,
);
type PlainPoint = Type.Static<typeof PlainPoint>;

const PlainDevice = Type.Object(
  {
    id: Type.String({ pattern: "^[A-Za-z0-9._-]{1,64}$" }),
    name: Type.String({ minLength: 1, maxLength: limits.nameChars, pattern: "\\S" }),
    class: Type.Optional(Type.Enum(Object.keys(deviceClasses) as (keyof typeof deviceClasses)[])),
    manufacturer: Type.Optional(Type.String({ maxLength: 64 })),
    model: Type.Optional(Type.String({ maxLength: 64 })),
    capabilities: Type.Optional(
      Type.Array(Type.Enum([...knownCapabilities]), { maxItems: 64, uniqueItems: true }),
    ),
    availability: Type.Optional(
      Type.Object(
        {
          topic: Topic,
          path: Path,
          online: Type.Optional(Type.String()),
          offline: Type.Optional(Type.String()),
        },
        strict,
      ),
    ),
    points: Type.Array(PlainPoint, { minItems: 1, maxItems: 64 }),
  },
  strict,
);

/**
 * Reads a list of devices on plain topics.
 * @param path of the list in the settings
 * @throws AdapterError `settings`; the message starts with the path of the wrong field
 */
export function readPlain(list: unknown, path: string): readonly PointedDevice[] {
  const devices = checkedSetting(Type.Array(PlainDevice, { maxItems: 1000 }), list, path);
  refuseDuplicates(
    devices.map(({ id }) => id),
    path,
    "id",
  );
  return devices.map((device, index) => {
    const { id, name, availability, points, manufacturer = null, model = null } = device;
    const where = `${path}[${index}]`;
    refuseDuplicates(
      points.map((point, at) => (isExtra(point.attribute) ? point.attribute : String(at))),
      `${where}.points`,
      "attribute",
    );
    return {
      native: `topics/${id}`,
      radio: "topics",
      name,
      class: device.class,
      capabilities: device.capabilities,
      manufacturer,
      model,
      availability:
        availability === undefined
          ? []
          : [
              {
                topic: availability.topic,
                path: keysIn(availability.path),
                online: availability.online ?? "online",
                offline: availability.offline ?? "offline",
              },
            ],
      points: points.map((point, number) =>
        plainPoint(point, device.class === "LIGHT", `${where}.points[${number}]`),
      ),
    };
  });
}

const keysIn = (path = ""): readonly string[] => (path === "" ? [] : path.split("."));

function plainPoint(point: PlainPoint, isLamp: boolean, path: string): Point {
  const { attribute: name, topic, scale = 1, values, set } = point;
  if (topic === undefined && set === undefined) refuseSetting(`${path}.topic`, "is missing");
  const extra = isExtra(name) ? extraOf(point, path) : undefined;
  if (extra === undefined && (point.type ?? point.unit) !== undefined)
    refuseSetting(`${path}.${point.type === undefined ? "unit" : "type"}`, "is for extras only");
  const schema = attribute(name)?.value;
  const read = (raw: unknown): Values => {
    const value = valueOf(raw, values, scale, extra === undefined ? typeOf(schema) : kindOf(extra));
    const fits =
      extra === undefined ? schema !== undefined && Check(schema, value) : isReadable(extra, value);
    return value !== undefined && fits ? { [name]: value } : {};
  };
  return {
    attributes: [name],
    capabilities: extra === undefined ? capabilitiesOf(name, isLamp) : [],
    ...(extra !== undefined && { extra }),
    ...(topic !== undefined && { from: { topic, path: keysIn(point.path) } }),
    read,
    ...(set !== undefined && {
      write: (wanted) => {
        const value = wanted[name];
        if (value === undefined || value === null) return undefined;
        const text = textOf(value, values, scale);
        return { topic: set.topic, payload: (set.payload ?? "{value}").replaceAll("{value}", () => text) };
      },
    }),
  };
}

/** Describes what a point has for which there is no attribute. */
function extraOf({ attribute: name, type, unit, values, set }: PlainPoint, path: string): ExtraDescription {
  const words = [...new Set(Object.values(values ?? {}))];
  const isTruth = type === "bool" || (type === undefined && words.length > 0 && words.every(isBoolean));
  const options = words.filter((word) => !isBoolean(word));
  const plain = type === "text" ? "TEXT" : "NUMBER";
  const extra = {
    name: name.slice("extras.".length),
    fieldType: isTruth ? "BOOL" : words.length > 0 ? "OPTION" : plain,
    unit: unit ?? null,
    writable: set !== undefined,
    ...(!isTruth && words.length > 0 && { options }),
  } as const;
  const problem =
    !isTruth && options.length < words.length ? "mixes truths and words" : extrasProblem([extra]);
  if (problem !== undefined) refuseSetting(`${path}.attribute`, problem);
  return extra;
}

const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";

/** The type of the values of an extra, as `valueOf` knows it. */
const kindOf = ({ fieldType }: ExtraDescription): string =>
  fieldType === "BOOL" ? "boolean" : fieldType === "TEXT" ? "string" : "number";

/** A schema of several has no type of its own. */
function typeOf(schema: object | undefined): unknown {
  return schema !== undefined && "type" in schema ? schema.type : undefined;
}

const switched: Readonly<Record<string, boolean>> = {
  ON: true,
  OFF: false,
  TRUE: true,
  FALSE: false,
  "1": true,
  "0": false,
};

function valueOf(raw: unknown, values: PlainPoint["values"], scale: number, type: unknown): unknown {
  if (values !== undefined) return Object.hasOwn(values, String(raw)) ? values[String(raw)] : undefined;
  if (type === "boolean") {
    const word = String(raw).toUpperCase();
    return Object.hasOwn(switched, word) ? switched[word] : undefined;
  }
  if (type === "string") return typeof raw === "string" ? raw : undefined;
  const number = numberIn(raw);
  return number === undefined ? undefined : Number((number * scale).toPrecision(12));
}

function textOf(value: unknown, values: PlainPoint["values"], scale: number): string {
  const word = Object.entries(values ?? {}).find(([, each]) => each === value)?.[0];
  if (word !== undefined) return word;
  if (typeof value === "boolean") return value ? "ON" : "OFF";
  return typeof value === "number" ? String(Number((value / scale).toPrecision(12))) : String(value);
}

/** Devices on topics that a list names. */
export class PlainTopics implements Source {
  readonly topics: readonly string[] = [];
  readonly #devices: PointedDevices;

  constructor(devices: readonly PointedDevice[], host: SourceHost) {
    this.#devices = new PointedDevices(host);
    for (const device of devices) this.#devices.put(device);
  }

  heard(topic: string, payload: Buffer): void {
    this.#devices.heard(topic, payload);
  }

  set(native: string, attributes: Values): readonly Sending[] | undefined {
    return this.#devices.set(native, attributes);
  }
}
