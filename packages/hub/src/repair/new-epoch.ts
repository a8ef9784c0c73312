import type { Clock } from "@ledge/kernel";
import { openKernel } from "@ledge/kernel";
import type { BlockLog } from "@ledge/log";
import { LogError, openLmdbLog } from "@ledge/log";
import type { Command } from "@ledge/model";
import { declared, limits, upcasters } from "@ledge/model";
import { logFolder } from "@ledge/host/folder";
import { folderSealing } from "@ledge/host/sealing";
import { hubAlarms } from "../reactions/alarms.ts";
import { kernelParts } from "../start/kernel-parts.ts";

/** A clock whose timers never fire. The log's timers fire when a hub runs on it. */
const stillClock: Clock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  after: () => () => {},
};

/** The settings of a new epoch. */
export interface NewEpoch {
  readonly reason: string;
  /** All later timestamps are above this one (ms), and above the wall clock with its lead. */
  readonly above: number;
  /** The data folder with the keys for sealed fields. Default: the log's own. */
  readonly keysIn?: string;
  /** Commands for the hub, to run before the epoch. */
  readonly commands?: readonly HubCommandFor[];
  /** Users to forget. Those that cannot be forgotten, such as an owner, are skipped. */
  readonly forgotten?: readonly string[];
}

/**
 * Opens a new epoch in a log that no hub runs on, and saves a snapshot. Every older poll cursor, also one from
 * after the log's last commit, gets a full answer once.
 * @returns the timestamp of the epoch
 */
export async function openEpochIn(
  folder: string,
  { reason, above, keysIn = folder, commands = [], forgotten = [] }: NewEpoch,
): Promise<number> {
  const sealing = folderSealing(keysIn, declared);
  const log: BlockLog = await openLmdbLog({ folder: logFolder(folder), upcasters, sealing, journal: false });
  const kernel = openKernel({
    ...kernelParts,
    log,
    // Loss alarms must reach the users; no other reaction of a hub may run here.
    reactions: [hubAlarms],
    clock: stillClock,
    timeTrusted: () => true,
    onFatal: () => {},
  });
  try {
    kernel.raiseTimestamp(Math.max(Date.now() + limits.clockLeadMs, above));
    const [id] = [...kernel.all("hub")][0] ?? [];
    if (id === undefined) throw new LogError("damaged", "the log has no hub");
    const forget = forgotten.map((user): Command & { id: string } => ({ type: "FORGET_USER", id: user }));
    await kernel.submit({ commands: forget, origin: "console", each: true });
    const all = [...commands, { type: "OPEN_EPOCH", reason }].map(
      (command): Command & Record<string, unknown> => ({ ...command, id }),
    );
    const outcome = await kernel.submit({ commands: all, origin: "console" });
    if (!outcome.accepted) throw new Error(outcome.rejection.message);
    return kernel.timestamp;
  } finally {
    await kernel.close();
  }
}

/** A command for the hub, without the hub's id. */
export type HubCommandFor = Command & Record<string, unknown>;
