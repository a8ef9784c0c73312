import type { RestorableKind } from "@ledge/model";
import type { AuditEntry } from "../../api/past.ts";

/** What people set about a device that the hub puts back, by the event that says so. */
const kinds: ReadonlyMap<string, RestorableKind> = new Map([
  ["DeviceRenamed", "device"],
  ["DeviceMoved", "device"],
  ["DeviceZonesSet", "device"],
  ["DeviceVisibilitySet", "device"],
  ["DeviceHotWaterSet", "device"],
  ["DeviceLockSet", "device"],
  ["DeviceAccessSet", "device"],
  ["ConfigurationRequested", "configuration"],
]);

/**
 * Returns what an entry's change is taken back as; undefined for what is not, or not alone: a later change of the same kind
 * would go with it.
 * @param newest the newest entries about the device, the newest first
 */
export function undoableKind(
  entry: Pick<AuditEntry, "ref" | "type">,
  newest: readonly Pick<AuditEntry, "ref" | "type">[],
): RestorableKind | undefined {
  const kind = kinds.get(entry.type);
  if (kind === undefined) return undefined;
  return newest.find(({ type }) => kinds.get(type) === kind)?.ref === entry.ref ? kind : undefined;
}
