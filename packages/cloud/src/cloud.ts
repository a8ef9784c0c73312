import { setImmediate } from "node:timers/promises";
import type { Bus, RegisterStore, SourceBounds } from "@ledge/fleet";
import type { Logger } from "@ledge/host/logger";
import { destroyForgotten } from "@ledge/host/personal/forgetting";
import { sealingOf } from "@ledge/host/sealed-fields";
import { sealingWith } from "@ledge/host/sealing";
import { SecretKeys } from "@ledge/host/secrets/keys";
import { type Clock, type Kernel, openKernel } from "@ledge/kernel";
import type { EventLog, Sealing } from "@ledge/log";
import { limits } from "@ledge/model";
import { goneLog } from "./folder/folder.ts";
import { Clones } from "./hubs/clones.ts";
import { Digests } from "./keys/digests.ts";
import type { Cluster } from "./cluster/cluster.ts";
import { Directory } from "./accounts/directory.ts";
import { Hubs } from "./hubs/hubs.ts";
import { type HubSessions, KeptSessions, SignedSessions } from "./hubs/hub-sessions.ts";
import { Logins } from "./accounts/logins.ts";
import { LogShares } from "./accounts/log-shares.ts";
import { authorizationEvents } from "./model/authorization-events.ts";
import { AccountForgotten } from "./model/account.ts";
import { cloudAggregates, cloudDeclared } from "./model/index.ts";
import { installationId } from "./model/installation.ts";
import type { CloudStates } from "./model/states.ts";
import { Artifacts } from "./oauth/artifacts.ts";
import { Clients } from "./oauth/clients.ts";
import { Operation } from "./console/operation.ts";
import type { CloudParts } from "./parts.ts";
import { refusalOf, timeOf } from "./model/submitting.ts";
import type { Addresses } from "./settings.ts";
import { Sharing } from "./hubs/sharing.ts";
import { SigningKeys } from "./keys/signing-keys.ts";
import { embeddedStorage, type Storage } from "./storage/storage.ts";
import { Tenancy } from "./tenancy/tenancy.ts";

/** Options of `openCloud`. */
export interface CloudOptions {
  /** The data folder; the caller holds its lock. */
  readonly folder: string;
  /** The issuer name in everything that this cloud signs, such as its address. */
  readonly issuer: string;
  /** Where hubs reach it; absent for a cloud that no hub reaches. */
  readonly addresses?: Addresses;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Random bytes from a cryptographic source. */
  readonly random: (size: number) => Uint8Array;
  readonly logger: Logger;
  /** Called when the process must end. */
  readonly onFatal: (error: Error) => void;
  /** Part of the snapshot's format: another release replays the log. */
  readonly release: string;
  /** How much of its home each hub may have in its register; default: as in `limits`. */
  readonly registerBounds?: SourceBounds;
  /** Default: the data folder. Closed with the cloud, and when it cannot be opened. */
  readonly storage?: Storage;
}

/** A cloud in this process, without a listener. */
export interface Cloud {
  readonly kernel: Kernel<CloudStates>;
  readonly issuer: string;
  readonly signingKeys: SigningKeys;
  readonly logins: Logins;
  readonly hubs: Hubs;
  readonly clones: Clones;
  readonly sharing: Sharing;
  readonly logShares: LogShares;
  readonly operation: Operation;
  readonly directory: Directory;
  readonly tenancy: Tenancy;
  readonly clients: Clients;
  /** What the OAuth2 server remembers. */
  readonly artifacts: Artifacts;
  /** What the platform knows of all registers. */
  readonly registers: RegisterStore;
  readonly bus: Bus;
  /** What joins this process with others of the same cloud; absent for a cloud of one process. */
  readonly cluster?: Cluster;
  /** Calls back once this process writes the log: at once, unless it follows another. */
  onLeading(callback: () => void): void;
  readonly digests: Digests;
  /** The log itself, for what follows it. */
  readonly log: Pick<EventLog, "follow" | "last">;
  /** Seals and opens secrets, for a backup and for the outboxes of sites. */
  readonly secrets: Pick<Sealing, "open" | "seal">;
  /**
   * Calls back with a hub and the number of its authorization list whenever the list changes.
   * @returns a function that unsubscribes
   */
  onAuthorizations(callback: (hubId: string, seq: number) => void): () => void;
  /**
   * Calls back with a hub when its id no longer belongs to its key.
   * @returns a function that unsubscribes
   */
  onHubRemoved(callback: (hubId: string) => void): () => void;
  close(): Promise<void>;
}

/**
 * Opens the log of a cloud; a new log gets a digest key and a first signing key.
 * @throws LogError, EvolveError; Error when the signing keys cannot be read. Nothing stays open then.
 */
export async function openCloud(options: CloudOptions): Promise<Cloud> {
  const { storage = embeddedStorage(options) } = options;
  try {
    return await openOn(storage, options);
  } catch (error) {
    await storage.close();
    throw error;
  }
}

async function openOn(storage: Storage, options: CloudOptions): Promise<Cloud> {
  const { folder, issuer, clock, newId, random, logger } = options;
  const secretKeys = new SecretKeys(folder);
  const sealing = sealingWith(secretKeys, await storage.openKeys(secretKeys), cloudDeclared);
  const log = await storage.openLog(sealing);
  const logShares = new LogShares(clock);
  const kernel = await openKernelOn(log, options, logShares);
  const onLeading = (callback: () => void): void =>
    storage.onLeading === undefined ? callback() : storage.onLeading(callback);
  try {
    await storage.attach?.();
    const digests = await openDigests(kernel, options);
    const signingKeys = await SigningKeys.open(kernel);
    const directory = new Directory(kernel);
    const tenancy = new Tenancy(kernel);
    onLeading(() => recount(logShares, kernel, logger));
    const { addresses = { known: [], here: [] } } = options;
    const own = { signingKeys, issuer, addresses };
    const parts: CloudParts = { kernel, clock, directory, tenancy, digests, ...own, newId, random };
    kernel.subscribe({
      stateChanged: (state) =>
        logger.warn({ state, reason: kernel.health.reason }, "the state of the log has changed"),
    });
    const stopForgetting = destroyingForgotten(kernel, sealing.personalKeys, clock, logger);
    const clones = new Clones(parts, logger);
    const sharing = new Sharing(parts);
    const clients = new Clients(parts, sharing);
    const onError = (error: Error): void => logger.error({ error }, "OAuth2 could not forget something");
    const artifacts = new Artifacts({ kernel, digests, clock, onError });
    const registers = await storage.openRegisters(() => kernel.now());
    const bus = await storage.openBus();
    return {
      kernel,
      issuer,
      signingKeys,
      logins: new Logins(parts),
      hubs: new Hubs(parts, sessionsOf(parts, storage)),
      clones,
      sharing,
      logShares,
      operation: new Operation(parts, artifacts),
      directory,
      tenancy,
      clients,
      artifacts,
      registers,
      bus,
      onLeading,
      ...(storage.cluster && { cluster: storage.cluster }),
      digests,
      log,
      // Personal names stay sealed in a backup, and their keys go along.
      secrets: sealingOf(sealing.secrets),
      onAuthorizations: (callback) => onAuthorizations(kernel, callback),
      onHubRemoved: (callback) => onHubRemoved(kernel, callback),
      close: async () => {
        stopForgetting();
        for (const part of [logShares, clones, directory, tenancy, clients, artifacts]) part.stop();
        storage.leave?.();
        await closeAll(bus, kernel, storage);
      },
    };
  } catch (error) {
    await kernel.close();
    throw error;
  }
}

/** Closes parts in order, also behind one that fails: a failed log must not keep a lease or the registers open. */
async function closeAll(...[first, ...others]: readonly Pick<Storage, "close">[]): Promise<void> {
  try {
    await first?.close();
  } finally {
    if (others.length > 0) await closeAll(...others);
  }
}

/** Of several processes, each must know the sessions that another one has opened. */
function sessionsOf({ kernel, clock, digests }: CloudParts, { cluster }: Storage): HubSessions {
  if (cluster === undefined) return new KeptSessions(clock, digests);
  return new SignedSessions(() => timeOf(kernel), clock, digests);
}

/** Opens the kernel of a log, and closes the log when that fails. */
async function openKernelOn(
  log: EventLog,
  options: CloudOptions,
  allowance: LogShares,
): Promise<Kernel<CloudStates>> {
  try {
    const all = { ...kernelOptions(options), log, allowance };
    return options.storage?.openKernel?.(all) ?? openKernel<CloudStates>(all);
  } catch (error) {
    await log.close();
    throw error;
  }
}

function recount(logShares: LogShares, kernel: Kernel<CloudStates>, logger: Logger): void {
  logShares.recount({ log: kernel.log, now: kernel.now() }).catch((error: unknown) => {
    logger.warn({ error }, "could not count what accounts have added to the log today: counting starts now");
  });
}

/** Destroys the keys of forgotten accounts. Returns a function that ends it. */
function destroyingForgotten(
  kernel: Kernel<CloudStates>,
  keys: Parameters<typeof destroyForgotten>[0]["keys"],
  clock: Clock,
  logger: Logger,
): () => void {
  const accounts = [...kernel.all("account")];
  const forgotten = accounts.flatMap(([id, account]) => (account.forgotten ? [id] : []));
  return destroyForgotten({ kernel, forgotten, event: AccountForgotten.type, keys, clock, logger });
}

function kernelOptions({ clock, newId, logger, onFatal, release }: CloudOptions) {
  return {
    aggregates: cloudAggregates,
    categories: [],
    reactions: [],
    // No client polls a cloud.
    epochEvent: "",
    clock,
    newId,
    timeTrusted: () => true,
    onError: (error: Error) => logger.error({ error }, "a background task failed"),
    onFatal,
    pause: () => setImmediate(),
    release,
    retention: {
      telemetryMs: limits.telemetryDays * 86_400_000,
      logBytes: limits.cloudLogBytes,
      onNote: (level: "info" | "warn" | "error", message: string, fields: object) =>
        logger[level](fields, message),
      onDamaged: (problem: string) => logger.error({ problem }, "the log is damaged: pruning is off"),
    },
  };
}

async function openDigests(
  kernel: Kernel<CloudStates>,
  { folder, random }: Pick<CloudOptions, "folder" | "random">,
): Promise<Digests> {
  if (kernel.get("installation", installationId) === undefined) {
    const gone = goneLog(folder, kernel.timestamp);
    if (gone !== undefined) throw new Error(gone);
    const digestKey = Buffer.from(random(32)).toString("base64url");
    const refused = await refusalOf(kernel, "system", { type: "FOUND_CLOUD", digestKey });
    if (refused !== undefined) throw new Error(refused.message);
  }
  const key: unknown = kernel.get("installation", installationId)?.secrets.digestKey;
  if (typeof key !== "string") throw new Error("the digest key cannot be read: put the secret key back");
  return new Digests(key);
}

function onHubRemoved(kernel: Kernel<CloudStates>, callback: (hubId: string) => void): () => void {
  return kernel.subscribe({
    published({ events }) {
      for (const { type, id } of events) if (type === "HubRemoved") callback(id);
    },
  });
}

const listing: ReadonlySet<string> = new Set(authorizationEvents.map(({ type }) => type));

function onAuthorizations(
  kernel: Kernel<CloudStates>,
  callback: (hubId: string, seq: number) => void,
): () => void {
  const told = new Map([...kernel.all("authorizations")].map(([id, { seq }]) => [id, seq]));
  return kernel.subscribe({
    published: ({ events }) => {
      for (const hubId of new Set(events.filter(({ type }) => listing.has(type)).map(({ id }) => id))) {
        const { seq = 0 } = kernel.get("authorizations", hubId) ?? {};
        if (seq === (told.get(hubId) ?? 0)) continue;
        told.set(hubId, seq);
        callback(hubId, seq);
      }
    },
  });
}
