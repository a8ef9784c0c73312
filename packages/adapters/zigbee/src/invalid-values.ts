import type { Events, Zcl } from "zigbee-herdsman";
import { isRecord } from "@ledge/exposes";
import { isInvalid, maybeInvalid } from "./map/invalid.ts";

/** An attribute as the library declares it. */
type Declared = Readonly<{ name: string; default?: unknown; special?: Readonly<Record<string, string>> }>;

/** An attribute in a report, or in the answer to a read. */
interface Item {
  readonly attrId: number;
  readonly dataType: number;
  readonly attrData?: unknown;
}

/** Attributes of which the standard defines the value of all ones: "for ever", and the best link quality. */
const defined: ReadonlySet<string> = new Set([
  "genIdentify identifyTime",
  "genOnOff onTime",
  "haDiagnostic lastMessageLqi",
]);

type Library = Pick<typeof Zcl, "Frame" | "Header" | "Utils">;

/**
 * Returns a message without the attributes that hold the invalid value of their type, so that no converter takes
 * it for a measurement; undefined when none are left. The library leaves many of them. Keeps all values of makers'
 * own attributes, which need not follow the standard, except NaN.
 */
export function withoutInvalid(
  arrival: Events.MessagePayload,
  zcl: Library,
): Events.MessagePayload | undefined {
  const { data, type, meta, device, cluster } = arrival;
  if ((type !== "attributeReport" && type !== "readResponse") || !isRecord(data)) return arrival;
  if (!Object.values(data).some(maybeInvalid)) return arrival;
  const { manufacturerID, customClusters } = device;
  const header = zcl.Header.fromBuffer(meta.rawData);
  if (header === undefined) return arrival;
  const { ID } = zcl.Utils.getCluster(cluster, header.manufacturerCode ?? manufacturerID, customClusters);
  const frame = zcl.Frame.fromBuffer(ID, header, meta.rawData, customClusters);
  const items = frame.payload as unknown as readonly Item[];
  const declaredAs = ({ attrId }: Item): Declared | undefined =>
    zcl.Utils.getClusterAttribute(frame.cluster, attrId, header.manufacturerCode);
  const isOwn = header.manufacturerCode !== undefined || ID >= 0xef00;
  const dropped = new Set<string>(Object.keys(data).filter((name) => Number.isNaN(data[name])));
  for (const item of isOwn ? [] : items) {
    const declared = declaredAs(item);
    if (declared === undefined || !isInvalid(item.dataType, item.attrData)) continue;
    if (!isMeant(declared, item.attrData, String(cluster))) dropped.add(declared.name);
  }
  if (dropped.size === 0) return arrival;
  const kept = Object.fromEntries(Object.entries(data).filter(([name]) => !dropped.has(name)));
  if (Object.keys(kept).length === 0) return undefined;
  return { ...arrival, data: kept as Events.MessagePayload["data"] };
}

/** Whether the value has a meaning of its own in this attribute, such as "as before". */
function isMeant({ name, default: usual, special = {} }: Declared, value: unknown, cluster: string): boolean {
  const meaning = Object.hasOwn(special, String(value)) ? special[String(value)] : undefined;
  if (meaning !== undefined) return !/unknown|invalid/i.test(meaning);
  return usual === value || defined.has(`${cluster} ${name}`);
}
