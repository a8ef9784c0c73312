import { terminalLine } from "@ledge/host/terminal";
import { startingHealth } from "@ledge/api";
import { Connections } from "@ledge/host/connections";
import { connectionBounds } from "@ledge/host/open-files";
import { systemClock } from "@ledge/kernel";
import { addressKey } from "@ledge/link";
import { LogError } from "@ledge/log";
import type { Announcement } from "./discovery/records.ts";
import { hostNameOf } from "./discovery/records.ts";
import { Responder } from "./discovery/responder.ts";
import { defaultFolder } from "./folder/folder.ts";
import type { RunningHub } from "./hub.ts";
import { isServed, LockedError } from "@ledge/host/lock";
import { addressToOpen } from "./network/lan-addresses.ts";
import { formerRuns } from "./process/former-runs.ts";
import type { LogRing } from "./process/log-ring.ts";
import { RingLog } from "./process/ring-log.ts";
import type { Logger } from "@ledge/host/logger";
import type { Supervision } from "./process/machine.ts";
import { HostMachine } from "./process/machine.ts";
import type { Occupation } from "./folder/occupy.ts";
import { occupyFolder } from "./folder/occupy.ts";
import type { Profile } from "./profile.ts";
import { closeServer, createServer, fetchFrom, listen } from "@ledge/host/server";
import type { SpaceOptions } from "./space/space.ts";
import { tellSystemd } from "@ledge/host/notices";
import { Https } from "./tls/https.ts";
import { openUpdates, watchUpdates } from "./update/open-updates.ts";
import type { Updates } from "./update/updates.ts";
import { apiVersion, release } from "./version.ts";

export interface RunOptions extends SpaceOptions {
  readonly profile: Profile;
  readonly folder: string;
  readonly host: string;
  readonly port: number;
  readonly httpsPort: number;
  readonly mdns: boolean;
  readonly logger: Logger;
  readonly print: (line: string) => void;
  /** What restarts the hub when it has ended; undefined for nothing. */
  readonly supervision?: Supervision | undefined;
  /** The folder with the machine's /dev and /sys. Default: / */
  readonly systemRoot?: string;
  /** The ring that `logger` writes to. */
  readonly ring: LogRing;
}

/**
 * Exit codes of the hub process (sysexits): `locked`, another hub holds the folder; `port`, the port is in use;
 * `fault`, an internal fault; `full`, no room for a new hub; `restart` requests a restart (ERESTART of Linux).
 */
const exitCodes = { done: 0, port: 69, fault: 70, full: 73, locked: 75, restart: 85 } as const;

/** Runs a hub in the foreground until SIGINT or SIGTERM, or a restart. Resolves with the exit code. */
export async function runHub(options: RunOptions): Promise<number> {
  const { folder, host, port } = options;
  if (await isServed(folder)) return refuse(exitCodes.locked, `a hub is running on ${folder}`);
  const { promise: opened, resolve: open } = Promise.withResolvers<RunningHub>();
  // The ports come before any file: a hub that nobody can reach is not created.
  const fetch = fetchFrom(
    opened.then((hub) => hub.app("local")),
    startingHealth,
  );
  const connections = new Connections(connectionBounds(), addressKey);
  const api = createServer(fetch, { connections });
  let address: string;
  try {
    address = await listen(api, host, port);
  } catch (error) {
    return refuse(exitCodes.port, portProblem(error as NodeJS.ErrnoException, host, port));
  }
  const ending = new Ending();
  const https = new Https(systemClock);
  let occupation: Occupation;
  const machine = machineOf(options, ending);
  const updates = openUpdates(options.profile, folder, options.logger, () => machine.begin("reboot"));
  try {
    occupation = await occupy(options, address, machine, https, updates);
  } catch (error) {
    await closeServer(api, 0);
    return refuse(exitCodeOf(error), (error as Error).message);
  }
  // Whoever has had an answer can also stop the hub.
  ending.heedSignals();
  // Adapters start before the first request, because it may command a device.
  occupation.hub.startAdapters();
  watchUpdates(updates, occupation.hub, folder, systemClock);
  open(occupation.hub);
  const name = hostNameOf(occupation.hub.hubId);
  // The first check of the files comes some seconds later, when all parts used here exist.
  const renewed = (): void => {
    occupation.hub.showsCertificate(https);
    discovery.announce();
  };
  await https.start(fetch, { ...options, port: options.httpsPort, name, renewed, connections });
  occupation.hub.showsCertificate(https);
  announce(options, address, occupation.hub);
  const notices = tellSystemd(occupation.hub.kernel, address, options.logger);
  const discovery = discoverable(options, occupation.hub, address, https);
  await ending.begun;
  notices.stopping();
  updates?.stop();
  const isClean = await leave(
    [closeServer(api), https.close(), discovery.stop()],
    occupation,
    options.logger,
  );
  return isClean ? ending.exitCode : exitCodes.fault;
}

function machineOf({ supervision, profile, logger }: RunOptions, ending: Ending): HostMachine {
  return new HostMachine({ supervision, profile, logger, restart: () => ending.restart() });
}

function occupy(
  options: RunOptions,
  address: string,
  machine: HostMachine,
  https: Https,
  updates: Updates | undefined,
): Promise<Occupation> {
  const { supervision, ring } = options;
  const former = supervision === "systemd" ? () => formerRuns(performance.timeOrigin) : undefined;
  return occupyFolder({
    ...options,
    isRestarted: supervision !== undefined,
    clock: systemClock,
    address: () => address,
    https: () => https.state,
    processLog: new RingLog(ring, former),
    machine,
    updates,
    onFatal: (error) => {
      options.logger.fatal({ error }, "the hub must end");
      process.exit(exitCodes.fault);
    },
  });
}

async function leave(
  closing: readonly Promise<void>[],
  occupation: Occupation,
  logger: Logger,
): Promise<boolean> {
  const [released] = await Promise.allSettled([occupation.release(), ...closing]);
  if (released.status === "fulfilled") return true;
  logger.error({ error: released.reason }, "the hub did not end cleanly");
  return false;
}

function refuse(exitCode: number, message: string): number {
  process.stderr.write(`${terminalLine(message)}\n`);
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

function announce(
  { profile, folder, print, logger, mdns }: RunOptions,
  address: string,
  hub: Pick<RunningHub, "hubId" | "setupCode">,
): void {
  const setupCode = hub.setupCode();
  const open = addressToOpen(address, mdns ? hostNameOf(hub.hubId) : undefined);
  logger.info({ release, profile: profile.name, address }, "the hub serves");
  print(`Ledge ${release}, profile ${profile.name}: open ${open} in a browser`);
  print(`  API   ${address}`);
  print(`  data  ${folder}`);
  const elsewhere = folder === defaultFolder("sim") ? "" : ` --data ${folder}`;
  // Only here, and not in the process log: others may read that.
  if (setupCode !== undefined) print(`  setup code  ${setupCode}`);
  if (profile.trial === true) print(`  key   npm run -s ledge -- key${elsewhere}`);
  if (profile.cloud !== null) print(`  cloud ${profile.cloud.url}`);
}

/** The announcement of the hub. */
type Discovery = Pick<Responder, "announce" | "stop">;

function factsOf(https: Https): Announcement["facts"] {
  const { address, fingerprint } = https.state;
  const encrypted = address !== null && { https: new URL(address).port, fingerprint: fingerprint ?? "" };
  return { version: apiVersion, ...encrypted };
}

/** Announces the hub on its network unless the profile turns that off, and again after a rename. */
function discoverable(
  { mdns, host, logger }: RunOptions,
  { kernel, hubId, browsing }: RunningHub,
  address: string,
  https: Https,
): Discovery {
  const nameNow = (): string | undefined => kernel.get("hub", hubId)?.name;
  let name = nameNow();
  if (!mdns || name === undefined) return { announce: () => {}, stop: () => Promise.resolve() };
  const port = Number(new URL(address).port);
  const announcement = (): Announcement => ({ hubId, name: name ?? "", port, facts: factsOf(https) });
  const responder = new Responder({ announcement, host, clock: systemClock, logger, browsing });
  kernel.subscribe({
    published: () => {
      if (nameNow() === name) return;
      name = nameNow();
      responder.announce();
    },
  });
  return responder;
}

/** Waits for the hub's end and its exit code. */
class Ending {
  /** Resolves when the hub is to end. */
  readonly begun: Promise<void>;
  readonly #begin: () => void;
  exitCode: number = exitCodes.done;

  constructor() {
    ({ promise: this.begun, resolve: this.#begin } = Promise.withResolvers<void>());
  }

  /** From this call on a signal has the hub end in order. Before it, one ends the process at once. */
  heedSignals(): void {
    // One Ctrl-C may arrive several times: from the terminal and from each parent process.
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.on(signal, () => {
        this.exitCode = exitCodes.done;
        this.#begin();
      });
    }
  }

  /** Requests a restart. A signal that arrives meanwhile wins: the hub then stays down. */
  restart(): void {
    this.exitCode = exitCodes.restart;
    this.#begin();
  }
}
