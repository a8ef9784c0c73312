import type { DeviceRow, JsonObject, Row, RowKey } from "@ledge/fleet";
import { limits } from "@ledge/model";

/** The type of the device that stands for the hub itself in its register. */
export const hubDeviceType = "VENDOR_HUB";

/** The hub itself, as a device of a register. */
export function gatewayRow(
  hubId: string,
  register: string,
  { name, version, at }: { readonly name: string; readonly version: string; readonly at: number },
): DeviceRow {
  const device = { ...nothing(hubId), id: hubId, name, type: hubDeviceType, createdAt: at, modifiedAt: at };
  return {
    kind: "device",
    register,
    id: hubId,
    source: hubId,
    timestamp: at,
    device: { ...device, model: text(version), routing: { gatewayId: null, protocol: null } },
    object: null,
  };
}

/**
 * Returns the row of a device or an alarm that a hub has told of. The hub may belong to anybody, so texts are
 * cut and times bounded.
 * @param createdAt when the register first had the device (ms)
 * @returns undefined for an object that no register can hold
 */
export function rowOf(
  hubId: string,
  kind: Row["kind"],
  object: JsonObject,
  createdAt: number,
): Row | undefined {
  const { id, timestamp } = object;
  if (!isId(id) || !isTime(timestamp) || id === hubId) return undefined;
  const shared = { register: hubId, id, source: hubId, timestamp };
  if (kind === "alarm") return { ...shared, kind, object };
  return {
    ...shared,
    kind,
    object,
    device: {
      ...nothing(hubId),
      id,
      name: text(object["name"]),
      type: text(object["type"]),
      capabilities: valuesIn(object["capabilities"]),
      createdAt,
      modifiedAt: timestamp,
      model: text(object["model"]),
      manufacturer: text(object["manufacturer"]),
    },
  };
}

/** Returns the key of a row that a hub says is gone; undefined when it names none of its own. */
export function removedKey(hubId: string, { kind, id }: { kind: unknown; id: unknown }): RowKey | undefined {
  const isKnown = (kind === "device" || kind === "alarm") && isId(id) && id !== hubId;
  return isKnown ? { register: hubId, kind, id } : undefined;
}

function nothing(hubId: string): DeviceRow["device"] {
  return {
    id: "",
    isActive: true,
    name: "",
    type: "",
    capabilities: [],
    createdAt: 0,
    modifiedAt: 0,
    createdBy: "",
    modifiedBy: "",
    routing: { gatewayId: hubId, protocol: null },
    nativeId: "",
    serialNumber: "",
    model: "",
    manufacturer: "",
    tags: {},
  };
}

/** Ids of a hub's devices are opaque; they may stand in paths and keys. */
function isId(id: unknown): id is string {
  return (
    typeof id === "string" && id.length <= limits.registerDeviceIdChars && /^[A-Za-z0-9][\w.:-]*$/.test(id)
  );
}

function isTime(time: unknown): time is number {
  return typeof time === "number" && Number.isInteger(time) && time >= 0 && time <= limits.timestampMax;
}

function text(value: unknown): string {
  return typeof value === "string" ? value.slice(0, limits.registerTextChars) : "";
}

/** Returns the values of a SET (wire-facts 1.1). */
function valuesIn(set: unknown): string[] {
  const { values } = (set ?? {}) as { readonly values?: unknown };
  const texts = Array.isArray(values) ? values.filter((value) => typeof value === "string") : [];
  return texts.slice(0, limits.registerCapabilities).map(text);
}
