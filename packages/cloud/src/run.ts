import { joinCluster } from "./cluster/joined.ts";
import { terminalLine } from "@ledge/host/terminal";
import { randomBytes, randomUUID } from "node:crypto";
import { statfsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Connections } from "@ledge/host/connections";
import { isServed, LockedError } from "@ledge/host/lock";
import type { Logger } from "@ledge/host/logger";
import { tellSystemd } from "@ledge/host/notices";
import { connectionBounds } from "@ledge/host/open-files";
import {
  type Before,
  closeServer,
  createServer,
  createTlsServer,
  type Fetch,
  fetchFrom,
  listen,
  type Listening,
  onUpgrade,
} from "@ledge/host/server";
import { openWebFolder } from "@ledge/host/web-folder";
import { type Clock, systemClock } from "@ledge/kernel";
import { RequestFigures, webPolicy } from "@ledge/link";
import { limits } from "@ledge/model";
import { type CertificateState, KeptCertificate, readCertificate } from "./http/certificate.ts";
import type { Cloud } from "./cloud.ts";
import { createConsole } from "./console/console.ts";
import { Lateness } from "./process/lateness.ts";
import { renderFigures } from "./process/figures.ts";
import { Allowances } from "./http/allowances.ts";
import { createCloudApp } from "./http/app.ts";
import { placeIn, trustIn } from "./http/caller-address.ts";
import { createFront, type Front, streamsFirst, whileStarting } from "./http/front.ts";
import { openPlatform, type Platform } from "./platform.ts";
import { LanAddresses } from "./http/lan-addresses.ts";
import type { Services } from "./http/services.ts";
import { Bearers } from "./oauth/bearers.ts";
import { namesAt } from "./oauth/names.ts";
import { CloudMail } from "./mail/cloud-mail.ts";
import { folderMailer } from "./mail/folder-mailer.ts";
import { smtpMailer } from "./mail/smtp-mailer.ts";
import { type Occupation, occupyFolder } from "./folder/occupy.ts";
import { shareRates } from "./rates/rate-exchange.ts";
import { openRelay } from "./relay/open-relay.ts";
import type { Relay } from "./relay/relay.ts";
import { addressesOf, type CloudSettings, listenIn, shownAddress } from "./settings.ts";
import type { FleetStorageOptions } from "./storage/fleet-storage.ts";
import type { Storage } from "./storage/storage.ts";

/** Where `scripts/web.ts` builds the web interface: beside the sources, or beside the bundles. */
const webFolder = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../ui/dist" : "../ui", import.meta.url),
);

export interface RunOptions {
  readonly folder: string;
  readonly host: string;
  readonly port: number;
  readonly settings: CloudSettings;
  readonly release: string;
  readonly logger: Logger;
  readonly print: (line: string) => void;
}

/**
 * Exit codes of the process (sysexits): the port is in use, an internal fault, another process holds the
 * folder.
 */
const exitCodes = { done: 0, port: 69, fault: 70, locked: 75 } as const;

/** Runs a cloud in the foreground until SIGINT or SIGTERM. Resolves with the exit code. */
export async function runCloud(options: RunOptions): Promise<number> {
  const { folder, host, port, logger } = options;
  if (await isServed(folder)) return refuse(exitCodes.locked, `another process runs on ${folder}`);
  const { promise: opened, resolve: open } = Promise.withResolvers<Front>();
  // Listens before it creates anything in the folder: a cloud that nobody can reach must not begin one.
  const { server, certificate } = serverOf(options, fetchFrom(opened, whileStarting), streamsFirst(opened));
  const stop = (): void => certificate?.stop();
  let address: string;
  try {
    address = await listen(server, host, port);
  } catch (error) {
    stop();
    return refuse(exitCodes.port, `${host}:${port}: ${(error as Error).message}`);
  }
  let occupied: Occupied;
  try {
    occupied = await occupy(options, address, certificate);
  } catch (error) {
    stop();
    await closeServer(server, 0);
    const exitCode = error instanceof LockedError ? exitCodes.locked : exitCodes.fault;
    return refuse(exitCode, (error as Error).message);
  }
  const { services, allowances, platform, relay, requests, render, occupation, isLate, stopCounting } =
    occupied;
  const { trustedProxies = [], metrics } = options.settings;
  const joined = joinCluster(occupied, trustedProxies);
  const app = createCloudApp({
    ...services,
    allowances,
    platform,
    platform1: options.settings.platform1 ?? "on",
    trustedProxies,
    fresh: joined?.fresh,
    isLate,
    web: { files: openWebFolder(webFolder), policy: webPolicy([]) },
  });
  const { connections } = platform;
  const front = createFront({
    app,
    relay,
    connections: joined?.connections ?? connections,
    oauth: platform.oauth,
    trustedProxies,
    requests,
    metrics: { token: metrics?.token, render },
    logger,
    ...(joined && { fresh: joined.fresh }),
  });
  onUpgrade(server, (request, socket, head) => front.upgrade(request, socket, head));
  open(front);
  announce(options, address);
  const notices = tellSystemd(services.cloud.kernel, address, logger);
  await signalled();
  notices.stopping();
  platform.replication.stop();
  stopCounting();
  // Users and hubs go to the processes that stay.
  await joined?.leave();
  stop();
  // Answers pending requests before it closes what they need; the mail server may take its time. Hubs learn
  // first that they must dial again: pending requests in their tunnels may finish.
  platform.graph.stop();
  platform.watching.stop();
  await Promise.all([connections.drain(), relay.close(), closeServer(server, limits.channelTimeoutMs)]);
  await platform.egress.stop();
  try {
    await occupation.release();
  } catch (error) {
    logger.error({ error }, "the cloud did not shut down cleanly");
    return exitCodes.fault;
  }
  return exitCodes.done;
}

/** Returns the server, with TLS if the settings name a certificate. */
function serverOf(
  { settings: { tls, trustedProxies = [] }, logger }: RunOptions,
  fetch: Fetch,
  before: Before,
): { readonly server: Listening; readonly certificate?: KeptCertificate } {
  const connections = new Connections(connectionBounds(limits.cloudConnections), placeIn(trustedProxies));
  if (tls === undefined) return { server: createServer(fetch, { before, connections }) };
  const { key, certificate } = readCertificate(tls);
  const server = createTlsServer(fetch, key, certificate, { before, connections });
  return {
    server,
    certificate: new KeptCertificate(server, tls, { key, certificate }, { clock: systemClock, logger }),
  };
}

/** A running cloud, and what answers its requests. */
interface Occupied {
  readonly occupation: Occupation;
  readonly services: Services;
  readonly allowances: Allowances;
  readonly platform: Platform;
  readonly relay: Relay;
  readonly requests: RequestFigures;
  /** Renders all metrics for `GET /metrics`. */
  readonly render: () => string;
  /** Whether it is later than `limits.admitLateMs`. */
  readonly isLate: () => boolean;
  /** Ends counting the limits over all processes, and how late this one is. */
  readonly stopCounting: () => void;
}

async function occupy(
  options: RunOptions,
  address: string,
  certificate: KeptCertificate | undefined,
): Promise<Occupied> {
  const { folder, release, settings, logger } = options;
  const { promise, resolve } = Promise.withResolvers<Omit<Occupied, "occupation">>();
  const consoleOf = (cloud: Cloud): ReturnType<typeof createConsole> => {
    const { requestsPerMinute = limits.relayRequestsPerMinute } = settings.relay ?? {};
    const relay = openRelay(
      cloud,
      systemClock,
      (error) => options.logger.error({ error }, "a request failed"),
      { ...limits, relayRequestsPerMinute: requestsPerMinute },
    );
    const allowances = new Allowances();
    const services = servicesOf(options, cloud, address);
    const originOf = trustIn(settings.trustedProxies ?? []);
    const shared = { ...services, relay, allowances, originOf };
    const { address: at = address } = settings;
    const platform = openPlatform({
      ...shared,
      newId: randomUUID,
      random: randomBytes,
      addressOfCloud: () => at,
      ...(settings.egress && { egressNetworks: settings.egress.networks }),
    });
    const limited = [allowances, relay, platform.graph];
    const stopRates =
      settings.bus === undefined
        ? () => {}
        : shareRates({ ...cloud, clock: systemClock, newId: randomUUID }, limited);
    const requests = new RequestFigures();
    const certificateNow = (): CertificateState | null => certificate?.state ?? null;
    const figures = [requests, platform.graph.figures];
    const render = (): string => {
      const { bavail, bsize } = statfsSync(folder);
      return renderFigures(services, relay, platform, figures, certificateNow(), bavail * bsize);
    };
    const lateness = new Lateness(looking);
    const isLate = (): boolean => lateness.ms > limits.admitLateMs;
    const stopCounting = (): void => {
      stopRates();
      lateness.stop();
    };
    resolve({ services, allowances, platform, relay, requests, render, isLate, stopCounting });
    const shown = { folder, release, address, relay, certificate: certificateNow };
    return createConsole(services, { ...shown, renderMetrics: render });
  };
  const own = {
    ...options,
    addresses: addressesOf(settings, address),
    issuer: settings.issuer ?? settings.address ?? "ledge-cloud",
    clock: systemClock,
    newId: randomUUID,
    random: randomBytes,
    onFatal: (error: Error): never => {
      logger.fatal({ error }, "a fatal error stops the cloud");
      process.exit(exitCodes.fault);
    },
  };
  const { store } = settings;
  const joined = { ...own, ...processesIn(settings) };
  const storage = store === undefined ? {} : { openStorage: () => fleetStorage({ ...joined, store }) };
  const occupation = await occupyFolder({ ...own, ...storage }, consoleOf);
  return { occupation, ...(await promise) };
}

/** Returns what the settings say of other processes. */
function processesIn({
  bus,
  cluster: { listen: peer, url: nodeUrl } = {},
}: CloudSettings): Pick<FleetStorageOptions, "bus" | "nodeUrl" | "peer"> {
  return {
    ...(bus !== undefined && { bus }),
    ...(peer !== undefined && { peer: listenIn(peer) }),
    ...(nodeUrl !== undefined && { nodeUrl }),
  };
}

/** Looking how late the process is keeps none from its end. */
const looking: Pick<Clock, "after" | "monotonic"> = {
  ...systemClock,
  after(ms, callback) {
    const timer = setTimeout(callback, ms).unref();
    return () => clearTimeout(timer);
  },
};

/** Loads what only a fleet needs. */
async function fleetStorage(options: FleetStorageOptions): Promise<Storage> {
  const { openFleetStorage } = await import("./storage/fleet-storage.ts");
  return openFleetStorage(options);
}

function servicesOf({ folder, settings, logger }: RunOptions, cloud: Cloud, listening: string): Services {
  const { address = listening, mail } = settings;
  const mailer =
    mail === undefined ? folderMailer(mailFolder(folder), () => systemClock.wall()) : smtpMailer(mail);
  return {
    cloud,
    mail: new CloudMail(mailer, () => address, logger, systemClock),
    bearers: new Bearers(cloud, () => namesAt(address)),
    lan: new LanAddresses(),
    clock: systemClock,
    logger,
  };
}

/** Returns the folder for mails when no mail server is configured. */
function mailFolder(folder: string): string {
  return join(folder, "mail");
}

function announce(
  { release, folder, settings: { mail, store, bus }, print, logger }: RunOptions,
  address: string,
): void {
  logger.info({ release, address }, "the cloud is serving");
  print(`Ledge cloud ${release}`);
  print(`  API   ${address}`);
  print(`  data  ${folder}`);
  if (store !== undefined) print(`  store ${shownAddress(store)}`);
  if (bus !== undefined) print(`  bus   ${shownAddress(bus)}`);
  print(`  mail  ${mail === undefined ? mailFolder(folder) : `${mail.host}:${mail.port}`}`);
}

async function signalled(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  // One Ctrl-C may arrive several times: from the terminal and from each parent process.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => resolve());
  await promise;
}

function refuse(exitCode: number, message: string): number {
  process.stderr.write(`${terminalLine(message)}\n`);
  return exitCode;
}
