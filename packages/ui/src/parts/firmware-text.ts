import type { UpgradeInfo } from "@ledge/model";
import { t } from "../texts/texts.ts";
import { newVersionOf } from "./firmware.ts";

/** Returns what becomes of a device's firmware. A reader hears when that begins and ends, not at each percent. */
export function firmwareText(info: UpgradeInfo): string {
  const version = newVersionOf(info) ?? t("firmware.newer");
  const message = info.message ?? "";
  switch (info.status) {
    case "UNKNOWN":
      return t("firmware.unknown");
    case "UP_TO_DATE":
      return t("firmware.newest");
    case "AVAILABLE":
      return t("firmware.available", { version });
    case "REQUESTED":
      return message === "" ? t("firmware.requested") : t("firmware.waits", { message });
    case "INSTALLING":
      return t("firmware.installing", { version });
    case "FAILED":
      return message === "" ? t("firmware.failedOnly") : t("firmware.failed", { message });
    case "REFUSED":
      return t("firmware.refused", { message });
  }
}
