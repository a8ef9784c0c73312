import { existsSync } from "node:fs";
import type { ApiOptions, Authority, HubPorts, Machine, Row, ProcessLog } from "@ledge/api";
import { Authentication, createApi, EventStreams, RequestFigures, rows, unavailableRows } from "@ledge/api";
import type { Clock, Kernel, KernelState, RetentionOptions } from "@ledge/kernel";
import { LogError } from "@ledge/log";
import type { Command } from "@ledge/model";
import { catalogue, offeredTemplates } from "@ledge/rules";
import { isTimezone, limits } from "@ledge/model";
import { alarmOfFullDisk, alarmOfHub } from "./alarms.ts";
import { backUpWhenLocked } from "./backup/lock-backups.ts";
import { ClaimWindow } from "./claim-window.ts";
import { ClockJumps } from "./clock-jumps.ts";
import { consoleRows } from "./console.ts";
import { Devices } from "./devices/devices.ts";
import { hostNameOf } from "./discovery/records.ts";
import { figures, measureLoop } from "./figures.ts";
import { hubIdOf, rememberHubId } from "./folder.ts";
import { probeIp } from "./ip-probe.ts";
import type { DevelopmentIssuer } from "./keys/development-issuer.ts";
import { IdentityKey } from "./keys/identity-key.ts";
import { LogRing } from "./log/log-ring.ts";
import { RingLog } from "./log/ring-log.ts";
import type { Logger } from "./logger.ts";
import { noMachine } from "./machine.ts";
import { Notes } from "./notes.ts";
import { forgetUsers } from "./personal/forgetting.ts";
import { Presence } from "./presence.ts";
import type { Profile } from "./profile.ts";
import { featureCodes } from "./profile.ts";
import type { FolderSealing } from "./sealing.ts";
import type { SpaceOptions } from "./space.ts";
import { freeBytes, SpaceWatch } from "./space.ts";
import type { ReadableState } from "./start/rescue-log.ts";
import type { Lost } from "./start/start-kernel.ts";
import { startKernel } from "./start/start-kernel.ts";
import type { HttpsState } from "./tls/https.ts";
import { apiVersion } from "./version.ts";

export interface HubOptions extends SpaceOptions {
  readonly profile: Profile;
  /** The data folder, which the caller holds the lock of. */
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onFatal: (error: Error) => void;
  /** Default: one that can do nothing. */
  readonly machine?: Machine;
  /** Whether something starts the hub again, so that starts which end soon must end in safe mode. */
  readonly isRestarted?: boolean;
  /** Default: an empty one. */
  readonly processLog?: ProcessLog;
  /** Where the API is served, once it is. */
  readonly address: () => string | null;
  /** How the API is served encrypted; default: not at all. */
  readonly https?: () => HttpsState;
  /** What is readable of a damaged log in a folder; default: a snapshot or base and what follows without a gap. */
  readonly readable?: (logFolder: string) => Promise<ReadableState>;
}

/** A hub in this process: its parts put together. */
export interface RunningHub {
  readonly kernel: Kernel;
  readonly hubId: string;
  /** The API for one listener. */
  app(listener: ApiOptions["listener"]): ReturnType<typeof createApi>;
  /**
   * Starts the adapters of the profile; the API answers with what is known before any of them is up. In safe mode
   * and rescue none is started: what they keep in the log is not at hand.
   */
  startAdapters(): void;
  close(): Promise<void>;
}

/** Opens the log, brings the hub into being if the log is new, and puts API and devices around the kernel. */
export async function openHub(options: HubOptions): Promise<RunningHub> {
  const { profile, folder, clock, logger } = options;
  // First, as it may fail: nothing is open yet that would have to be closed.
  const issuer = await openIssuer(profile, folder);
  const { kernel, hubId, notes, sealing, close } = await begin(options);
  const presence = new Presence(kernel, clock);
  const memoryMb = profile.adapterMemoryMb ?? limits.adapterMemoryMb;
  const devices = new Devices({ kernel, clock, logger, notes, memoryMb, random: Math.random });
  const loop = measureLoop();
  const streams = new EventStreams(kernel, clock);
  const identity = new IdentityKey(folder);
  const claim = new ClaimWindow(clock, profile);
  const hostNames = [...(profile.hostNames ?? []), hostNameOf(hubId)].map((name) => name.toLowerCase());
  const ports: HubPorts = {
    kernel,
    clock,
    hubId,
    meta: () => ({ version: apiVersion, connected: false }),
    presence,
    claim,
    issuerKeys: () => issuer?.keys ?? new Map(),
    streams,
    metrics: () => figures(kernel, devices, loop),
    scrapeToken: process.env["LEDGE_SCRAPE_TOKEN"] ?? null,
    hostNames: () => hostNames,
    switchUnrecorded: (submission) => devices.switchUnrecorded(submission),
    probe: (address, port) => probeIp(address, port),
    offering: (type, among) => devices.offering(type, among),
    ask: (request, asking) => devices.request(request, asking),
    ruleTemplates: (language) => offeredTemplates(catalogue, kernel, language),
    machine: options.machine ?? noMachine,
    processLog: options.processLog ?? new RingLog(new LogRing()),
    log: (level, message, fields) => logger[level](fields, message),
  };
  const auth = new Authentication(ports, authorityOf(issuer, identity));
  const requests = new RequestFigures();
  const startedAt = clock.monotonic();
  const console = consoleRows({
    profile: profile.name,
    folder,
    startedAt,
    address: options.address,
    https: options.https ?? (() => ({ address: null, fingerprint: null, problem: null })),
    devices,
    issuer,
    claim,
    identity,
    secrets: sealing.secrets,
  });
  return {
    kernel,
    hubId,
    app: (listener) => {
      const { state, reason } = kernel.health;
      const known = kernel.size("hub") > 0 ? rows : unavailableRows(rows, reason ?? state);
      const served: readonly Row[] = listener === "console" ? [...known, ...console] : known;
      return createApi({ rows: served, ports, listener, auth, figures: requests });
    },
    startAdapters: () => {
      const { state } = kernel.health;
      if (state === "serving" || state === "read-only") devices.start(profile.adapters);
    },
    close: async () => {
      streams.close();
      presence.stop();
      await devices.stop();
      loop.disable();
      await close();
    },
  };
}

function authorityOf(issuer: DevelopmentIssuer | undefined, identity: IdentityKey): Authority {
  return {
    issuers: [issuer?.name ?? "none", identity.name],
    keys: () => new Map([...(issuer?.keys ?? []), ...identity.keys]),
    generation: () => 0,
    authorizationsSynced: () => 0,
  };
}

/** The kernel with its hub, under watch of the disk and the clock. */
interface Begun {
  readonly kernel: Kernel;
  readonly hubId: string;
  readonly notes: Notes;
  readonly sealing: FolderSealing;
  readonly close: () => Promise<void>;
}

async function begin(options: HubOptions): Promise<Begun> {
  const { clock, folder, logger, profile } = options;
  const space = new SpaceWatch(options);
  const jumps = new ClockJumps();
  const damage = Promise.withResolvers<(problem: string) => void>();
  const onDamaged = (problem: string): void => void damage.promise.then((tell) => tell(problem));
  const parts = { ...kernelParts(options, space, jumps), retention: retentionOf(profile, logger, onDamaged) };
  const { kernel, sealing, recovered, close } = await startKernel(folder, parts, options);
  kernel.subscribe({ stateChanged: (state) => tellState(logger, state, kernel.health.reason) });
  await space.watch(kernel);
  if (recovered !== undefined) logger.error({ recovered }, "the end of the log was damaged and is lost");
  const { state, reason } = kernel.health;
  if (state === "safe-mode" || state === "rescue") tellState(logger, state, reason);
  const notes = new Notes(kernel, clock, logger);
  const stopForgetting = forgetUsers(kernel, sealing.personalKeys, clock, logger);
  const stopBackups = backUpWhenLocked({ kernel, folder, logger, free: options.free ?? freeBytes });
  const end = async (): Promise<void> => {
    stopForgetting();
    stopBackups();
    notes.stop();
    await close();
    space.stop();
  };
  try {
    const tellLost = async (id: string): Promise<void> => {
      if (recovered === undefined) return;
      await tellOf(recovered, kernel, notes, id);
      // Told twice is better than not at all.
      await recovered
        .settle()
        .catch((error: unknown) => logger.warn({ error }, "the next start tells of the damage again"));
    };
    const hubId = await beHub(kernel, tellLost, options);
    jumps.noteWith(notes, hubId);
    alarmOfFullDisk(kernel, notes, hubId);
    tellLostKeys(sealing, { kernel, notes, hubId }, logger);
    damage.resolve((problem) => void alarmOfHub(kernel, notes, hubId, "LOG_DAMAGED", problem));
    return { kernel, hubId, notes, sealing, close: end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** The one place where it is told that the hub takes no changes, or takes them again. */
function tellState(logger: Logger, state: KernelState, reason: string | null): void {
  if (state === "serving") logger.warn("the hub takes changes again");
  else logger.error({ state, reason }, "the hub takes no changes");
}

/** Names and addresses are blank, and adapters ask anew for what they kept; everything else is served. */
function tellLostKeys(
  { personalKeys: { damage }, secrets }: FolderSealing,
  { kernel, notes, hubId }: Omit<Begun, "close" | "sealing">,
  logger: Logger,
): void {
  const problem = secrets.problem();
  if (problem !== undefined) {
    logger.error({ problem }, "secrets that adapters keep cannot be read: put the key back, or pair anew");
    void alarmOfHub(kernel, notes, hubId, "SECRETS_LOST", problem);
  }
  if (damage === undefined) return;
  logger.error({ damage }, "the keys of personal fields cannot be read: restore a backup");
  void alarmOfHub(kernel, notes, hubId, "LOG_DAMAGED", `personal keys: ${damage}`);
}

function kernelParts(
  options: HubOptions,
  space: SpaceWatch,
  jumps: ClockJumps,
): Parameters<typeof startKernel>[1] {
  const { profile, clock, logger, onFatal } = options;
  return {
    clock,
    timeTrusted:
      profile.clock === "system" ? () => true : () => existsSync("/run/systemd/timesync/synchronized"),
    onClockJump: (jump) => jumps.add(jump),
    onError: (error) => logger.error({ error }, "what nobody waits for failed"),
    onFatal,
    telemetryWindowMs: profile.telemetryWindowMs,
    hasRoom: () => space.hasRoom(),
  };
}

/**
 * The hub's id. A new log gets its hub, the profile's features and the factory scenes. What the start has to write
 * down waits until the log takes it.
 * @throws LogError `full` when there is no room for a new hub
 */
async function beHub(
  kernel: Kernel,
  tellLost: (id: string) => Promise<void>,
  options: HubOptions,
): Promise<string> {
  const { folder, profile } = options;
  const isServing = kernel.health.state === "serving";
  if (kernel.size("hub") === 0) {
    if (kernel.health.state === "read-only") throw new LogError("full", kernel.health.reason ?? "");
    if (!isServing) return hubIdOf(folder) ?? "unknown";
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const timezone = isTimezone(timeZone) ? timeZone : "UTC";
    await submit(kernel, { type: "CREATE_HUB", name: "Ledge", timezone });
  }
  const [id] = [...kernel.all("hub")][0] as [string, unknown];
  const writeDown = async (): Promise<void> => {
    await tellLost(id);
    if (hubIdOf(folder) !== id) rememberHubId(folder, id);
    await submit(kernel, { type: "SET_FEATURES", id, features: featureCodes(profile) });
    await submit(kernel, { type: "ADD_FACTORY_SCENES" });
  };
  if (isServing) await writeDown();
  else onceServing(kernel, () => void writeDown().catch((error: Error) => options.onFatal(error)));
  return id;
}

/** Calls back when the kernel serves, the first time that it does. */
function onceServing(kernel: Kernel, callback: () => void): void {
  const end = kernel.subscribe({
    stateChanged: (state) => {
      if (state !== "serving") return;
      end();
      callback();
    },
  });
}

function retentionOf(
  profile: Profile,
  logger: Logger,
  onDamaged: RetentionOptions["onDamaged"],
): RetentionOptions {
  const { telemetryDays = limits.telemetryDays, logMebibytes } = profile;
  return {
    telemetryMs: telemetryDays * 86_400_000,
    logBytes: logMebibytes === undefined ? limits.logBytes : logMebibytes * 1_048_576,
    onNote: (level, message, fields) => logger[level](fields, message),
    onDamaged,
  };
}

/**
 * The end of the log was unreadable and is cut off. Clients may have seen what is lost: their cursors must not
 * count any more, and none of the timestamps from then on may be one that they know.
 */
async function tellOf({ problem, lostUntil }: Lost, kernel: Kernel, notes: Notes, id: string): Promise<void> {
  kernel.raiseTimestamp(Math.max(kernel.now(), lostUntil) + limits.clockLeadMs);
  await submit(kernel, { type: "OPEN_EPOCH", id, reason: problem });
  await alarmOfHub(kernel, notes, id, "LOG_DAMAGED", problem);
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
