import type { UpgradeReport } from "@ledge/model";
import { limits } from "@ledge/model";
import type { Running } from "./image.ts";
import { versionText } from "./image.ts";

/** What is known of a node's firmware: stored, so that it is known before the device says it again. */
export interface Firmware {
  readonly running?: Running;
  /** When an upgrade was last installed (ms since the epoch), 0 for never. */
  readonly lastUpgrade: number;
  /** Why the last one failed, while the device still runs what it ran then. */
  readonly failure?: { readonly fileVersion: number; readonly message: string };
}

/** An installation that runs. */
export interface Installing {
  readonly fileVersion: number;
  readonly size: number;
  /** Bytes that the device has, and had when it began. */
  offset: number;
  from: number | undefined;
  readonly began: number;
}

/** UPGRADE_INFO of what is known. @param newest version of the image that there is for it. */
export function upgradeReport(
  { running, lastUpgrade, failure }: Firmware,
  newest: number | undefined,
  installing: Installing | undefined,
  swVersion: string | null,
  now: number,
): UpgradeReport {
  const target = installing?.fileVersion ?? newest;
  const versions = {
    fwVersion: running ? versionText(running.fileVersion) : null,
    swVersion: swVersion?.slice(0, limits.nameChars) ?? null,
    newFwVersion: target === undefined ? null : versionText(target),
    newSwVersion: null,
    lastUpgrade,
    autoInstall: false,
  };
  if (installing) return { status: "INSTALLING", ...versions, ...progressOf(installing, now), message: null };
  const idle = { ...versions, pctComplete: null, etaMs: null };
  if (failure && failure.fileVersion === running?.fileVersion)
    return { status: "FAILED", ...idle, message: failure.message.slice(0, limits.alarmFactChars) };
  return { status: newest === undefined ? "UP_TO_DATE" : "AVAILABLE", ...idle, message: null };
}

/** A device may go on where it was cut off: only what it has fetched since tells how quick it is. */
function progressOf(
  { offset, from, size, began }: Installing,
  now: number,
): Pick<UpgradeReport, "pctComplete" | "etaMs"> {
  const pctComplete = Math.min(Math.floor((offset / size) * 100), 100);
  const fetched = offset - (from ?? offset);
  const etaMs = fetched > 0 ? Math.round(((now - began) / fetched) * (size - offset)) : null;
  return { pctComplete, etaMs: etaMs === null ? null : Math.max(etaMs, 0) };
}
