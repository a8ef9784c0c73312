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

/** Nothing that waits comes due under it: timers of the log fire when a hub runs on it. */
const stillClock: Clock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  after: () => () => {},
};

/** What an epoch is opened with. */
export interface NewEpoch {
  readonly reason: string;
  /** No later timestamp is at or below this one (ms), nor below the wall clock and its lead. */
  readonly above: number;
  /** The data folder whose keys open what is sealed; default: that of the log. */
  readonly keysIn?: string;
  /** For the hub, before the epoch. */
  readonly commands?: readonly HubCommandFor[];
  /** Who is forgotten; those that cannot be, such as an owner, are passed over. */
  readonly forgotten?: readonly string[];
}

/**
 * Opens a new epoch in a log that no hub runs on: every poll cursor from before, or from the time since its last
 * commit, gets a full answer once. Leaves a snapshot behind.
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
    // Users hear of what is lost; nothing else of a hub happens here.
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

/** A command for the hub itself, without its id. */
export type HubCommandFor = Command & Record<string, unknown>;
