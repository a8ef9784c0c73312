import { writeFileSync } from "node:fs";
import { systemClock } from "@ledge/kernel";
import { defaultFolder, profileFile } from "./folder.ts";
import { openHub } from "./hub.ts";
import { lockFolder, LockedError } from "./lock.ts";
import type { Logger } from "./logger.ts";
import type { Profile } from "./profile.ts";
import { closeServer, createServer, listen } from "./server.ts";
import { release } from "./version.ts";

export interface RunOptions {
  readonly profile: Profile;
  readonly folder: string;
  readonly host: string;
  readonly port: number;
  readonly logger: Logger;
  readonly print: (line: string) => void;
}

/** Exit codes of the hub process (sysexits): another hub holds the folder, the port is taken, a fault inside. */
const exitCodes = { done: 0, locked: 75, port: 69, fault: 70 } as const;

/** Runs a hub in the foreground until SIGINT or SIGTERM. Resolves with the exit code. */
export async function runHub(options: RunOptions): Promise<number> {
  const { profile, folder, host, port, logger } = options;
  let address: string | null = null;
  // The folder's socket is bound before anything is opened: it is the lock. It answers once the hub is up.
  const { promise: opened, resolve: open } = Promise.withResolvers<Awaited<ReturnType<typeof openHub>>>();
  const console = createServer(async (request, env) => (await opened).app("console").fetch(request, env));
  let unlock: () => Promise<void>;
  try {
    unlock = await lockFolder(folder, console);
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return exitCodes.locked;
  }
  writeFileSync(profileFile(folder), JSON.stringify(profile, null, 2), { mode: 0o600 });
  const hub = await openHub({
    profile,
    folder,
    logger,
    clock: systemClock,
    address: () => address,
    onFatal: (error) => {
      logger.fatal({ error }, "the hub must end");
      process.exit(exitCodes.fault);
    },
  });
  open(hub);
  const api = createServer(hub.app("local").fetch);
  let exitCode: number = exitCodes.done;
  try {
    address = await listen(api, host, port);
    announce(options, address);
    hub.startAdapters();
    await interrupted();
  } catch (error) {
    process.stderr.write(`${host}:${port}: ${(error as Error).message}\n`);
    exitCode = exitCodes.port;
  }
  await Promise.all([closeServer(api), hub.close()]);
  await unlock();
  return exitCode;
}

function announce({ profile, folder, print }: RunOptions, address: string): void {
  print(`Ledge ${release}, profile ${profile.name}`);
  print(`  API   ${address}`);
  print(`  data  ${folder}`);
  const elsewhere = folder === defaultFolder("sim") ? "" : ` --data ${folder}`;
  if (profile.issuer === "development") print(`  key   npm run -s ledge -- key${elsewhere}`);
}

/** One Ctrl-C may arrive several times: from the terminal and from each process above. */
async function interrupted(): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => resolve());
  });
}
