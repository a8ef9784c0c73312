import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import type { ApiOptions, HubPorts, Row } from "@ledge/api";
import { Authentication, createApi, EventStreams, RequestFigures, rows } from "@ledge/api";
import type { Clock, Kernel, RetentionOptions } from "@ledge/kernel";
import { openKernel } from "@ledge/kernel";
import type { Recovery } from "@ledge/log";
import { LogError, openLmdbLog } from "@ledge/log";
import type { Command } from "@ledge/model";
import { aggregates, categories, EpochOpened, isTimezone, limits, upcasters } from "@ledge/model";
import { consoleRows } from "./console.ts";
import { Devices } from "./devices/devices.ts";
import { figures } from "./figures.ts";
import { hubIdOf, logFolder, rememberHubId } from "./folder.ts";
import type { DevelopmentIssuer } from "./keys/development-issuer.ts";
import type { Logger } from "./logger.ts";
import { Presence } from "./presence.ts";
import type { Profile } from "./profile.ts";
import { featureCodes } from "./profile.ts";
import { reactions } from "./reactions/index.ts";
import { apiVersion, release } from "./version.ts";

export interface HubOptions {
  readonly profile: Profile;
  /** The data folder, which the caller holds the lock of. */
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onFatal: (error: Error) => void;
  /** Where the API is served, once it is. */
  readonly address: () => string | null;
}

/** A hub in this process: its parts put together. */
export interface RunningHub {
  readonly kernel: Kernel;
  /** The API for one listener. */
  app(listener: ApiOptions["listener"]): ReturnType<typeof createApi>;
  /** Starts the adapters of the profile; the API answers with what is known before any of them is up. */
  startAdapters(): void;
  close(): Promise<void>;
}

/** Opens the log, brings the hub into being if the log is new, and puts API and devices around the kernel. */
export async function openHub(options: HubOptions): Promise<RunningHub> {
  const { profile, folder, clock, logger } = options;
  // First, as it may fail: nothing is open yet that would have to be closed.
  const issuer = await openIssuer(profile, folder);
  const kernel = await openHubKernel(options);
  const hubId = await ensureHub(kernel, options);
  const presence = new Presence(kernel, clock);
  const devices = new Devices({ kernel, clock, logger, random: Math.random });
  const streams = new EventStreams(kernel, clock);
  const hostNames = (profile.hostNames ?? []).map((name) => name.toLowerCase());
  const ports: HubPorts = {
    kernel,
    clock,
    hubId,
    meta: () => ({ version: apiVersion, connected: false }),
    presence,
    streams,
    metrics: () => figures(kernel, devices),
    scrapeToken: process.env["LEDGE_SCRAPE_TOKEN"] ?? null,
    hostNames: () => hostNames,
    log: (level, message, fields) => logger[level](fields, message),
  };
  const authority = {
    issuer: issuer?.name ?? "none",
    keys: () => issuer?.keys ?? new Map(),
    generation: () => 0,
    authorizationsSynced: () => 0,
  };
  const auth = new Authentication(ports, authority);
  const requests = new RequestFigures();
  const startedAt = clock.monotonic();
  const console = consoleRows({
    profile: profile.name,
    folder,
    startedAt,
    address: options.address,
    devices,
    issuer,
  });
  return {
    kernel,
    app: (listener) => {
      const served: readonly Row[] = listener === "console" ? [...rows, ...console] : rows;
      return createApi({ rows: served, ports, listener, auth, figures: requests });
    },
    startAdapters: () => devices.start(profile.adapters),
    close: async () => {
      streams.close();
      presence.stop();
      await devices.stop();
      await kernel.close();
    },
  };
}

/**
 * @throws LogError `damaged` when the folder has had a hub and its log is not there.
 */
async function openHubKernel({ profile, folder, clock, logger, onFatal }: HubOptions): Promise<Kernel> {
  const log = await openLmdbLog({ folder: logFolder(folder), upcasters });
  if (log.last === 0 && hubIdOf(folder) !== undefined) {
    await log.close();
    throw new LogError(
      "damaged",
      `the log in ${folder} is empty, though a hub has lived there: restore a backup`,
    );
  }
  const kernel = openKernel({
    log,
    aggregates,
    categories,
    reactions,
    epochEvent: EpochOpened.type,
    clock,
    newId: randomUUID,
    timeTrusted:
      profile.clock === "system" ? () => true : () => existsSync("/run/systemd/timesync/synchronized"),
    onError: (error) => logger.error({ error }, "what a timer or an event led to failed"),
    onFatal,
    pause: () => setImmediate(),
    release,
    telemetryWindowMs: profile.telemetryWindowMs,
    retention: retentionOf(profile, logFolder(folder), logger),
  });
  if (log.recovered !== undefined) await openEpoch(kernel, clock, logger, log.recovered);
  return kernel;
}

function retentionOf(profile: Profile, folder: string, logger: Logger): RetentionOptions {
  const { telemetryDays = limits.telemetryDays, logMebibytes } = profile;
  return {
    telemetryMs: telemetryDays * 86_400_000,
    logBytes: logMebibytes === undefined ? limits.logBytes : logMebibytes * 1_048_576,
    freeBytes: async () => {
      const { bavail, bsize } = await statfs(folder);
      return bavail * bsize;
    },
    onNote: (level, message, fields) => logger[level](fields, message),
  };
}

/**
 * The end of the log was unreadable and is cut off. Clients may have seen what is lost: their cursors must not
 * count any more, and none of the timestamps from then on may be one that they know.
 */
async function openEpoch(kernel: Kernel, clock: Clock, logger: Logger, recovered: Recovery): Promise<void> {
  logger.error({ recovered }, "the end of the log was damaged and is lost");
  kernel.raiseTimestamp(clock.wall() + limits.clockLeadMs);
  const [id] = [...kernel.all("hub")][0] ?? [];
  if (id !== undefined) await submit(kernel, { type: "OPEN_EPOCH", id, reason: recovered.problem });
}

/** The hub's id; a new log gets its hub first, and the features that the profile lists. */
async function ensureHub(kernel: Kernel, { profile, folder }: HubOptions): Promise<string> {
  if (kernel.size("hub") === 0) {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const timezone = isTimezone(timeZone) ? timeZone : "UTC";
    await submit(kernel, { type: "CREATE_HUB", name: "Ledge", timezone });
  }
  const [id] = [...kernel.all("hub")][0] as [string, unknown];
  if (hubIdOf(folder) !== id) rememberHubId(folder, id);
  await submit(kernel, { type: "SET_FEATURES", id, features: featureCodes(profile) });
  return id;
}

async function submit(kernel: Kernel, command: Command & Record<string, unknown>): Promise<void> {
  const outcome = await kernel.submit({ commands: [command], origin: "system" });
  if (!outcome.accepted) throw new Error(`${command.type}: ${outcome.rejection.message}`);
}

/** Only a development profile loads the code that signs keys. */
async function openIssuer(profile: Profile, folder: string): Promise<DevelopmentIssuer | undefined> {
  if (profile.issuer !== "development") return undefined;
  const { DevelopmentIssuer } = await import("./keys/development-issuer.ts");
  return DevelopmentIssuer.open(folder);
}
