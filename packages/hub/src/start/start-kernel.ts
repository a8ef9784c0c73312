import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Kernel, KernelOptions } from "@ledge/kernel";
import { EvolveError, openKernel } from "@ledge/kernel";
import type { EventLog, Recovery } from "@ledge/log";
import { LogError, openLmdbLog } from "@ledge/log";
import { type Commit, declared, limits, upcasters } from "@ledge/model";
import { logFolder } from "@ledge/host/folder";
import { foreignLog, goneLog } from "../folder/folder.ts";
import { type FolderSealing, folderSealing } from "@ledge/host/sealing";
import { kernelParts } from "./kernel-parts.ts";
import { namesProblem } from "./lost-files.ts";
import type { LogReport } from "./log-task.ts";
import { lookAtLog, trialPrefix } from "./log-task.ts";
import { readableState } from "./readable-state.ts";
import type { ReadableState } from "./rescue-log.ts";
import { RescueLog } from "./rescue-log.ts";
import type { Newest, RefusedEvent } from "./run-note.ts";
import { RunNote } from "./run-note.ts";

/** The parts that a start adds to those of every kernel of the hub. */
export type StartParts = Pick<
  KernelOptions,
  | "allowance"
  | "clock"
  | "timeTrusted"
  | "onClockJump"
  | "onError"
  | "onFatal"
  | "telemetryWindowMs"
  | "hasRoom"
  | "retention"
>;

export interface StartOptions {
  /**
   * Returns the readable part of a damaged log. Default: a snapshot or base and the commits after it without a
   * gap.
   */
  readonly readable?: (logFolder: string) => Promise<ReadableState>;
  /** Whether a supervisor restarts the hub, so that repeated early deaths must end in safe mode. */
  readonly isRestarted?: boolean;
}

/** After this many deaths in a row, a log that looks sound is tried on a copy. */
const deathsUntilTrial = 2;

/** An end of the log that was cut off because of damage. */
export interface Lost extends Recovery {
  /** Call this when clients and users know of it: no later start reports it again. */
  readonly settle: () => Promise<void>;
}

/** A kernel over as much of the log as is usable. */
export interface Started {
  readonly kernel: Kernel;
  readonly sealing: FolderSealing;
  /** The damage at the end of the log that was not reported yet. */
  readonly recovered: Lost | undefined;
  /** Closes the kernel. A clean end is recorded, so that the next start can skip the check of the log. */
  readonly close: () => Promise<void>;
}

/**
 * Opens the log of a data folder and a kernel over it. After an unclean stop another process checks the log
 * first.
 * - When the log cannot be opened, the kernel is read-only over the readable part (`rescue`).
 * - When an event has ended two starts, it is read-only over the state before that event (`safe-mode`).
 * - When several starts in a row died soon, it is read-only over the whole log (`safe-mode`).
 * @param folder the data folder, locked by the caller
 * @throws EvolveError with the place of an event that cannot be applied, LogError `full` when there is no room
 * for a new log
 */
export async function startKernel(
  folder: string,
  parts: StartParts,
  { readable: read = readableState, isRestarted = false }: StartOptions = {},
): Promise<Started> {
  const note = new RunNote(folder);
  const sealing = folderSealing(folder, declared);
  const { leftOut, isClean } = note;
  note.begin();
  try {
    const problem = isClean ? undefined : await problemOf(folder, note);
    if (problem !== undefined) return await startRescue(folder, parts, sealing, problem, read);
    const safe = leftOut === undefined ? restless(note, isRestarted) : without(leftOut);
    return safe === undefined
      ? await startServing(folder, parts, sealing, note)
      : await startSafely(folder, parts, sealing, { note, safe });
  } catch (error) {
    if (error instanceof EvolveError && error.place !== undefined) note.refuse(error.place, error.message);
    if (!(error instanceof LogError) || (error.code !== "damaged" && error.code !== "failed")) throw error;
    return startRescue(folder, parts, sealing, error.message, read);
  }
}

/**
 * Returns the problem that another process finds with the log; undefined when there is none.
 * @throws EvolveError
 */
async function problemOf(folder: string, note: RunNote): Promise<string | undefined> {
  const log = logFolder(folder);
  removeTrials(folder);
  // Opening it would create a new log and move the journal aside.
  if (!hasBytes(join(log, "data.mdb"))) return goneLog(folder, 0);
  const before = note.leftOut?.timestamp;
  const problem = await problemFound("probe", log, before);
  if (problem !== undefined && !(problem.isLate && note.deaths < deathsUntilTrial)) return problem.message;
  if (note.deaths < deathsUntilTrial) return undefined;
  const trial = await problemFound("try", log, before);
  // A late answer only means a large log or a slow disk.
  return trial?.isLate ? undefined : trial?.message;
}

function hasBytes(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Removes the copies of the log that a killed trial left. */
function removeTrials(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(trialPrefix)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

async function problemFound(
  task: "probe" | "try",
  log: string,
  before: number | undefined,
): Promise<{ readonly message: string; readonly isLate: boolean } | undefined> {
  let found: LogReport | undefined;
  const failed = await lookAtLog(task, log, (report) => (found = report), { before });
  if (failed !== undefined)
    return { message: `the log cannot be read: ${failed.how}`, isLate: failed.isLate };
  if (found?.type === "refused") throw new EvolveError(found.message, {}, found.place);
  return found?.type === "damaged" ? { message: found.message, isLate: false } : undefined;
}

/** @throws LogError, EvolveError */
async function startServing(
  folder: string,
  parts: StartParts,
  sealing: FolderSealing,
  note: RunNote,
): Promise<Started> {
  const log = await openLmdbLog({ folder: logFolder(folder), upcasters, sealing });
  let kernel: Kernel;
  let hasFailed = false;
  const onFatal = (error: Error): void => {
    hasFailed = true;
    parts.onFatal(error);
  };
  try {
    const gone = goneLog(folder, log.last) ?? foreignLog(folder, hubOf(log));
    // An end that was cut off is reported by other means, and the log goes on.
    if (gone !== undefined && (log.last === 0 || log.recovered === undefined))
      throw new LogError("damaged", gone);
    // A snapshot without names would keep them blank after their keys are back.
    const isNamed = (): boolean => namesProblem(sealing.personalKeys, kernel) === undefined;
    const hasRoom = async (): Promise<boolean> => isNamed() && ((await parts.hasRoom?.()) ?? true);
    kernel = openKernel({ ...kernelParts, ...parts, log, onFatal, hasRoom });
  } catch (error) {
    await log.close();
    throw error;
  }
  const newest = (): Newest | undefined => {
    const [hub] = [...kernel.all("hub")].map(([id]) => id);
    return hub === undefined ? undefined : { hub, timestamp: log.last };
  };
  note.applied(newest());
  const cancel = parts.clock.after(limits.deathSoonMs, () => note.survived());
  return {
    kernel,
    sealing,
    recovered: log.recovered && { ...log.recovered, settle: () => log.settleRecovery() },
    close: async () => {
      cancel();
      const isSound = kernel.health.state === "serving";
      await kernel.close();
      // A write that was pending at the close may have failed.
      if (isSound && !hasFailed) note.end(newest());
    },
  };
}

/** Returns the id of a log's hub, from its first event. */
function hubOf(log: EventLog): string | undefined {
  const first: Commit | undefined = log.read(0).next().value;
  return first?.events.find(({ type }) => type === "HubCreated")?.id;
}

/** The reason for taking no changes, and the timestamp before which the state is, when it leaves out events. */
interface Safe {
  readonly reason: string;
  readonly before?: number;
}

/** The state before the event that cannot be applied. */
function without({ timestamp, message }: RefusedEvent): Safe {
  return { reason: `${message}; the state is the one before it`, before: timestamp };
}

/** Returns safe mode for a hub that died repeatedly soon after its start. */
function restless({ deaths }: RunNote, isRestarted: boolean): Safe | undefined {
  if (!isRestarted || deaths < limits.deathsToSafeMode) return undefined;
  return { reason: `the hub ended ${deaths} times in a row soon after its start; restart it to try again` };
}

async function startSafely(
  folder: string,
  parts: StartParts,
  sealing: FolderSealing,
  { note, safe }: { readonly note: RunNote; readonly safe: Safe },
): Promise<Started> {
  const log = await openLmdbLog({ folder: logFolder(folder), upcasters, sealing, readOnly: true });
  try {
    const kernel = openKernel({
      ...kernelParts,
      ...parts,
      log,
      readOnly: { state: "safe-mode", ...safe },
    });
    const close = async (): Promise<void> => {
      await kernel.close();
      note.end();
    };
    return { kernel, sealing, recovered: undefined, close };
  } catch (error) {
    await log.close();
    throw error;
  }
}

/** Opens a kernel over the readable part of the log, whose files stay unchanged. */
async function startRescue(
  folder: string,
  parts: StartParts,
  sealing: FolderSealing,
  problem: string,
  read: (logFolder: string) => Promise<ReadableState>,
): Promise<Started> {
  const state = await read(logFolder(folder));
  const reason = `${problem}; ${state.missing}: run "ledge doctor", or restore a backup`;
  const kernel = rescueKernel(state, reason, parts);
  return { kernel, sealing, recovered: undefined, close: () => kernel.close() };
}

function rescueKernel(state: ReadableState, reason: string, parts: StartParts, before?: number): Kernel {
  const readOnly = { state: "rescue", reason, ...(before !== undefined && { before }) } as const;
  try {
    return openKernel({ ...kernelParts, ...parts, log: new RescueLog(state), readOnly });
  } catch (error) {
    if (!(error instanceof EvolveError) || error.place === undefined) throw error;
    return rescueKernel(state, reason, parts, error.place.timestamp);
  }
}
