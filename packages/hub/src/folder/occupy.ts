import { existsSync, readFileSync } from "node:fs";
import { LogError } from "@ledge/log";
import { limits } from "@ledge/model";
import { eraseIfMarked } from "./factory-reset.ts";
import { writeWhole } from "@ledge/host/folder";
import { hasHadHub, profileFile } from "./folder.ts";
import type { HubOptions, RunningHub } from "../hub.ts";
import { openHub } from "../hub.ts";
import { hiddenSocketName, lockFolder } from "@ledge/host/lock";
import { closeServer, createServer, fetchFrom } from "@ledge/host/server";
import { freeBytes, mebibytes } from "../space/space.ts";

/** How long (ms) pending requests on the console may take when it closes. */
const answerGraceMs = 500;

/** A hub that this process holds exclusively, with its console on the folder's socket. */
export interface Occupation {
  readonly hub: RunningHub;
  /** Closes the hub and releases the folder. */
  readonly release: () => Promise<void>;
}

/**
 * Stores the profile for the `ledge` command. It writes only changes, so that a full disk does not prevent the
 * start.
 */
function noteProfile({ folder, profile, logger }: HubOptions): void {
  const text = JSON.stringify(profile, null, 2);
  const file = profileFile(folder);
  if (existsSync(file) && readFileSync(file, "utf8") === text) return;
  try {
    writeWhole(file, text);
  } catch (error) {
    logger.warn({ error }, "the profile could not be stored for the ledge command");
  }
}

/** Refuses to create a hub when there is no room for a complete one. */
async function refuseWithoutRoom({ folder, free = freeBytes }: HubOptions): Promise<void> {
  const found = await free(folder);
  if (found >= limits.reserveAgainBytes) return;
  const [left, needed] = [found, limits.reserveAgainBytes].map(mebibytes);
  throw new LogError(
    "full",
    `there is no room for a hub in ${folder}: ${left} MiB are free, ${needed} are needed`,
  );
}

/**
 * Locks a data folder and opens its hub. The folder's socket is the lock, so it is bound before any file is
 * opened; it answers once the hub is up.
 * @throws LockedError, LogError `full` when there is no room for a new hub, or the error from opening the hub;
 * the folder is released then
 */
export async function occupyFolder(options: HubOptions): Promise<Occupation> {
  if (!hasHadHub(options.folder)) await refuseWithoutRoom(options);
  const { promise: opened, resolve: open } = Promise.withResolvers<RunningHub>();
  const console = createServer(fetchFrom(opened.then((hub) => hub.app("console"))));
  const unlock = await lockFolder(options.folder, console, hiddenSocketName());
  const leave = async (): Promise<void> => {
    await closeServer(console, 0);
    await unlock();
  };
  try {
    eraseIfMarked(options.folder);
    await options.updates?.start();
    noteProfile(options);
    const hub = await openHub(options);
    open(hub);
    return {
      hub,
      release: async () => {
        // Requests that already arrived get their answer.
        await closeServer(console, answerGraceMs);
        try {
          await hub.close();
        } finally {
          await unlock();
        }
      },
    };
  } catch (error) {
    await leave();
    throw error;
  }
}
