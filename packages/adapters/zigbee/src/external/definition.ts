import type { Definition, Fz, Tz, Zh } from "zigbee-herdsman-converters/lib/types";
import { clean, isRecord } from "@ledge/exposes";
import type { NamedEndpoint } from "../node.ts";
import { configureReporting, named } from "../node.ts";
import type { ExternalDescription, Property, Standard } from "./description.ts";
import { attributeTypes } from "./description.ts";

type Library = typeof import("zigbee-herdsman-converters");

const access = { read: 1, write: 2, both: 3 } as const;
const readFirst = 4;

/** Returns a definition that does what a description says. */
export function definitionOf(
  { vendor, model, clusters = {}, exposes }: ExternalDescription,
  { toZigbee }: Library,
): Definition {
  const properties = exposes.filter((each): each is Property => "attribute" in each);
  const standard = [
    toZigbee.on_off,
    toZigbee.light_onoff_brightness,
    toZigbee.light_color_colortemp,
    toZigbee.lock,
    toZigbee.cover_state,
    toZigbee.cover_position_tilt,
  ];
  const register = (device: Zh.Device): void => {
    for (const [name, cluster] of Object.entries(clusters))
      device.addCustomCluster(name, customOf(name, cluster));
  };
  const definition = {
    zigbeeModel: [],
    vendor,
    model,
    description: model,
    fromZigbee: properties.filter(isRead).map(readerOf),
    toZigbee: [...properties.filter(isWritten).map(writerOf), ...standard],
    exposes: exposes.map(exposeOf),
    options: [],
    onEvent: async (event: { type: string; data: object }) => {
      if (event.type === "start" && "device" in event.data) register(event.data.device as Zh.Device);
    },
    configure: async (device: Zh.Device, coordinator: Zh.Endpoint) => {
      register(device);
      for (const property of properties.filter(isRead))
        await setUp(endpointFor(device, property), property, coordinator);
    },
  };
  return definition as unknown as Definition;
}

type Custom = NonNullable<ExternalDescription["clusters"]>[string];

function customOf(
  name: string,
  { id, manufacturerCode, attributes }: Custom,
): Parameters<Zh.Device["addCustomCluster"]>[1] {
  const described = Object.entries(attributes).map(([attribute, about]) => [
    attribute,
    { name: attribute, ID: about.id, type: attributeTypes[about.type], write: true },
  ]);
  return {
    name,
    ID: id,
    ...(manufacturerCode !== undefined && { manufacturerCode }),
    attributes: Object.fromEntries(described) as object,
    commands: {},
    commandsResponse: {},
  } as Parameters<Zh.Device["addCustomCluster"]>[1];
}

const isRead = ({ access: of = "read" }: Property): boolean => of !== "write";
const isWritten = ({ access: of = "read" }: Property): boolean => of !== "read";

function exposeOf(expose: Property | Standard): object {
  if (!("attribute" in expose)) return standardOf(expose);
  const { type, name, label = name, description, unit, min, max, on, off, values } = expose;
  return {
    type,
    name,
    property: name,
    label,
    access: access[expose.access ?? "read"] | (isRead(expose) ? readFirst : 0),
    ...(description !== undefined && { description }),
    ...(unit !== undefined && { unit }),
    ...(min !== undefined && { value_min: min }),
    ...(max !== undefined && { value_max: max }),
    ...(type === "binary" && { value_on: on, value_off: off }),
    ...(type === "enum" && { values: Object.keys(values ?? {}) }),
  };
}

/** The exposes of standard clusters: a `light` is on or off, and whatever else its features say. */
function standardOf({ type, features = [] }: Standard): object {
  const all = access.both | readFirst;
  const words = { lock: ["LOCK", "UNLOCK"], cover: ["OPEN", "CLOSE"] } as const;
  const [on, off] = type === "lock" || type === "cover" ? words[type] : ["ON", "OFF"];
  const state = { name: "state", property: "state", label: "State", access: all };
  const first =
    type === "cover"
      ? { ...state, type: "enum", values: [on, "STOP", off] }
      : { ...state, type: "binary", value_on: on, value_off: off };
  return { type, features: [first, ...features.map((name) => standardFeature(name, all))] };
}

function standardFeature(name: string, all: number): object {
  if (name === "color_xy") return { type: "composite", name, property: "color", access: all, features: [] };
  const [least, most] = { brightness: [0, 254], color_temp: [153, 500] }[name] ?? [0, 100];
  return { type: "numeric", name, property: name, access: all, value_min: least, value_max: most };
}

function readerOf(property: Property): Fz.Converter<string> {
  const { name, cluster, attribute, endpoint } = property;
  return {
    cluster,
    type: ["attributeReport", "readResponse"],
    convert: (_model: Definition, { data, endpoint: from }: Fz.Message<string>) => {
      if (endpoint !== undefined && from.ID !== endpoint) return undefined;
      if (!isRecord(data) || !Object.hasOwn(data, attribute)) return undefined;
      const value = readValue(property, data[attribute]);
      return value === undefined ? undefined : { [name]: value };
    },
  } as unknown as Fz.Converter<string>;
}

/** Returns the value of an attribute in the words and units of its property; undefined for another. */
export function readValue(
  { type, scale = 1, offset = 0, on, off, values = {} }: Property,
  raw: unknown,
): unknown {
  switch (type) {
    case "numeric":
      return typeof raw === "number" && Number.isFinite(raw) ? clean(raw * scale + offset) : undefined;
    case "binary":
      return raw === on || raw === off ? raw : undefined;
    case "enum":
      return Object.keys(values).find((word) => values[word] === raw);
    case "text":
      return typeof raw === "string" ? raw : undefined;
  }
}

function writerOf(property: Property): Tz.Converter {
  const { name, cluster, attribute } = property;
  return {
    key: [name],
    convertSet: async (_entity: unknown, _key: string, value: unknown, { device }: Tz.Meta) => {
      const raw = rawValue(property, value);
      if (raw === undefined) throw new Error(`${name} cannot be ${String(value)}`);
      if (device === undefined) throw new Error("the device is gone");
      await endpointFor(device, property).write(cluster, { [attribute]: raw }, {});
      return { state: { [name]: value } };
    },
  };
}

/** Returns the value to write; undefined for one that the property does not have. */
export function rawValue({ type, scale = 1, offset = 0, values = {} }: Property, value: unknown): unknown {
  switch (type) {
    case "numeric":
      return typeof value === "number" ? Math.round((value - offset) / scale) : undefined;
    case "enum":
      return Object.hasOwn(values, String(value)) ? values[String(value)] : undefined;
    case "binary":
    case "text":
      return value;
  }
}

async function setUp(endpoint: NamedEndpoint, property: Property, coordinator: Zh.Endpoint): Promise<void> {
  const { cluster, attribute, report } = property;
  if (report !== undefined) {
    await endpoint.bind(cluster, coordinator);
    await configureReporting(endpoint, { cluster, attribute, ...report }, {});
  }
  await endpoint.read(cluster, [attribute], {});
}

function endpointFor(device: Zh.Device, { endpoint: id }: Property): NamedEndpoint {
  const found = id === undefined ? device.endpoints[0] : device.getEndpoint(id);
  if (found === undefined) throw new Error(`the device has no endpoint ${id}`);
  return named(found);
}
