import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { existsSync } from "node:fs";
import type { ApiOptions, HubPorts, Row } from "@ledge/api";
import { Authentication, createApi, EventStreams, RequestFigures, rows } from "@ledge/api";
import type { Clock, Kernel } from "@ledge/kernel";
import { openKernel } from "@ledge/kernel";
import { openLmdbLog } from "@ledge/log";
import type { Command } from "@ledge/model";
import { aggregates, categories, EpochOpened, upcasters } from "@ledge/model";
import { consoleRows } from "./console.ts";
import { Devices } from "./devices/devices.ts";
import { figures } from "./figures.ts";
import { logFolder } from "./folder.ts";
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
  const kernel = await openHubKernel(options);
  const hubId = await ensureHub(kernel, profile);
  const presence = new Presence(kernel, clock);
  const devices = new Devices({ kernel, clock, logger, random: Math.random });
  const streams = new EventStreams(kernel, clock);
  const issuer = await openIssuer(profile, folder);
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
  const startedAt = clock.wall();
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

async function openHubKernel({ profile, folder, clock, onFatal }: HubOptions): Promise<Kernel> {
  const log = await openLmdbLog({ folder: logFolder(folder), upcasters });
  return openKernel({
    log,
    aggregates,
    categories,
    reactions,
    epochEvent: EpochOpened.type,
    clock,
    newId: randomUUID,
    timeTrusted:
      profile.clock === "system" ? () => true : () => existsSync("/run/systemd/timesync/synchronized"),
    onFatal,
    pause: () => setImmediate(),
    release,
    telemetryWindowMs: profile.telemetryWindowMs,
  });
}

/** The hub's id; a new log gets its hub first, and the features that the profile lists. */
async function ensureHub(kernel: Kernel, profile: Profile): Promise<string> {
  if (kernel.size("hub") === 0) {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    await submit(kernel, { type: "CREATE_HUB", name: "Ledge", timezone: timeZone });
  }
  const [id] = [...kernel.all("hub")][0] as [string, unknown];
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
