import type { DeviceRow, Row } from "@ledge/fleet";
import type { Kernel } from "@ledge/kernel";
import { registerDeviceId } from "../model/register-device.ts";
import type { CloudStates } from "../model/states.ts";

/**
 * Returns a row as the platform shows it: what people say of a device replaces what its hub says. Whoever
 * writes rows of a hub into the store passes them through here.
 */
export function described<R extends Row>(row: R, kernel: Pick<Kernel<CloudStates>, "get">): R {
  if (row.kind !== "device") return row;
  const said = kernel.get("registerDevice", registerDeviceId(row.register, row.id));
  if (!said?.metadata) return row;
  const { metadata, modifiedBy, modifiedAt } = said;
  const device: DeviceRow["device"] = {
    ...row.device,
    ...metadata,
    modifiedBy,
    modifiedAt: Math.max(row.device.modifiedAt, modifiedAt),
  };
  return { ...row, device };
}
