import { statfs } from "node:fs/promises";
import { totalmem } from "node:os";
import type { PortedStick } from "@ledge/api";
import type { Clock, Kernel } from "@ledge/kernel";
import type { HubFacts } from "@ledge/model";
import type { AdapterStatus } from "../adapters/supervisor.ts";
import type { CloudLink } from "../cloud/cloud-link.ts";
import type { HistoryStatus } from "../history/history.ts";
import type { LostFile } from "../start/lost-files.ts";
import type { HttpsState } from "../tls/https.ts";
import { apiVersion, release } from "../version.ts";

/** What is asked how it fares. */
export interface Examined {
  readonly kernel: Kernel;
  readonly clock: Pick<Clock, "monotonic">;
  readonly profile: string;
  readonly folder: string;
  /** The start of the process on the monotonic clock (ms). */
  readonly startedAt: number;
  readonly adapters: () => Readonly<Record<string, AdapterStatus>>;
  readonly sticks: () => Promise<readonly PortedStick[]>;
  readonly history: () => HistoryStatus;
  readonly link: Pick<CloudLink, "url" | "connected" | "clones"> | undefined;
  readonly https: () => HttpsState;
  readonly lost: () => readonly LostFile[];
}

const counted = ["device", "group", "room", "zone", "scene", "rule", "user"] as const;

/** Returns what the hub knows of itself now. It does not read the log: `ledge doctor` walks all of it. */
export async function factsOf(examined: Examined): Promise<HubFacts> {
  const { kernel, clock, profile, startedAt, adapters, sticks, link } = examined;
  const { state, reason, clockTrusted } = kernel.health;
  const { fileBytes, journalMode } = kernel.log.stats();
  const { usedBytes, quotaBytes, quotaExceeded, bytesPerDay, horizon } = kernel.retention;
  const used = (await sticks()).flatMap(({ port, model, usedBy, isThere }) =>
    usedBy === null ? [] : [{ port, model, protocol: usedBy, isThere }],
  );
  return {
    at: kernel.now(),
    release,
    version: apiVersion,
    profile,
    upMs: Math.round(clock.monotonic() - startedAt),
    state,
    reason,
    adapters: Object.entries(adapters()).map(([protocol, status]) => ({
      protocol,
      state: status.state,
      failures: status.failures,
      reason: status.reason,
    })),
    radios: used,
    log: {
      fileBytes,
      usedBytes,
      quotaBytes,
      quotaExceeded,
      bytesPerDay,
      wholeSince: horizon === 0 ? null : horizon,
      journalMode,
    },
    history: historyOf(examined.history()),
    disk: await diskOf(examined.folder),
    memory: {
      processBytes: process.memoryUsage.rss(),
      availableBytes: process.availableMemory(),
      totalBytes: totalmem(),
    },
    clock: { trusted: clockTrusted },
    cloud: link === undefined ? null : cloudOf(link),
    https: httpsOf(examined.https()),
    lost: examined.lost().map(({ file, problem }) => ({ file, problem })),
    counts: Object.fromEntries(counted.map((kind) => [kind, kernel.size(kind)])),
  };
}

function historyOf({ state, reason, mark, usedBytes, quotaBytes }: HistoryStatus): HubFacts["history"] {
  return { state, reason, upTo: mark === 0 ? null : mark, usedBytes, quotaBytes };
}

function cloudOf({ url, connected, clones }: NonNullable<Examined["link"]>): HubFacts["cloud"] {
  return { url, connected, clone: clones.seen?.problem ?? null };
}

function httpsOf({ address, problem, lost, until, expiry }: HttpsState): HubFacts["https"] {
  return { served: address !== null, problem: lost ?? problem, until, expiry };
}

async function diskOf(folder: string): Promise<HubFacts["disk"]> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return null;
  }
}
