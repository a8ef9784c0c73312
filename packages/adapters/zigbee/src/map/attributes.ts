import { type AttributeValues, type Memory, type Values, extrasIn, isRecord } from "@ledge/exposes";
import type { ZclRead } from "./action.ts";
import type { At, ClusterMap } from "./cluster.ts";
import { clusters } from "./clusters/index.ts";
import { colorCluster } from "./clusters/color-abilities.ts";
import type { Message } from "./message.ts";
import { promised } from "./promised.ts";
import { pressOf } from "./remote.ts";
import type { Unit } from "./unit.ts";

const byName: ReadonlyMap<string, ClusterMap> = new Map(clusters.map((map) => [map.cluster, map]));

/** Returns the map of a cluster by its zigbee-herdsman name. */
export function clusterNamed(name: string): ClusterMap | undefined {
  return byName.get(name);
}

const saysValues: ReadonlySet<string> = new Set(["attributeReport", "readResponse"]);

/**
 * Returns the attributes that a message reports for a unit, in the hub's names and units; empty when the
 * message reports none, or only impossible values.
 * @param before the last reported values, overlaid by commands since
 * @param properties what a definition's converters returned for the message (`KnownModel.read`)
 * @param told the last commanded values, whatever was reported since: devices round, so a value that reads
 * like a commanded one is that value
 */
export function attributesOf(
  unit: Unit,
  message: Message,
  before: AttributeValues,
  properties: Values = {},
  told: AttributeValues = {},
): AttributeValues {
  const memory = { before, told };
  const standard = { ...standardOf(unit, message, memory), ...keyOf(unit, message, before) };
  const { known } = unit;
  const kept = known
    ? Object.fromEntries(Object.entries(standard).filter(([name]) => !known.ownAttributes.has(name)))
    : standard;
  return { ...promised(kept, unit), ...propertiesOf(unit, properties, before, told) };
}

/**
 * Returns the attributes that properties of a definition report, such as those that its converters publish
 * later.
 */
export function propertiesOf(
  unit: Unit,
  properties: Values,
  before: AttributeValues,
  told: AttributeValues = {},
): AttributeValues {
  const { known } = unit;
  if (known === undefined) return {};
  const read = Object.assign(
    {},
    ...known.own.map(({ property, read: readIt }) =>
      Object.hasOwn(properties, property) ? readIt(properties[property], { before, told }) : {},
    ),
  ) as AttributeValues;
  const extras = extrasIn(known.extras, properties);
  const press = known.actions.pressOf(properties["action"], before);
  return { ...promised({ ...read, ...extras, ...press }, unit) };
}

/**
 * Returns what must be read after a message to understand it: lamps report x and y one by one, and also for
 * their whites. The caller should wait until a fade is over.
 */
export function readsAfter(unit: Unit, { endpoint, cluster, type, data }: Message): readonly ZclRead[] {
  if (type !== "attributeReport" || cluster !== colorCluster || !isRecord(data)) return [];
  if (!unit.capabilities.includes("COLOR_HS")) return [];
  const isWhole = (data["currentX"] === undefined) === (data["currentY"] === undefined);
  const isClear = data["colorMode"] !== undefined || !unit.capabilities.includes("COLOR_TEMP");
  if (isWhole && isClear) return [];
  return unit.setup.reads.filter((read) => read.endpoint === endpoint && read.cluster === cluster);
}

function standardOf(unit: Unit, message: Message, memory: Memory): AttributeValues {
  const { data, type } = message;
  const served = unit.served.find(
    ({ endpoint, cluster }) => endpoint.id === message.endpoint && cluster === message.cluster,
  );
  const map = served && clusterNamed(served.cluster);
  if (served === undefined || map === undefined || !isRecord(data)) return {};
  const at: At = { unit, endpoint: served.endpoint, ...memory };
  if (saysValues.has(type)) return map.attributesOf?.(data, at) ?? {};
  const { commands = {} } = map;
  return Object.hasOwn(commands, type) ? (commands[type]?.(data, at) ?? {}) : {};
}

/** Interprets keys of a remote without a definition. */
function keyOf(unit: Unit, message: Message, before: AttributeValues): AttributeValues {
  if (unit.known || !unit.capabilities.includes("REMOTE_CONTROL")) return {};
  if (!unit.endpoints.some(({ id }) => id === message.endpoint)) return {};
  return { ...pressOf(message, unit.endpoints, before) };
}
