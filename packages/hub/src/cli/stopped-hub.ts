import { existsSync } from "node:fs";
import { systemClock } from "@ledge/kernel";
import { profileFile } from "../folder/folder.ts";
import { createLogger } from "@ledge/host/logger";
import { occupyFolder } from "../folder/occupy.ts";
import { readProfile } from "../profile.ts";
import { finishReplacement } from "@ledge/host/replace-folder";
import type { Console } from "@ledge/host/cli/client";
import { socketConsole } from "@ledge/host/cli/client";
import { CliError, exitCodes } from "@ledge/host/cli/command";

/**
 * Opens the console of a stopped hub for the time of one command, without adapters and without network
 * listeners.
 * @throws CliError when the folder holds no hub, LockedError when a hub has just started, or the error from
 * opening it
 */
export async function openStoppedHub(folder: string): Promise<Console> {
  finishReplacement(folder);
  if (!existsSync(profileFile(folder))) {
    throw new CliError(exitCodes.unavailable, `no hub has run on ${folder} yet: start one first`);
  }
  const { release } = await occupyFolder({
    profile: readProfile(profileFile(folder)),
    folder,
    clock: systemClock,
    logger: createLogger("error"),
    address: () => null,
    onFatal: (error) => {
      throw error;
    },
  });
  return { ...socketConsole(folder), close: release };
}
