import type { UpgradeInfo } from "@ledge/model";

type Versions = Pick<UpgradeInfo, "fwVersion" | "swVersion" | "newFwVersion" | "newSwVersion">;

/** Returns the version that a device runs; null when it is not known. */
export function versionOf({ fwVersion, swVersion }: Versions): string | null {
  return joined(fwVersion, swVersion);
}

/** Returns the version that an upgrade installs; null without one, or when it is not known. */
export function newVersionOf({ newFwVersion, newSwVersion }: Versions): string | null {
  return joined(newFwVersion, newSwVersion);
}

function joined(firmware: string | null, software: string | null): string | null {
  const known = [firmware, software].filter((version) => version !== null && version !== "");
  return known.length === 0 ? null : known.join(", ");
}

/** What somebody can do about the firmware of a device now: install what is there, try that again, or give it up. */
export function actionFor({ status }: Pick<UpgradeInfo, "status">): "install" | "again" | "cancel" | null {
  switch (status) {
    case "AVAILABLE":
      return "install";
    case "FAILED":
    case "REFUSED":
      return "again";
    case "REQUESTED":
      return "cancel";
    case "UNKNOWN":
    case "UP_TO_DATE":
    case "INSTALLING":
      return null;
  }
}

/** Whether there is newer firmware than a device runs: to install, under way, or what failed. */
export function hasNewer({ status }: Pick<UpgradeInfo, "status">): boolean {
  return status !== "UNKNOWN" && status !== "UP_TO_DATE";
}

/** Returns the ids of devices whose newer firmware somebody can install now. @param among ids of the devices meant */
export function installable(infos: readonly UpgradeInfo[], among: readonly string[]): readonly string[] {
  const meant = new Set(among);
  return infos.flatMap((info) => {
    const action = meant.has(info.id) ? actionFor(info) : null;
    return action === "install" || action === "again" ? [info.id] : [];
  });
}

const soonMs = 1000;
/** A device that sleeps begins in minutes or days. */
const laterMs = 15_000;

/** Returns after which time to ask for the state of an upgrade again (ms); null when nothing follows by itself. */
export function lookAfterMs({ status, message }: Pick<UpgradeInfo, "status" | "message">): number | null {
  if (status === "INSTALLING") return soonMs;
  if (status !== "REQUESTED") return null;
  return message === null ? soonMs : laterMs;
}

/** Returns after which time to ask for the state of several upgrades again (ms); null when nothing follows by itself. */
export function lookAfterAllMs(infos: readonly Pick<UpgradeInfo, "status" | "message">[]): number | null {
  const times = infos.flatMap((info) => lookAfterMs(info) ?? []);
  return times.length === 0 ? null : Math.min(...times);
}
