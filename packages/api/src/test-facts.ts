import type { HubFacts } from "@ledge/model";
import type { BackupFile, Backups, HubUpdates } from "./ports.ts";

const keptBackup: BackupFile = {
  name: "asked-1.ledge",
  at: 1,
  release: "0.2.0",
  bytes: 6,
  hasSecrets: true,
};

/** A hub that keeps one backup. */
export const keptBackups: Backups = {
  list: () => [keptBackup],
  make: async () => keptBackup,
  read: () => new Response("backup").body ?? undefined,
};

/** A machine that can be updated and has nothing newer. */
export const idleUpdates: HubUpdates = {
  status: () => ({
    type: "HUB_UPDATE",
    release: "0.2.0",
    updatesItself: true,
    phase: "IDLE",
    version: null,
    pctComplete: null,
    available: null,
    outcome: { result: "INSTALLED", version: "0.2.0", message: null, at: 1 },
    previous: { version: "0.1.0", losesSince: null },
  }),
  check: async () => undefined,
  problem: () => undefined,
  begin: async () => undefined,
};

/** The facts of a hub that fares well. */
export const wellFacts: HubFacts = {
  at: 1,
  release: "0.2.0",
  version: "1.14.15.1",
  profile: "sim",
  upMs: 1000,
  state: "serving",
  reason: null,
  adapters: [{ protocol: "sim", state: "running", failures: 0, reason: null }],
  radios: [],
  log: {
    fileBytes: 1_000_000,
    usedBytes: 10_000,
    quotaBytes: null,
    quotaExceeded: false,
    bytesPerDay: 0,
    wholeSince: null,
    journalMode: "direct",
  },
  history: { state: "ready", reason: null, upTo: 1, usedBytes: 1, quotaBytes: null },
  disk: { freeBytes: 1e9, totalBytes: 1e10 },
  memory: { processBytes: 1e8, availableBytes: 1e9, totalBytes: 2e9 },
  clock: { trusted: true },
  cloud: null,
  https: { served: true, problem: null, until: null, expiry: null },
  lost: [],
  counts: { device: 1 },
};
