import { finishReplacement } from "@ledge/host/replace-folder";
import { isServed, lockFolder, LockedError } from "@ledge/host/lock";
import { closeServer, createServer, type Fetch, fetchFrom } from "@ledge/host/server";
import { type Cloud, type CloudOptions, openCloud } from "../cloud.ts";
import type { Storage } from "../storage/storage.ts";
import { issuerOf, noteIssuer } from "./folder.ts";

/** How long (ms) pending console requests may take when the console closes. */
const answerGraceMs = 500;

/** A cloud that this process owns, with its console on the folder's socket. */
export interface Occupation {
  readonly cloud: Cloud;
  /** Closes the cloud and releases the folder. */
  release(): Promise<void>;
}

/**
 * Takes a data folder and opens its cloud. Binds the folder's socket before it opens anything, because the
 * socket is the lock; the console answers once the cloud is open.
 * @param options.openStorage opens what the cloud is kept in, instead of the folder
 * @param consoleOf makes the console's handler
 * @throws LockedError, Error when the folder's cloud signs under another name, or any error of opening the
 * cloud; the folder is free again then
 */
export async function occupyFolder(
  options: CloudOptions & { readonly openStorage?: () => Promise<Storage> },
  consoleOf: (cloud: Cloud) => { readonly fetch: Fetch },
): Promise<Occupation> {
  const { folder, issuer } = options;
  if (await isServed(folder)) throw new LockedError(`another process runs on ${folder}`);
  finishReplacement(folder);
  const { promise: opened, resolve: open } = Promise.withResolvers<{ readonly fetch: Fetch }>();
  const console = createServer(fetchFrom(opened));
  const unlock = await lockFolder(folder, console);
  let cloud: Cloud;
  try {
    const noted = issuerOf(folder);
    if (noted !== undefined && noted !== issuer)
      throw new Error(
        `the cloud in ${folder} signs as ${noted}, and its hubs trust that name, not ${issuer}`,
      );
    const storage = await options.openStorage?.();
    cloud = await openCloud({ ...options, ...(storage && { storage }) });
  } catch (error) {
    await closeServer(console, 0);
    await unlock();
    throw error;
  }
  noteIssuer(folder, issuer);
  open(consoleOf(cloud));
  return {
    cloud,
    release: async () => {
      // Finishes pending requests.
      await closeServer(console, answerGraceMs);
      try {
        await cloud.close();
      } finally {
        await unlock();
      }
    },
  };
}
