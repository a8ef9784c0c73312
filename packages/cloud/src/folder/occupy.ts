import { finishReplacement } from "@ledge/host/replace-folder";
import { isServed, lockFolder, LockedError } from "@ledge/host/lock";
import { closeServer, createServer, type Fetch, fetchFrom } from "@ledge/host/server";
import { type Cloud, type CloudOptions, openCloud } from "../cloud.ts";
import { issuerOf, noteIssuer } from "./folder.ts";

/** How long (ms) requests under way on the console may take when it closes. */
const answerGraceMs = 500;

/** A cloud that this process has to itself, its console served on the folder's socket. */
export interface Occupation {
  readonly cloud: Cloud;
  /** Closes the cloud and gives the folder back. */
  release(): Promise<void>;
}

/**
 * Takes a data folder and opens its cloud. The folder's socket is bound before anything is opened, as it is the
 * lock; it answers once the cloud is up.
 * @param consoleOf makes what answers there
 * @throws LockedError, Error when the folder's cloud signs under another name, or what opening the cloud throws;
 *   the folder is free again then
 */
export async function occupyFolder(
  options: CloudOptions,
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
      throw new Error(`the cloud in ${folder} signs as ${noted}, which hubs believe, not as ${issuer}`);
    cloud = await openCloud(options);
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
      // Who has asked already is answered.
      await closeServer(console, answerGraceMs);
      try {
        await cloud.close();
      } finally {
        await unlock();
      }
    },
  };
}
