import { createHash } from "node:crypto";
import type { RegisterStore } from "@ledge/fleet";
import type { Logger } from "@ledge/host/logger";
import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import type { PeerAddress } from "./peer-link.ts";

/** A process of the cloud that lives. */
export interface Node {
  /** The name of its folder. */
  readonly name: string;
  /** This run of it. */
  readonly instance: string;
  readonly address: PeerAddress;
  /** The URL under which clients reach this process alone; empty when there is none. */
  readonly url: string;
}

export interface NodesOptions {
  readonly registers: Pick<RegisterStore, "leases" | "releaseLease" | "takeLease">;
  readonly own: Node;
  readonly clock: Pick<Clock, "after" | "monotonic">;
  readonly logger: Logger;
}

const prefix = "node ";

/**
 * Which processes live: each holds a lease that names its addresses. While the database is away the last list counts, less
 * those that do not answer.
 */
export class Nodes {
  readonly #options: NodesOptions;
  #all: readonly Node[];
  readonly #listeners = new Set<() => void>();
  readonly #unreachable = new Set<string>();
  #cancel: () => void = () => {};
  #isStopped = false;
  #renewedAt: number;

  constructor(options: NodesOptions) {
    this.#options = options;
    this.#renewedAt = options.clock.monotonic();
    this.#all = [options.own];
  }

  get own(): Node {
    return this.#options.own;
  }

  /** All processes that live, this one among them, by name. */
  get all(): readonly Node[] {
    return this.#all.filter(({ instance }) => !this.#unreachable.has(instance));
  }

  get others(): readonly Node[] {
    return this.#all.filter(({ instance }) => instance !== this.own.instance);
  }

  /** How long ago (ms) the lease of this process was last renewed. */
  get leaseAgeMs(): number {
    return this.#options.clock.monotonic() - this.#renewedAt;
  }

  /**
   * Takes the lease of this process, and reads who else lives.
   * @throws RegisterStoreError
   */
  async begin(): Promise<void> {
    const { registers, own } = this.#options;
    const name = prefix + own.name;
    // Whoever ran on this folder before is dead.
    for (const { holder } of await registers.leases(name)) await registers.releaseLease(name, holder);
    await this.#renew();
    this.#renewLater();
  }

  /** Calls back when a process has come or gone; returns a function that unsubscribes. */
  onChanged(callback: () => void): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  /** Notes whether another process answers. */
  note(instance: string, isReachable: boolean): void {
    if (isReachable !== this.#unreachable.has(instance)) return;
    if (isReachable) this.#unreachable.delete(instance);
    else this.#unreachable.add(instance);
    this.#tell();
  }

  /**
   * Returns the process that serves a name, such as a user: the same for all who see the same processes, and another one
   * only for the names of a process that has gone or come.
   */
  homeOf(name: string): Node {
    let [home, most] = [this.own, ""];
    for (const node of this.all) {
      const weight = createHash("sha256").update(`${node.name} ${name}`).digest("hex");
      if (weight > most) [home, most] = [node, weight];
    }
    return home;
  }

  /** Reads anew who lives. @throws RegisterStoreError */
  async refresh(): Promise<void> {
    if (!this.#isStopped) await this.#read();
  }

  /** Gives the lease back: the others leave this process out as soon as they read, and so does this process. */
  async leave(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#cancel();
    const { registers, own } = this.#options;
    await registers.releaseLease(prefix + own.name, holderOf(own)).catch(() => {});
    this.#all = this.others;
  }

  #renewLater(): void {
    this.#cancel = this.#options.clock.after(limits.nodeRenewMs, () => {
      this.#renew()
        .catch((error: unknown) =>
          this.#options.logger.warn({ error }, "could not tell that this node lives"),
        )
        .finally(() => {
          if (!this.#isStopped) this.#renewLater();
        });
    });
  }

  async #renew(): Promise<void> {
    const { registers, own } = this.#options;
    await registers.takeLease(prefix + own.name, holderOf(own), limits.nodeLeaseMs);
    this.#renewedAt = this.#options.clock.monotonic();
    await this.#read();
  }

  async #read(): Promise<void> {
    const { registers, own } = this.#options;
    const found = (await registers.leases(prefix)).flatMap(({ name, holder }) => nodeIn(name, holder));
    if (this.#isStopped) return;
    const before = this.#all.map(({ instance }) => instance).join();
    this.#all = found.some(({ instance }) => instance === own.instance) ? found : [...found, own];
    const instances = new Set(this.#all.map(({ instance }) => instance));
    for (const instance of this.#unreachable)
      if (!instances.has(instance)) this.#unreachable.delete(instance);
    if (this.#all.map(({ instance }) => instance).join() !== before) this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function holderOf({ instance, address, url }: Node): string {
  return [instance, address, url].join(" ");
}

function nodeIn(lease: string, holder: string): Node[] {
  const [instance = "", address = "", url = ""] = holder.split(" ");
  return address === "" ? [] : [{ name: lease.slice(prefix.length), instance, address, url }];
}
