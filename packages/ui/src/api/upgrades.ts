// Commands about the firmware of a device.
import type { UpgradeInfo } from "@ledge/model";
import { type Answer, call } from "./call.ts";

const path = "/devices/command";

function command<T>(type: string, id: string, signal?: AbortSignal): Promise<Answer<T>> {
  return call(path, { method: "PUT", body: [{ type, id }], ...(signal && { signal }) });
}

/** The firmware of a device with UPGRADE, and what becomes of a newer one. */
export function upgradeInfo(id: string, signal: AbortSignal): Promise<Answer<UpgradeInfo>> {
  return command("CMD_GET_UPGRADE_INFO", id, signal);
}

/** Installs the newer firmware; the device's UPGRADE_INFO shows how that goes. */
export function startUpgrade(id: string): Promise<Answer<unknown>> {
  return startUpgrades([id]);
}

/** Gives up an upgrade that waits for its device. */
export function cancelUpgrade(id: string): Promise<Answer<true>> {
  return command("CMD_CANCEL_UPGRADE", id);
}

/** The firmware of all devices with UPGRADE. */
export function upgradeInfos(signal: AbortSignal): Promise<Answer<readonly UpgradeInfo[]>> {
  return call(path, { method: "PUT", body: [{ type: "CMD_GET_UPGRADE_INFOS" }], signal });
}

/** Installs the newer firmware of several devices: all, or none if the hub refuses one. */
export function startUpgrades(ids: readonly string[]): Promise<Answer<unknown>> {
  return call(path, { method: "PUT", body: ids.map((id) => ({ type: "CMD_START_UPGRADE", id })) });
}
