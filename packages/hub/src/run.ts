import type { Server } from "node:http";
import { systemClock } from "@ledge/kernel";
import { LogError } from "@ledge/log";
import { defaultFolder } from "./folder.ts";
import type { RunningHub } from "./hub.ts";
import { isServed, LockedError } from "./lock.ts";
import type { Logger } from "./logger.ts";
import type { Occupation } from "./occupy.ts";
import { occupyFolder } from "./occupy.ts";
import type { Profile } from "./profile.ts";
import { closeServer, createServer, fetchFrom, listen } from "./server.ts";
import type { SpaceOptions } from "./space.ts";
import { release } from "./version.ts";

export interface RunOptions extends SpaceOptions {
  readonly profile: Profile;
  readonly folder: string;
  readonly host: string;
  readonly port: number;
  readonly logger: Logger;
  readonly print: (line: string) => void;
}

/**
 * Exit codes of the hub process (sysexits): another hub holds the folder, the port is taken, a fault inside, no room
 * for a new hub.
 */
const exitCodes = { done: 0, port: 69, fault: 70, full: 73, locked: 75 } as const;

/** Runs a hub in the foreground until SIGINT or SIGTERM. Resolves with the exit code. */
export async function runHub(options: RunOptions): Promise<number> {
  const { folder, host, port } = options;
  if (await isServed(folder)) return refuse(exitCodes.locked, `a hub is running on ${folder}`);
  const { promise: opened, resolve: open } = Promise.withResolvers<RunningHub>();
  // Before anything is made in the folder: a hub that nobody could reach is not begun.
  const api = createServer(fetchFrom(opened.then((hub) => hub.app("local"))));
  let address: string;
  try {
    address = await listen(api, host, port);
  } catch (error) {
    return refuse(exitCodes.port, portProblem(error as NodeJS.ErrnoException, host, port));
  }
  let occupation: Occupation;
  try {
    occupation = await occupy(options, address);
  } catch (error) {
    await closeServer(api, 0);
    return refuse(exitCodeOf(error), (error as Error).message);
  }
  open(occupation.hub);
  announce(options, address);
  occupation.hub.startAdapters();
  await interrupted();
  return leave(api, occupation, options.logger);
}

function occupy(options: RunOptions, address: string): Promise<Occupation> {
  return occupyFolder({
    ...options,
    clock: systemClock,
    address: () => address,
    onFatal: (error) => {
      options.logger.fatal({ error }, "the hub must end");
      process.exit(exitCodes.fault);
    },
  });
}

async function leave(api: Server, occupation: Occupation, logger: Logger): Promise<number> {
  const [, released] = await Promise.allSettled([closeServer(api), occupation.release()]);
  if (released.status === "fulfilled") return exitCodes.done;
  logger.error({ error: released.reason }, "the hub did not end cleanly");
  return exitCodes.fault;
}

function refuse(exitCode: number, message: string): number {
  process.stderr.write(`${message}\n`);
  return exitCode;
}

function exitCodeOf(error: unknown): number {
  if (error instanceof LockedError) return exitCodes.locked;
  return error instanceof LogError && error.code === "full" ? exitCodes.full : exitCodes.fault;
}

function portProblem({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === "EADDRINUSE") return `${host}:${port} is taken: another program listens there`;
  if (code === "EACCES") return `${host}:${port} may not be listened on by this user`;
  return message.includes(host) ? message : `${host}:${port}: ${message}`;
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
