import type { UpgradeReport } from "@ledge/model";
import { type FirmwareProgress, upgradeReport } from "@ledge/port";
import type { Running } from "./image.ts";
import { versionText } from "./image.ts";

/** Why a queued upgrade has not begun. Nothing tells a device that sleeps from one that does not want to ask. */
const waiting = "the device sleeps, or does not ask for the image: it begins when it does";

/** What is known about a node's firmware; stored, so that it is known before the device reports it again. */
export interface Firmware {
  readonly running?: Running;
  /** When an upgrade was last installed (ms since the epoch); 0 for never. */
  readonly lastUpgrade: number;
  /** The upgrade that waits until the device is awake; absent when none does. */
  readonly queued?: Queued;
  /** Why the last upgrade failed, while the device still runs the version from then. */
  readonly failure?: { readonly fileVersion: number; readonly message: string };
}

/** A request for an upgrade that has not begun. */
export interface Queued {
  /** When it was made (ms since the epoch). */
  readonly since: number;
  /** How often the device has asked for the image and the offer did not reach it. */
  readonly lostOffers: number;
}

/** A running installation. */
export interface Installing {
  readonly fileVersion: number;
  readonly size: number;
  /** The bytes that the device has now, and had at the start. */
  offset: number;
  from: number | undefined;
  readonly began: number;
}

/**
 * Builds the report of a node from what is known.
 * @param newest the version of the newest image for it
 * @param now ms since the epoch
 */
export function reportOf(
  { running, lastUpgrade, failure, queued }: Firmware,
  newest: number | undefined,
  installing: Installing | undefined,
  swVersion: string | null,
  now: number,
): UpgradeReport {
  const isCurrent = failure?.fileVersion === running?.fileVersion;
  return upgradeReport({
    fwVersion: running ? versionText(running.fileVersion) : null,
    swVersion,
    newest: newest === undefined ? undefined : versionText(newest),
    lastUpgrade,
    installing: installing && progressOf(installing, now),
    waitsFor: queued && waiting,
    failure: isCurrent ? failure?.message : undefined,
  });
}

/**
 * Only the bytes fetched since the start count for the speed, because a device may resume a partial download.
 */
function progressOf({ fileVersion, offset, from, size, began }: Installing, now: number): FirmwareProgress {
  const pctComplete = Math.min(Math.floor((offset / size) * 100), 100);
  const done = offset - (from ?? offset);
  return { version: versionText(fileVersion), pctComplete, spentMs: now - began, done, left: size - offset };
}
