import type { DeviceRow } from "@ledge/fleet";
import { Failed } from "./errors.ts";
import type { GraphParts } from "./parts.ts";
import type { HubTarget } from "./targets.ts";

interface Asked {
  readonly target: HubTarget;
  readonly parts: Pick<GraphParts, "registers">;
}

/** Returns a device that the caller sees in the register. */
export async function mustHave(deviceId: string, { target, parts }: Asked): Promise<DeviceRow | Failed> {
  const row = await parts.registers.device(target.hubId, deviceId, target.role);
  return row ?? new Failed("E_NOT_FOUND", `there is no device ${deviceId}`, { field: "deviceId" });
}

/** Fails for a device that is no gateway: in the register of a hub, the hub itself is the only one. */
export function gatewayOf(deviceId: string, { target }: Pick<Asked, "target">): Failed | undefined {
  if (deviceId === target.hubId) return undefined;
  return new Failed("E_NOT_FOUND", `there is no gateway ${deviceId}`, { field: "deviceId" });
}
