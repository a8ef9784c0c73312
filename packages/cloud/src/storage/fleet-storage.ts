import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { type Bus, memoryBus, type RegisterStore } from "@ledge/fleet";
import { connectNatsBus } from "@ledge/fleet-nats";
import {
  openPostgresLog,
  openPostgresRegisterStore,
  PersonalKeyTable,
  type PostgresLog,
} from "@ledge/fleet-postgres";
import { logFolder } from "@ledge/host/folder";
import type { SecretKeys } from "@ledge/host/secrets/keys";
import { type Kernel, openFollower, openKernel, type Submission } from "@ledge/kernel";
import { Cluster } from "../cluster/cluster.ts";
import { answerSubmission, Following, logTopic } from "../cluster/following.ts";
import { Nodes } from "../cluster/nodes.ts";
import { PeerLink } from "../cluster/peer-link.ts";
import { LogError } from "@ledge/log";
import { limits } from "@ledge/model";
import { nodeOf } from "../folder/folder.ts";
import { installationId } from "../model/installation.ts";
import type { CloudStates } from "../model/states.ts";
import { SharedKeys } from "./shared-keys.ts";
import type { Storage, StorageOptions } from "./storage.ts";
import { WriterLease } from "./writer-lease.ts";

export interface FleetStorageOptions extends StorageOptions {
  /** As of `openPostgresRegisterStore`. */
  readonly store: string;
  /** As of `connectNatsBus`; absent for a cloud of one process. */
  readonly bus?: string;
  /** Where this process listens for the others of the cloud (default: on 127.0.0.1, any port). */
  readonly peer?: { readonly host: string; readonly port: number };
  /** The URL under which clients reach this process alone. */
  readonly nodeUrl?: string;
  readonly newId: () => string;
  /** Called when another process writes the log, so that this one must end. */
  readonly onFatal: (error: Error) => void;
}

/**
 * Keeps what a cloud knows in a database, and shares news over a broker. The data folder has this process's keys alone. One
 * process at a time writes; others follow it, and take over when it is gone.
 * @throws Error when the folder has a log of its own; RegisterStoreError when the database does not answer
 */
export async function openFleetStorage(options: FleetStorageOptions): Promise<Storage> {
  const { folder, store: url, registerBounds: bounds } = options;
  if (existsSync(logFolder(folder)))
    throw new Error(`${folder} has a log of its own: import it into the database, or use another folder`);
  const registers: RegisterStore = await openPostgresRegisterStore({ url, ...(bounds && { bounds }) });
  try {
    const news = { back: (): void => {} };
    const bus = await openBus(options, () => news.back());
    const storage = new FleetStorage(options, registers, bus);
    news.back = () => storage.newsLost();
    return storage;
  } catch (error) {
    await registers.close();
    throw error;
  }
}

async function openBus({ bus: url, clock, logger }: FleetStorageOptions, onBack: () => void): Promise<Bus> {
  const after = (ms: number, callback: () => void): (() => void) => clock.after(ms, callback);
  const onError = (error: unknown): void => logger.error({ error }, "a message of the bus failed");
  if (url === undefined) return memoryBus({ after, onError });
  const onConnected = (isConnected: boolean): void => {
    logger.warn({ isConnected }, "the broker was lost, or is back");
    if (isConnected) onBack();
  };
  return connectNatsBus({ url, after, onError, onConnected });
}

const nothing = Buffer.alloc(0);

/** What joined the cloud once its keys were there. */
interface Joined {
  readonly cluster: Cluster;
  readonly lease: WriterLease;
  readonly following: Following;
}

class FleetStorage implements Storage {
  readonly #options: FleetStorageOptions;
  readonly #registers: RegisterStore;
  readonly #bus: Bus;
  readonly #keyTable: PersonalKeyTable;
  #link: PeerLink | undefined;
  #joined: Joined | undefined;
  #keys: SharedKeys | undefined;
  #log: PostgresLog | undefined;
  #kernel: Kernel<CloudStates> | undefined;
  /** Of the lease, when this process writes from the start. */
  #epoch: number | undefined;
  #begin: () => Promise<void> = async () => {};
  #isLeaving = false;

  constructor(options: FleetStorageOptions, registers: RegisterStore, bus: Bus) {
    this.#options = options;
    this.#registers = registers;
    this.#bus = bus;
    this.#keyTable = new PersonalKeyTable(options.store);
  }

  get cluster(): Cluster {
    return this.#in.cluster;
  }

  /** The broker is back, and what was published meanwhile is lost. */
  newsLost(): void {
    this.#joined?.cluster.newsLost();
  }

  get #in(): Joined {
    if (this.#joined === undefined) throw new Error("the process has not joined the cloud yet");
    return this.#joined;
  }

  /** Whether this process writes the log: from the start, or since it has taken over. */
  get #isWriting(): boolean {
    return this.#epoch !== undefined || this.#in.following.isLeading;
  }

  async openKeys(secrets: SecretKeys): Promise<SharedKeys> {
    const { folder, newId, clock, logger, onFatal, nodeUrl = "", peer } = this.#options;
    const registers = this.#registers;
    const link = (this.#link = new PeerLink(secrets));
    const address = await link.listen(peer?.host ?? "127.0.0.1", peer?.port ?? 0);
    const own = { name: nodeOf(folder, newId), instance: newId(), address, url: nodeUrl };
    const nodes = new Nodes({ registers, own, clock, logger });
    const { name: node, instance } = own;
    const lease = new WriterLease({ registers, node, instance, address, clock, logger, onFatal });
    const following = new Following({
      readOn: () => this.#readOn(),
      take: () => lease.take(),
      lead: (epoch) => this.#lead(epoch),
      writer: () => lease.writer(),
      link,
      bus: this.#bus,
      clock,
      logger,
      onFatal,
    });
    const cluster = new Cluster(nodes, link, {
      fresh: () => following.fresh(),
      figures: () => {
        const isWriting = this.#isWriting;
        return { isWriting, leaseAgeMs: lease.ageMs, behindMs: isWriting ? 0 : following.behindMs };
      },
    });
    this.#joined = { cluster, lease, following };
    this.#epoch = await lease.take();
    // Whoever held the lease before makes no more keys.
    this.#keys = await SharedKeys.open(this.#keyTable, secrets, logger);
    await nodes.begin();
    return this.#keys;
  }

  async openLog(sealing: Parameters<Storage["openLog"]>[0]): Promise<PostgresLog> {
    const { lease } = this.#in;
    const epoch = this.#epoch;
    this.#log = await openPostgresLog({
      url: this.#options.store,
      sealing,
      before: async () => this.#keys?.flush(),
      onOutage: (reason) => lease.noteLog(reason),
      ...(epoch === undefined ? { isFollowing: true } : { fence: { lease: lease.name, epoch } }),
    });
    // Keys may have been made since, for what was read.
    await this.#keys?.refresh();
    return this.#log;
  }

  openKernel(options: Parameters<NonNullable<Storage["openKernel"]>>[0]): Kernel<CloudStates> {
    const { following, lease, cluster } = this.#in;
    if (this.#epoch === undefined) {
      const kernel = openFollower<CloudStates>({ ...options, follows: (asked) => following.submit(asked) });
      const isFounded = (): boolean =>
        kernel.get("installation", installationId) !== undefined && kernel.size("signingKey") > 0;
      this.#begin = () => following.begin(kernel, isFounded);
      this.#kernel = kernel;
    } else {
      this.#kernel = openKernel(options);
      lease.attach(this.#kernel);
    }
    const kernel = this.#kernel;
    cluster.serve("submit", (asked) => answerSubmission(kernel, asked as Submission));
    kernel.subscribe({
      published: () => {
        if (kernel.health.state !== "following" && !this.#isLeaving) this.#bus.publish(logTopic, "", nothing);
      },
    });
    return kernel;
  }

  attach(): Promise<void> {
    return this.#begin();
  }

  onLeading(callback: () => void): void {
    if (this.#isWriting) callback();
    else this.#in.following.onLeading(callback);
  }

  async #readOn(): Promise<boolean> {
    const isNew = (await this.#log?.catchUp()) ?? false;
    if (isNew) await this.#keys?.refresh();
    return isNew;
  }

  async #lead(epoch: number): Promise<void> {
    const { lease } = this.#in;
    await this.#log?.lead({ lease: lease.name, epoch });
    await this.#keys?.refresh();
    if (this.#kernel === undefined || this.#log === undefined) return;
    if (this.#log.last < this.#kernel.timestamp)
      throw new LogError("failed", "the database has lost what it had acknowledged");
    lease.attach(this.#kernel);
  }

  async openRegisters(): Promise<RegisterStore> {
    return this.#registers;
  }

  async openBus(): Promise<Bus> {
    return this.#bus;
  }

  leave(): void {
    const { lease, following } = this.#in;
    this.#isLeaving = true;
    following.stop();
    if (lease.isOut) this.#log?.abandon();
  }

  async close(): Promise<void> {
    const joined = this.#joined;
    joined?.following.stop();
    await joined?.cluster.nodes.leave();
    await joined?.lease.release();
    // Whoever submits here learns by the answer that another process writes. Of a request that is cut off nobody knows
    // whether it was stored.
    if (joined !== undefined) await setTimeout(limits.peerLeaveMs);
    await this.#link?.close();
    // A second time does nothing.
    await this.#bus.close();
    await this.#keyTable.close();
    await this.#registers.close();
  }
}
