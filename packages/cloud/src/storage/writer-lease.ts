import type { RegisterStore } from "@ledge/fleet";
import type { Logger } from "@ledge/host/logger";
import type { Clock, Kernel } from "@ledge/kernel";
import { limits } from "@ledge/model";
import type { PeerAddress } from "../cluster/peer-link.ts";
import type { CloudStates } from "../model/states.ts";

interface Options {
  readonly registers: Pick<RegisterStore, "leases" | "releaseLease" | "takeLease">;
  /** The name of the folder, which lets one process live at a time. */
  readonly node: string;
  /** This process. */
  readonly instance: string;
  /** Where other processes reach it. */
  readonly address: string;
  readonly clock: Pick<Clock, "after" | "monotonic">;
  readonly logger: Logger;
  readonly onFatal: (error: Error) => void;
}

/**
 * The lease of the process that writes the log. Time alone does not fence: every append names the epoch, and the database
 * refuses older ones. While the database is away, the kernel takes no more.
 */
export class WriterLease {
  readonly name = "writer";
  readonly #options: Options;
  #kernel: Pick<Kernel<CloudStates>, "resume" | "suspend"> | undefined;
  #logProblem: string | undefined;
  #leaseProblem: string | undefined;
  #isSuspended = false;
  readonly #holder: string;
  #epoch = 0;
  #isHeld = false;
  #renewedAt = 0;
  #cancel: () => void = () => {};
  #renewing: Promise<void> = Promise.resolve();

  constructor(options: Options) {
    this.#options = options;
    this.#holder = [options.node, options.instance, options.address].join(" ");
  }

  /** How long ago (ms) the lease was last renewed; 0 when another process has it. */
  get ageMs(): number {
    return this.#isHeld ? this.#options.clock.monotonic() - this.#renewedAt : 0;
  }

  /** Whether the database is away. */
  get isOut(): boolean {
    return this.#logProblem !== undefined || this.#leaseProblem !== undefined;
  }

  /**
   * Takes the lease unless another process has it.
   * @returns the epoch to append under
   * @throws RegisterStoreError
   */
  async take(): Promise<number | undefined> {
    const { registers, node } = this.#options;
    // The process before on this folder is dead.
    for (const { name, holder } of await registers.leases(this.name))
      if (holder.startsWith(`${node} `)) await registers.releaseLease(name, holder);
    const lease = await registers.takeLease(this.name, this.#holder, limits.writerLeaseMs);
    if (lease === undefined) return undefined;
    this.#epoch = lease.epoch;
    this.#isHeld = true;
    this.#renewedAt = this.#options.clock.monotonic();
    this.#renewLater();
    return lease.epoch;
  }

  /**
   * Returns where the process that writes is reached; undefined while there is none.
   * @throws RegisterStoreError
   */
  async writer(): Promise<PeerAddress | undefined> {
    const [lease] = await this.#options.registers.leases(this.name);
    return lease?.holder.split(" ")[2];
  }

  attach(kernel: Pick<Kernel<CloudStates>, "resume" | "suspend">): void {
    this.#kernel = kernel;
    this.#tell();
  }

  /** @param reason why the database does not take what the log writes; undefined when it does again */
  noteLog(reason: string | undefined): void {
    this.#logProblem = reason;
    this.#tell();
  }

  /** Gives the lease back. Where the database says nothing, it ends by itself. */
  async release(): Promise<void> {
    this.#cancel();
    if (!this.#isHeld) return;
    this.#isHeld = false;
    const { registers, clock } = this.#options;
    // A renewal under way would take the lease again.
    const given = this.#renewing.then(() => registers.releaseLease(this.name, this.#holder)).catch(() => {});
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const cancel = clock.after(limits.writerLeaseMs, end);
    await Promise.race([given, ended]);
    cancel();
  }

  #renewLater(): void {
    this.#cancel = this.#options.clock.after(limits.writerRenewMs, () => {
      this.#renewing = this.#renew();
    });
  }

  async #renew(): Promise<void> {
    const { registers, clock, onFatal } = this.#options;
    // A database that is cut off says nothing at all.
    this.#cancel = clock.after(limits.writerLeaseMs - limits.writerRenewMs, () => {
      this.#leaseProblem = "the database has not renewed the lease of the writer in time";
      this.#tell();
    });
    const cancel = this.#cancel;
    try {
      const lease = await registers.takeLease(this.name, this.#holder, limits.writerLeaseMs);
      if (!this.#isHeld) return;
      if (lease?.epoch !== this.#epoch) {
        onFatal(new Error("another process has become the writer of the log"));
        return;
      }
      this.#leaseProblem = undefined;
      this.#renewedAt = clock.monotonic();
    } catch (error) {
      if (!this.#isHeld) return;
      this.#leaseProblem = (error as Error).message;
    } finally {
      cancel();
    }
    this.#tell();
    this.#renewLater();
  }

  #tell(): void {
    const reason = this.#logProblem ?? this.#leaseProblem;
    if (this.#kernel === undefined || (reason !== undefined) === this.#isSuspended) return;
    this.#isSuspended = reason !== undefined;
    if (reason === undefined) this.#kernel.resume();
    else this.#kernel.suspend(reason);
  }
}
