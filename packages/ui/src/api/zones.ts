// Rows about zones.
import type { Zone } from "@ledge/model";
import { type Answer, call } from "./call.ts";

export function createZone(name: string): Promise<Answer<readonly Zone[]>> {
  return call("/zones", { method: "PUT", body: [{ type: "CMD_ZONE", id: null, name }] });
}

export function removeZone(zoneId: string): Promise<Answer<true>> {
  return call("/zones", { method: "DELETE", query: { zoneId } });
}
