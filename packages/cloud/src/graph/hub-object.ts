import { Share, shares } from "@ledge/model";
import Type from "typebox";
import { plainName } from "../mail/shown-name.ts";
import { ownerOf } from "../model/owning.ts";
import type { GraphParts } from "./parts.ts";
import { gives, nameOf, roleNames } from "./rights.ts";
import type { HubTarget } from "./hub-target.ts";

/** A hub as its users see it. */
export const GraphHub = Type.Object({
  hubId: Type.String(),
  /** The hub's own name, without what could pass for something else in a text. */
  name: Type.String(),
  version: Type.String(),
  /** Whether the hub is connected to the cloud now. */
  connected: Type.Boolean(),
  /** The caller's role. */
  role: Type.Enum([...roleNames]),
  /** Feature codes (hub-api 2.1). */
  features: Type.Array(Type.Integer()),
  /** What the owner lets the cloud keep of the home, as the hub has last said; null before it has. */
  share: Type.Union([Share, Type.Null()]),
  deviceRegisterId: Type.String(),
  resourceId: Type.String(),
  /** Registers of tenants in which the hub is a gateway; its owner sees them, everybody else gets none. */
  registers: Type.Array(Type.String()),
});
export type GraphHub = Type.Static<typeof GraphHub>;

/** Returns a hub as its users see it. */
export async function hubObject(
  { hubId, role, registration }: HubTarget,
  parts: GraphParts,
): Promise<GraphHub> {
  const { name, version, features } = registration;
  const { note } = (await parts.cloud.registers.cursorOf(hubId)) ?? {};
  return {
    hubId,
    name: plainName(name ?? "Ledge"),
    version,
    connected: parts.relay.tunnels.reach(hubId) === "open",
    role: nameOf(role),
    features: [...features],
    share: shares.find((share) => share === note) ?? null,
    deviceRegisterId: hubId,
    resourceId: resourceIdOf(hubId, parts),
    registers: gives(role, "O") ? [...parts.cloud.tenancy.gateways.registersOf(hubId)] : [],
  };
}

/** Returns the id of a hub among resources: it stands in the personal subscription of its owner. */
export function resourceIdOf(hubId: string, { cloud }: Pick<GraphParts, "cloud">): string {
  const owner = ownerOf(cloud.kernel.get("authorizations", hubId)) ?? "";
  return `/Subscriptions/${owner}/ResourceGroups/hubs/Providers/Vendor.Hubs/${hubId}`;
}
