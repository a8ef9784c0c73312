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
 * The console of a hub that does not run: opens its folder for as long as the command takes, without adapters
 * and without listening to anyone else.
 * @throws CliError when there is no hub in the folder, LockedError when one has just started, or why it cannot open.
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
