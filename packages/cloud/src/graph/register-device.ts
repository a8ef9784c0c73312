import type { DeviceRow } from "@ledge/fleet";
import { type Failed, notFound } from "./errors.ts";
import type { GraphParts } from "./parts.ts";
import { type RegisterTarget, roleIn } from "./register-target.ts";

interface Asked {
  readonly target: RegisterTarget;
  readonly parts: Pick<GraphParts, "registers">;
}

/** Returns a device that the caller sees in the register. */
export async function mustHave(deviceId: string, { target, parts }: Asked): Promise<DeviceRow | Failed> {
  const row = await parts.registers.device(target.registerId, deviceId, roleIn(target));
  return row ?? notFound("device", deviceId, "deviceId");
}
