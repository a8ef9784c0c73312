import type { ApiOptions, Authority, HubPorts, Machine, Row, ProcessLog } from "@ledge/api";
import { Authentication, createApi, EventStreams, RequestFigures, rows, unavailableRows } from "@ledge/api";
import type { Kernel } from "@ledge/kernel";
import { limits } from "@ledge/model";
import { catalogue, offeredTemplates } from "@ledge/rules";
import { ClaimWindow } from "./claim-window.ts";
import { consoleRows } from "./console.ts";
import { Devices } from "./devices/devices.ts";
import { hostNameOf } from "./discovery/records.ts";
import { figures, measureLoop } from "./figures.ts";
import { probeIp } from "./ip-probe.ts";
import type { DevelopmentIssuer } from "./keys/development-issuer.ts";
import { IdentityKey } from "./keys/identity-key.ts";
import { LogRing } from "./log/log-ring.ts";
import { RingLog } from "./log/ring-log.ts";
import { noMachine } from "./machine.ts";
import { openOutside } from "./outside.ts";
import { Presence } from "./presence.ts";
import type { Profile } from "./profile.ts";
import { sealingOf } from "./sealed-fields.ts";
import type { BeginOptions } from "./start/begin.ts";
import { begin } from "./start/begin.ts";
import type { HttpsState } from "./tls/https.ts";
import { apiVersion } from "./version.ts";

export interface HubOptions extends BeginOptions {
  /** Default: one that can do nothing. */
  readonly machine?: Machine;
  /** Default: an empty one. */
  readonly processLog?: ProcessLog;
  /** Where the API is served, once it is. */
  readonly address: () => string | null;
  /** How the API is served encrypted; default: not at all. */
  readonly https?: () => HttpsState;
}

/** A hub in this process: its parts put together. */
export interface RunningHub {
  readonly kernel: Kernel;
  readonly hubId: string;
  /** The API for one listener. */
  app(listener: ApiOptions["listener"]): ReturnType<typeof createApi>;
  /**
   * Starts the adapters of the profile, sends messages and reads prices; the API answers with what is known before any
   * of them is up. In safe mode and rescue nothing is started: what they keep in the log is not at hand.
   */
  startAdapters(): void;
  close(): Promise<void>;
}

/** Opens the log, brings the hub into being if the log is new, and puts API and devices around the kernel. */
export async function openHub(options: HubOptions): Promise<RunningHub> {
  const { profile, folder, clock, logger } = options;
  // First, as it may fail: nothing is open yet that would have to be closed.
  const issuer = await openIssuer(profile, folder);
  const { kernel, hubId, notes, sealing, close } = await begin(options);
  const parts: Parts = {
    issuer,
    presence: new Presence(kernel, clock),
    devices: new Devices({
      kernel,
      clock,
      logger,
      notes,
      memoryMb: profile.adapterMemoryMb ?? limits.adapterMemoryMb,
      random: Math.random,
    }),
    loop: measureLoop(),
    streams: new EventStreams(kernel, clock),
    claim: new ClaimWindow(clock, profile),
  };
  const { presence, devices, loop, streams, claim } = parts;
  const outside = openOutside(options, { kernel, notes, hubId });
  const identity = new IdentityKey(folder);
  const ports = portsOf(options, kernel, hubId, parts);
  const auth = new Authentication(ports, authorityOf(issuer, identity));
  const requests = new RequestFigures();
  const startedAt = clock.monotonic();
  const console = consoleRows({
    profile: profile.name,
    folder,
    startedAt,
    address: options.address,
    https: options.https ?? (() => ({ address: null, fingerprint: null, problem: null })),
    devices,
    issuer,
    claim,
    identity,
    secrets: sealingOf(sealing.secrets),
  });
  return {
    kernel,
    hubId,
    app: (listener) => {
      const { state, reason } = kernel.health;
      const known = kernel.size("hub") > 0 ? rows : unavailableRows(rows, reason ?? state);
      const served: readonly Row[] = listener === "console" ? [...known, ...console] : known;
      return createApi({ rows: served, ports, listener, auth, figures: requests });
    },
    startAdapters: () => {
      const { state } = kernel.health;
      if (state !== "serving" && state !== "read-only") return;
      devices.start(profile.adapters);
      outside.start();
    },
    close: async () => {
      streams.close();
      presence.stop();
      await Promise.all([devices.stop(), outside.stop()]);
      loop.disable();
      await close();
    },
  };
}

/** What the API is served from. */
interface Parts {
  readonly issuer: DevelopmentIssuer | undefined;
  readonly presence: Presence;
  readonly devices: Devices;
  readonly loop: ReturnType<typeof measureLoop>;
  readonly streams: EventStreams;
  readonly claim: ClaimWindow;
}

function portsOf(
  { profile, clock, logger, machine = noMachine, processLog }: HubOptions,
  kernel: Kernel,
  hubId: string,
  { issuer, presence, devices, loop, streams, claim }: Parts,
): HubPorts {
  const hostNames = [...(profile.hostNames ?? []), hostNameOf(hubId)].map((name) => name.toLowerCase());
  return {
    kernel,
    clock,
    hubId,
    meta: () => ({ version: apiVersion, connected: false }),
    presence,
    claim,
    issuerKeys: () => issuer?.keys ?? new Map(),
    streams,
    metrics: () => figures(kernel, devices, loop),
    scrapeToken: process.env["LEDGE_SCRAPE_TOKEN"] ?? null,
    hostNames: () => hostNames,
    switchUnrecorded: (submission) => devices.switchUnrecorded(submission),
    probe: (address, port) => probeIp(address, port),
    offering: (type, among) => devices.offering(type, among),
    ask: (request, asking) => devices.request(request, asking),
    ruleTemplates: (language) => offeredTemplates(catalogue, kernel, language),
    machine,
    processLog: processLog ?? new RingLog(new LogRing()),
    log: (level, message, fields) => logger[level](fields, message),
  };
}

function authorityOf(issuer: DevelopmentIssuer | undefined, identity: IdentityKey): Authority {
  return {
    issuers: [issuer?.name ?? "none", identity.name],
    keys: () => new Map([...(issuer?.keys ?? []), ...identity.keys]),
    generation: () => 0,
    authorizationsSynced: () => 0,
  };
}

/** Only a development profile loads the code that signs keys. */
async function openIssuer(profile: Profile, folder: string): Promise<DevelopmentIssuer | undefined> {
  if (profile.issuer !== "development") return undefined;
  const { DevelopmentIssuer } = await import("./keys/development-issuer.ts");
  return DevelopmentIssuer.open(folder);
}
