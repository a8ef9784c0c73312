import { randomBytes, randomUUID } from "node:crypto";
import { totalmem } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { ApiOptions, Authority, HubPorts, Machine, Row, ProcessLog } from "@ledge/api";
import {
  Authentication,
  createApi,
  EventStreams,
  Logins,
  noUpdates,
  PollWaits,
  rows,
  unavailableRows,
} from "@ledge/api";
import { RequestFigures, webPolicy } from "@ledge/link";
import { Outgoing } from "@ledge/link/outgoing";
import type { Kernel } from "@ledge/kernel";
import { limits } from "@ledge/model";
import { catalogue, DraftRules, installing, offeredTemplates, refusalOf, ruleDiagram } from "@ledge/rules";
import { AskedBackups } from "./backup/asked-backups.ts";
import { withFeatureStarted } from "./adapters/adapter-features.ts";
import { adapterSettings } from "./adapters/adapter-settings.ts";
import { clientAddress } from "./cloud/tunnel-server.ts";
import { RemoteCalls } from "./cloud/remote-calls.ts";
import { ClaimWindow } from "./users/claim-window.ts";
import { consoleRows } from "./console/console.ts";
import { Devices } from "./devices/devices.ts";
import { BrokerInUse } from "./devices/mqtt-broker.ts";
import { History } from "./history/history.ts";
import { type Examined, factsOf } from "./health/facts.ts";
import { dryRunOver } from "./rules/dry-run.ts";
import { hostNameOf } from "./discovery/records.ts";
import { figures, measureLoop } from "./process/figures.ts";
import { ModbusService } from "./modbus/modbus-server.ts";
import { probeIp } from "./network/ip-probe.ts";
import { CloudLink } from "./cloud/cloud-link.ts";
import { establishOwner } from "./cloud/establish-owner.ts";
import type { IdentityKey } from "./secrets/identity-key.ts";
import { LogRing } from "./process/log-ring.ts";
import { RingLog } from "./process/ring-log.ts";
import { lanAddresses } from "./network/lan-addresses.ts";
import { noMachine } from "./process/machine.ts";
import { profileGuard } from "./network/profile-guard.ts";
import { openOutside } from "./network/outside.ts";
import { PastThreads } from "./past/past-threads.ts";
import { Presence } from "./users/presence.ts";
import { proposeRules } from "./rules/rule-proposals.ts";
import { quotasOf } from "./profile.ts";
import { sealingOf } from "@ledge/host/sealed-fields";
import { type Fetch, keyShown } from "@ledge/host/server";
import { openWebFolder } from "@ledge/host/web-folder";
import { stickServices } from "@ledge/serial";
import type { Browsing } from "./discovery/responder.ts";
import { NetworkSticks } from "./serial/network-sticks.ts";
import { Radios } from "./serial/radios.ts";
import { Sticks } from "./serial/sticks.ts";
import { sha256 } from "./start/kernel-parts.ts";
import type { BeginOptions, Begun } from "./start/begin.ts";
import { begin } from "./start/begin.ts";
import { adoptCertificate } from "./tls/adopt-certificate.ts";
import { OwnDevice } from "./update/own-device.ts";
import type { Updates } from "./update/updates.ts";
import { CertificateAlarms } from "./tls/certificate-alarms.ts";
import type { Https, HttpsState } from "./tls/https.ts";
import { notServed } from "./tls/https.ts";
import { apiVersion, release } from "./version.ts";

export interface HubOptions extends BeginOptions {
  /** Default: a machine that cannot be restarted or turned off. */
  readonly machine?: Machine;
  /** Default: an empty one. */
  readonly processLog?: ProcessLog;
  /** The address of the API, once it is served. */
  readonly address: () => string | null;
  /** The folder with the machine's /dev and /sys. Default: / */
  readonly systemRoot?: string;
  /** The folder with the built web interface. Default: that of the product. */
  readonly webFolder?: string;
  /** The updates of the machine. Default: it has none. */
  readonly updates?: Updates | undefined;
  /** The state of HTTPS. Default: not served. */
  readonly https?: () => HttpsState;
}

/** Where `scripts/web.ts` builds the web interface: beside the sources, or beside the bundles. */
const webFolderOfProduct = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../ui/dist" : "../ui", import.meta.url),
);

/** A hub in this process. */
export interface RunningHub {
  readonly kernel: Kernel;
  readonly hubId: string;
  /** The files of the data folder that are lost now. */
  readonly lost: Begun["lost"];
  /** Returns the API for one listener. */
  app(listener: ApiOptions["listener"]): ReturnType<typeof createApi>;
  /**
   * Starts the adapters of the profile, sends messages and reads prices. Until an adapter is up, the API
   * answers with known states. In safe mode and rescue nothing starts, because the stored values of adapters
   * are not available.
   */
  startAdapters(): void;
  /** Looks for coordinators on the network while an adapter has no radio. */
  readonly browsing: Browsing;
  /** The code with which somebody at the hub claims it; undefined once it has an owner. */
  setupCode(): string | undefined;
  /** Takes note of the certificate. Call this when HTTPS is set up and whenever the certificate changes. */
  showsCertificate(https: Pick<Https, "state" | "validity">): void;
  close(): Promise<void>;
}

/** Opens the log, creates the hub in a new log, and connects API and devices to the kernel. */
export async function openHub(options: HubOptions): Promise<RunningHub> {
  const { profile, clock, logger, systemRoot = "/" } = options;
  const begun = await begin(options);
  const { kernel, hubId, notes, identity, close } = begun;
  const network = new NetworkSticks(clock);
  const parts = partsOf(options, begun, network);
  const { presence, devices, loop, streams, pollWaits, sticks, history } = parts;
  const radios = new Radios({ kernel, clock, notes, logger, sticks, devices, systemRoot, network });
  const mqtt = new BrokerInUse({ kernel, logger, devices, profile: profile.adapters["mqtt"] });
  const outside = openOutside(options, { kernel, notes, hubId }, parts.outgoing);
  const machine = options.updates && new OwnDevice({ kernel, notes, updates: options.updates });
  const link = linkOf(options, begun, (request, env) => remote().fetch(request, env));
  const ports = portsOf(options, begun, link, parts);
  const auth = new Authentication(ports, authorityOf(link, identity));
  const console = consoleOf(options, begun, link, parts);
  const app = apisOf(ports, auth, console);
  let expiry: CertificateAlarms | undefined;
  let remoteApp: ReturnType<typeof createApi> | undefined;
  const remote = (): ReturnType<typeof createApi> => (remoteApp ??= app("remote"));
  return {
    kernel,
    hubId,
    lost: begun.lost,
    app,
    startAdapters: () => {
      const { state } = kernel.health;
      if (state !== "serving" && state !== "read-only") return;
      devices.start({ ...sticks.settings(), ...mqtt.settings() });
      mqtt.start();
      radios.start();
      outside.start();
      parts.modbus.start();
      link?.start();
      history.start();
      machine?.start().catch((error: unknown) => logger.error({ error }, "the hub has no device of its own"));
    },
    browsing: {
      wanted: () => (sticks.withoutRadio().includes("zigbee") ? stickServices : []),
      heard: (records) => network.heard(records),
    },
    setupCode: () => (kernel.get("hub", hubId)?.state === "claimed" ? undefined : parts.claim.code),
    showsCertificate: (https) => {
      // Only for the hub's own certificate: whoever configures another vouches for its fingerprint.
      if (profile.certificate === undefined) adoptCertificate(https.state, { kernel, notes, hubId });
      expiry ??= new CertificateAlarms({ kernel, clock, notes, hubId }, () => https.validity);
      expiry.look();
    },
    close: async () => {
      streams.close();
      pollWaits.close();
      presence.stop();
      radios.stop();
      mqtt.stop();
      expiry?.stop();
      machine?.stop();
      await Promise.all([devices.stop(), outside.stop(), link?.stop(), parts.modbus.stop()]);
      await parts.remoteCalls.stop();
      await Promise.all([parts.past.close(), history.stop()]);
      loop.disable();
      await close();
    },
  };
}

/** Returns the parts that only the console can reach. */
function consoleOf(
  { profile, folder, clock, address, https, updates }: HubOptions,
  { sealing, identity, lost }: Begun,
  link: CloudLink | undefined,
  { devices, history, claim }: Parts,
): readonly Row[] {
  return consoleRows({
    profile: profile.name,
    folder,
    startedAt: clock.monotonic(),
    address,
    https: https ?? (() => notServed),
    devices,
    history,
    link,
    claim,
    updates,
    identity,
    lost,
    secrets: sealingOf(sealing.secrets),
  });
}

/** Returns the APIs of the listeners. */
function apisOf(ports: HubPorts, auth: Authentication, console: readonly Row[]): RunningHub["app"] {
  const requests = new RequestFigures();
  const { kernel } = ports;
  return (listener) => {
    const { state, reason } = kernel.health;
    const known = kernel.size("hub") > 0 ? rows : unavailableRows(rows, reason ?? state);
    const served: readonly Row[] = listener === "console" ? [...known, ...console] : known;
    const callers = listener === "remote" ? { addressOf: clientAddress } : { keyShown };
    return createApi({ rows: served, ports, listener, auth, figures: requests, ...callers });
  };
}

/** Returns the reader of the past and the history index. */
function pastOf(
  { profile, folder, clock, logger }: HubOptions,
  kernel: Kernel,
  hubId: string,
): Pick<Parts, "past" | "history"> {
  const { historyBytes: quotaBytes } = quotasOf(profile, totalmem());
  const history = new History({ kernel, folder, quotaBytes, clock, logger });
  const past = new PastThreads({ kernel, folder, hubId, version: apiVersion, clock, logger, history });
  return { past, history };
}

/** Returns the parts that the API needs. */
function partsOf(options: HubOptions, { kernel, hubId, notes }: Begun, network: NetworkSticks): Parts {
  const { profile, folder, clock, logger, systemRoot = "/" } = options;
  return {
    presence: new Presence(kernel, clock),
    devices: new Devices({
      kernel,
      folder,
      clock,
      logger,
      notes,
      memoryMb: profile.adapterMemoryMb ?? limits.adapterMemoryMb,
      random: Math.random,
    }),
    loop: measureLoop(),
    streams: new EventStreams(kernel, clock),
    pollWaits: new PollWaits(kernel, clock),
    claim: new ClaimWindow(clock, profile, randomBytes),
    remoteCalls: new RemoteCalls(kernel, clock, hubId),
    sticks: new Sticks({
      kernel,
      adapters: adapterSettings(withFeatureStarted(profile.adapters), profile, resolve(folder)),
      systemRoot,
      network,
    }),
    modbus: new ModbusService({ kernel, clock, logger, host: profile.host, version: apiVersion }),
    ...pastOf(options, kernel, hubId),
    outgoing: new Outgoing(profileGuard(profile)),
  };
}

/** The parts that the API needs. */
interface Parts {
  readonly presence: Presence;
  readonly devices: Devices;
  readonly loop: ReturnType<typeof measureLoop>;
  readonly streams: EventStreams;
  readonly pollWaits: PollWaits;
  readonly claim: ClaimWindow;
  readonly remoteCalls: RemoteCalls;
  readonly sticks: Sticks;
  readonly modbus: ModbusService;
  readonly past: PastThreads;
  readonly history: History;
  readonly outgoing: Outgoing;
}

function portsOf(
  { profile, folder, clock, logger, machine = noMachine, processLog, webFolder, https, updates }: HubOptions,
  { kernel, hubId, identity, lost }: Begun,
  link: CloudLink | undefined,
  parts: Parts,
): HubPorts {
  const { presence, devices, loop, streams, pollWaits, claim, sticks, history, outgoing } = parts;
  const hostNames = [...(profile.hostNames ?? []), hostNameOf(hubId)].map((name) => name.toLowerCase());
  const examined: Examined = {
    kernel,
    clock,
    profile: profile.name,
    folder,
    startedAt: clock.monotonic(),
    adapters: () => devices.statuses(),
    sticks: () => sticks.list(),
    history: () => history.status,
    link,
    https: https ?? (() => notServed),
    lost,
  };
  return {
    kernel,
    clock,
    hubId,
    meta: () => ({ version: apiVersion, connected: link?.connected ?? false, cloud: link?.url ?? null }),
    presence,
    claim: {
      closed: () => claim.closed(),
      openForMs: () => claim.openForMs(),
      wrongCode: (code) => claim.wrongCode(code),
      origins: claim.origins,
      establish: establishOwner(link),
    },
    logins: new Logins(clock, randomBytes),
    localKeys: localKeysOf(kernel, hubId, identity),
    sticks,
    modbusServer: parts.modbus,
    issuerKeys: () => link?.keys ?? new Map(),
    streams,
    pollWaits,
    metrics: () => figures({ kernel, devices, loop, link, history, pollWaits, streams }),
    scrapeToken: process.env["LEDGE_SCRAPE_TOKEN"] ?? null,
    hostNames: () => hostNames,
    switchUnrecorded: (submission) => devices.switchUnrecorded(submission),
    mayAsk: (address) => outgoing.mayAsk(address, true),
    probe: (address, port) => probeIp(address, port),
    offering: (type, among) => devices.offering(type, among),
    ask: (request, asking) => devices.request(request, asking),
    ruleTemplates: (language) => offeredTemplates(catalogue, kernel, language),
    ruleRefusal: (configs, replaces) =>
      refusalOf(configs, replaces, new DraftRules(catalogue, kernel, kernel.now())),
    proposeRules: proposeRules(kernel, parts.past),
    dryRun: dryRunOver(kernel, parts.past),
    installing: (source) => installing(source, sha256),
    ruleDiagram: (of) => ruleDiagram(catalogue, kernel, of),
    machine,
    past: parts.past,
    remoteCalls: parts.remoteCalls,
    web: webOf(profile, webFolder),
    health: () => factsOf(examined),
    updates: updates ?? noUpdates(release),
    backups: new AskedBackups({ kernel, folder, logger }),
    processLog: processLog ?? new RingLog(new LogRing()),
    log: (level, message, fields) => logger[level](fields, message),
  };
}

function webOf({ cloud }: HubOptions["profile"], folder = webFolderOfProduct): HubPorts["web"] {
  const origins = cloud === null ? [] : [new URL(cloud.url).origin];
  return { files: openWebFolder(folder), policy: webPolicy(origins) };
}

function localKeysOf(kernel: Kernel, hubId: string, identity: IdentityKey): HubPorts["localKeys"] {
  return {
    problem: () => identity.problem,
    async sign(record, user) {
      const hub = kernel.get("hub", hubId);
      if (hub === undefined) throw new Error("the log holds no hub");
      return identity.signLocal(hub, record, user);
    },
  };
}

function authorityOf(link: CloudLink | undefined, identity: IdentityKey): Authority {
  return {
    issuers: () => [
      { name: identity.name, keys: identity.keys, lifetimeMs: limits.recoveredKeyMs },
      { name: identity.localName, keys: identity.keys, lifetimeMs: limits.localKeyMs },
      ...(link?.issuer === undefined
        ? []
        : [{ name: link.issuer, keys: link.keys, lifetimeMs: limits.hubKeyMs }]),
    ],
    ownName: identity.name,
    localName: identity.localName,
    generation: () => identity.generation + (link?.generation ?? 0),
    authorizationsSynced: () => link?.seq ?? 0,
  };
}

function linkOf(
  { profile: { cloud }, clock, logger, address }: HubOptions,
  { kernel, hubId, notes, identity }: Begun,
  fetch: Fetch,
): CloudLink | undefined {
  if (cloud === null) return undefined;
  return new CloudLink({
    url: cloud.url,
    kernel,
    hubId,
    notes,
    identity,
    instance: randomUUID(),
    clock,
    logger,
    random: Math.random,
    version: apiVersion,
    fetch,
    lanAddresses: () => lanAddresses(address()),
  });
}
