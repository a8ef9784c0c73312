import { existsSync } from "node:fs";
import { systemClock } from "@ledge/kernel";
import { profileFile } from "../folder.ts";
import { openHub } from "../hub.ts";
import { lockFolder } from "../lock.ts";
import { createLogger } from "../logger.ts";
import { readProfile } from "../profile.ts";
import { closeServer, createServer } from "../server.ts";
import type { Console } from "./client.ts";
import { socketConsole } from "./client.ts";
import { CliError, exitCodes } from "./command.ts";

/**
 * The console of a hub that does not run: opens its folder for as long as the command takes, without adapters
 * and without listening to anyone else.
 * @throws CliError when there is no hub in the folder; LockedError when one has just started.
 */
export async function openStoppedHub(folder: string): Promise<Console> {
  if (!existsSync(profileFile(folder))) {
    throw new CliError(exitCodes.unavailable, `no hub has run on ${folder} yet: start one first`);
  }
  const opened = Promise.withResolvers<Awaited<ReturnType<typeof openHub>>>();
  const server = createServer(async (request, env) =>
    (await opened.promise).app("console").fetch(request, env),
  );
  const unlock = await lockFolder(folder, server);
  const hub = await openHub({
    profile: readProfile(profileFile(folder)),
    folder,
    clock: systemClock,
    logger: createLogger("error"),
    address: () => null,
    onFatal: (error) => {
      throw error;
    },
  });
  opened.resolve(hub);
  return {
    ...socketConsole(folder),
    close: async () => {
      await hub.close();
      await closeServer(server);
      await unlock();
    },
  };
}
