import { existsSync, readFileSync } from "node:fs";
import { profileFile, writeWhole } from "./folder.ts";
import type { HubOptions, RunningHub } from "./hub.ts";
import { openHub } from "./hub.ts";
import { lockFolder } from "./lock.ts";
import { closeServer, createServer } from "./server.ts";

/** A hub that this process has to itself, its console served on the folder's socket. */
export interface Occupation {
  readonly hub: RunningHub;
  /** Closes the hub and gives the folder back. */
  readonly release: () => Promise<void>;
}

/** For the `ledge` command; written only when it is another, as a full disk must not keep the hub from starting. */
function noteProfile({ folder, profile }: HubOptions): void {
  const text = JSON.stringify(profile, null, 2);
  const file = profileFile(folder);
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeWhole(file, text);
}

/**
 * Takes a data folder and opens its hub. The folder's socket is bound before anything is opened, as it is the
 * lock; it answers once the hub is up.
 * @throws LockedError, or what opening the hub throws; the folder is free again then.
 */
export async function occupyFolder(options: HubOptions): Promise<Occupation> {
  const { promise: opened, resolve: open } = Promise.withResolvers<RunningHub>();
  const console = createServer(async (request, env) => (await opened).app("console").fetch(request, env));
  const unlock = await lockFolder(options.folder, console);
  const leave = async (): Promise<void> => {
    await closeServer(console, 0);
    await unlock();
  };
  try {
    noteProfile(options);
    const hub = await openHub(options);
    open(hub);
    return {
      hub,
      release: async () => {
        try {
          await hub.close();
        } finally {
          await leave();
        }
      },
    };
  } catch (error) {
    await leave();
    throw error;
  }
}
