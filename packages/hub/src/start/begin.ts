import { existsSync } from "node:fs";
import { totalmem } from "node:os";
import type { Clock, Kernel, KernelState, RetentionOptions } from "@ledge/kernel";
import { limits, UserForgotten } from "@ledge/model";
import { alarmOfFullDisk, alarmOfHub, alarmOfQuota } from "../notes/alarms.ts";
import { backUpWhenLocked } from "../backup/lock-backups.ts";
import { ClockJumps } from "../notes/clock-jumps.ts";
import { DailyAllowance } from "../space/daily-allowance.ts";
import type { Logger } from "@ledge/host/logger";
import { Notes } from "../notes/notes.ts";
import { destroyForgotten } from "@ledge/host/personal/forgetting";
import type { Profile } from "../profile.ts";
import { quotasOf } from "../profile.ts";
import type { FolderSealing } from "@ledge/host/sealing";
import type { SpaceOptions } from "../space/space.ts";
import { freeBytes, SpaceWatch } from "../space/space.ts";
import { ensureHub } from "./ensure-hub.ts";
import type { StartOptions, StartParts } from "./start-kernel.ts";
import { IdentityKey } from "../secrets/identity-key.ts";
import { alarmOfLostFiles, type LostFile, lostFiles } from "./lost-files.ts";
import { startKernel } from "./start-kernel.ts";

/** The parts that a start needs. */
export interface BeginOptions extends SpaceOptions, StartOptions {
  readonly profile: Profile;
  /** The data folder, locked by the caller. */
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called when the process must end. */
  readonly onFatal: (error: Error) => void;
}

/** The kernel and its hub, with watches on disk and clock. */
export interface Begun {
  readonly kernel: Kernel;
  readonly hubId: string;
  readonly notes: Notes;
  readonly sealing: FolderSealing;
  readonly identity: IdentityKey;
  /** The files of the data folder that are lost now. */
  readonly lost: () => readonly LostFile[];
  readonly close: () => Promise<void>;
}

/**
 * Starts the kernel over the log of a data folder, and creates the hub in a new log. Problems with disk, clock,
 * keys or log are logged and, once that can be written, raised as alarms.
 * @throws as `startKernel` and `ensureHub`; nothing is open then
 */
export async function begin(options: BeginOptions): Promise<Begun> {
  const { clock, folder, logger } = options;
  const space = new SpaceWatch(options);
  const jumps = new ClockJumps();
  const damage = Promise.withResolvers<(problem: string) => void>();
  const onDamaged = (problem: string): void => void damage.promise.then((tell) => tell(problem));
  const quota = Promise.withResolvers<(isExceeded: boolean) => void>();
  const onQuota = (isExceeded: boolean): void => void quota.promise.then((tell) => tell(isExceeded));
  const allowance = new DailyAllowance(clock);
  const parts = { ...startParts(options, space, jumps, { onDamaged, onQuota }), allowance };
  const { kernel, sealing, recovered, close } = await startKernel(folder, parts, options);
  kernel.subscribe({ stateChanged: (state) => logState(logger, state, kernel.health.reason) });
  await space.watch(kernel);
  if (recovered !== undefined) logger.error({ recovered }, "the end of the log was damaged and is lost");
  const { state, reason } = kernel.health;
  if (state === "safe-mode" || state === "rescue") logState(logger, state, reason);
  const notes = new Notes(kernel, clock, logger);
  const stopForgetting = destroyForgotten({
    kernel,
    forgotten: [...kernel.all("user")].flatMap(([id, { forgotten }]) => (forgotten ? [id] : [])),
    event: UserForgotten.type,
    keys: sealing.personalKeys,
    clock,
    logger,
  });
  const stopBackups = backUpWhenLocked({ kernel, folder, logger, free: options.free ?? freeBytes });
  allowance.tellBy(kernel, notes);
  allowance.recount(kernel).catch((error: unknown) => {
    // Damage in the log is reported by others who read it; here it only resets the count.
    logger.warn(
      { error },
      "the log of the last day could not be counted: the daily limits of users begin now",
    );
  });
  const end = async (): Promise<void> => {
    allowance.stop();
    stopForgetting();
    stopBackups();
    notes.stop();
    await close();
    space.stop();
  };
  try {
    const identity = await openIdentity(options, kernel);
    const hubId = await ensureHub({ ...options, kernel, notes, recovered, identity });
    jumps.noteWith(notes, hubId);
    alarmOfFullDisk(kernel, notes, hubId);
    await adoptIdentity(identity, { kernel, notes, hubId, sealing });
    const lost = (): readonly LostFile[] => lostFiles(sealing, kernel, identity.problem);
    for (const { file, problem, remedy } of lost()) logger.error({ file, problem, remedy }, "a key is lost");
    alarmOfLostFiles(lost(), { kernel, notes, hubId });
    quota.resolve((isExceeded) => alarmOfQuota(kernel, notes, hubId, isExceeded));
    damage.resolve((problem) => void alarmOfHub(kernel, notes, hubId, "LOG_DAMAGED", problem));
    return { kernel, hubId, notes, sealing, identity, lost, close: end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Logs that the hub takes no changes, or takes them again. No other place logs this. */
function logState(logger: Logger, state: KernelState, reason: string | null): void {
  if (state === "serving") logger.warn("the hub takes changes again");
  else logger.error({ state, reason }, "the hub takes no changes");
}

/** Opens the key that the log knows. A new hub gets its key before it exists in the log. */
function openIdentity({ folder, logger }: BeginOptions, kernel: Kernel): Promise<IdentityKey> {
  const [hub] = [...kernel.all("hub")].map(([, state]) => state);
  const fingerprint = hub?.keys.identity ?? null;
  return IdentityKey.open(folder, logger, { fingerprint, mayMake: mayMakeKeys(kernel) });
}

/** Records a new key in the log. */
async function adoptIdentity(
  identity: IdentityKey,
  { kernel, notes, hubId, sealing }: Pick<Begun, "kernel" | "notes" | "hubId" | "sealing">,
): Promise<void> {
  if (identity.isKept && mayMakeKeys(kernel)) {
    const adopt = { type: "ADOPT_KEY", id: hubId, use: "identity", fingerprint: identity.key.kid } as const;
    await notes.note(adopt);
  }
  if (identity.isNew) makeNewKeys(kernel, sealing);
}

function mayMakeKeys({ health: { state } }: Kernel): boolean {
  return state === "serving" || state === "read-only";
}

/**
 * Makes keys for users whose keys a restore without secrets left out on purpose, so that they do not count as
 * lost.
 */
function makeNewKeys(kernel: Kernel, { personalKeys }: FolderSealing): void {
  const users = [...kernel.all("user")].flatMap(([id, { forgotten }]) => (forgotten ? [] : [id]));
  try {
    personalKeys.make(users);
  } catch {
    // The disk is full: the keys are made with the next write about those users.
  }
}

function startParts(
  { profile, clock, logger, onFatal }: BeginOptions,
  space: SpaceWatch,
  jumps: ClockJumps,
  told: Pick<RetentionOptions, "onDamaged" | "onQuota">,
): StartParts {
  return {
    clock,
    timeTrusted:
      profile.clock === "system" ? () => true : () => existsSync("/run/systemd/timesync/synchronized"),
    onClockJump: (jump) => jumps.add(jump),
    onError: (error) => logger.error({ error }, "a background task of the kernel failed"),
    onFatal,
    telemetryWindowMs: profile.telemetryWindowMs,
    hasRoom: () => space.hasRoom(),
    retention: retentionOf(profile, logger, told),
  };
}

function retentionOf(
  profile: Profile,
  logger: Logger,
  told: Pick<RetentionOptions, "onDamaged" | "onQuota">,
): RetentionOptions {
  const { telemetryDays = limits.telemetryDays } = profile;
  return {
    telemetryMs: telemetryDays * 86_400_000,
    logBytes: quotasOf(profile, totalmem()).logBytes,
    onNote: (level, message, fields) => logger[level](fields, message),
    ...told,
  };
}
