import { limits, type UpgradeReport } from "@ledge/model";

/** What an adapter knows of a device's firmware, with versions as people read them. */
export interface FirmwareFacts {
  /** What it runs; null until it has said so. */
  readonly fwVersion: string | null;
  readonly swVersion: string | null;
  /** The newest version that could be installed; undefined when there is none. */
  readonly newest: string | undefined;
  /** When an upgrade was last installed (ms since the epoch); 0 for never. */
  readonly lastUpgrade: number;
  /** The installation under way. */
  readonly installing: FirmwareProgress | undefined;
  /** What a requested upgrade waits for. */
  readonly waitsFor?: string | undefined;
  /** Why the last upgrade failed, as long as that says something. */
  readonly failure: string | undefined;
}

/** How far an installation is. */
export interface FirmwareProgress {
  readonly version: string;
  /** 0 to 100. */
  readonly pctComplete: number;
  /** How long it has taken (ms) for `done` of the image, of which `left` is to come, in any unit. */
  readonly spentMs: number;
  readonly done: number;
  readonly left: number;
}

/** Builds the report of a device's upgrade. Texts that are too long for it are cut. */
export function upgradeReport(facts: FirmwareFacts): UpgradeReport {
  const { fwVersion, swVersion, newest, lastUpgrade, installing, waitsFor, failure } = facts;
  const versions = {
    fwVersion,
    swVersion: swVersion?.slice(0, limits.nameChars) ?? null,
    newFwVersion: installing?.version ?? newest ?? null,
    newSwVersion: null,
    lastUpgrade,
    autoInstall: false,
  };
  if (installing) {
    const { pctComplete } = installing;
    return { status: "INSTALLING", ...versions, pctComplete, etaMs: etaOf(installing), message: null };
  }
  const idle = { ...versions, pctComplete: null, etaMs: null };
  if (waitsFor !== undefined) return { status: "REQUESTED", ...idle, message: waitsFor };
  if (failure !== undefined)
    return { status: "FAILED", ...idle, message: failure.slice(0, limits.alarmFactChars) };
  return { status: newest === undefined ? "UP_TO_DATE" : "AVAILABLE", ...idle, message: null };
}

function etaOf({ spentMs, done, left }: FirmwareProgress): number | null {
  return done > 0 ? Math.max(Math.round((spentMs / done) * left), 0) : null;
}
