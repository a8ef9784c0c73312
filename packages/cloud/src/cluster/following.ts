import { setTimeout } from "node:timers/promises";
import type { Bus } from "@ledge/fleet";
import type { Logger } from "@ledge/host/logger";
import {
  type Clock,
  type FollowingKernel,
  KernelError,
  type KernelErrorCode,
  type Outcome,
  type Submission,
} from "@ledge/kernel";
import { LogError } from "@ledge/log";
import { limits } from "@ledge/model";
import type { CloudStates } from "../model/states.ts";
import { every } from "../process/every.ts";
import { type PeerAddress, PeerError, type PeerLink } from "./peer-link.ts";

/** The topic of the bus that tells that the log has grown. */
export const logTopic = "log";

/** What this process needs of the log and of the lease to write it. */
export interface FollowingOptions {
  /** Reads what was written since. @returns whether there was anything @throws RegisterStoreError */
  readonly readOn: () => Promise<boolean>;
  /** Takes the lease unless another process has it. @returns its epoch @throws RegisterStoreError */
  readonly take: () => Promise<number | undefined>;
  /** Makes this process the writer under an epoch. @throws RegisterStoreError, LogError */
  readonly lead: (epoch: number) => Promise<void>;
  /** Where the process that writes is reached. @throws RegisterStoreError */
  readonly writer: () => Promise<PeerAddress | undefined>;
  readonly link: Pick<PeerLink, "call">;
  readonly bus: Pick<Bus, "subscribe">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onFatal: (error: Error) => void;
}

type Kernel = FollowingKernel<CloudStates>;

/** Answer to a submission that was passed on. */
type Passed =
  | { readonly outcome: Outcome }
  | { readonly code: KernelErrorCode; readonly message: string; readonly waitMs?: number };

/** Follows the log that another process writes, passes changes on to that one, and takes over when it is gone. */
export class Following {
  readonly #options: FollowingOptions;
  readonly #leading = new Set<() => void>();
  readonly #ends: (() => void)[] = [];
  #kernel: Kernel | undefined;
  #writer: PeerAddress | undefined;
  #lookup: Promise<PeerAddress | undefined> | undefined;
  /** Until the next try of all who wait for a writer. */
  #pause: Promise<void> | undefined;
  #isLeading = false;
  #isStopped = false;
  /** A reading under way, and one that begins after it. */
  #reading: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #isBehind = false;
  /** When (elapsed ms) the last reading that came to its end had begun. */
  #shownAt: number;

  constructor(options: FollowingOptions) {
    this.#options = options;
    this.#shownAt = options.clock.monotonic();
  }

  get isLeading(): boolean {
    return this.#isLeading;
  }

  /** How long ago (ms) this process last showed all that was stored. */
  get behindMs(): number {
    return this.#options.clock.monotonic() - this.#shownAt;
  }

  onLeading(callback: () => void): void {
    this.#leading.add(callback);
  }

  /** Begins to follow. Resolves when the log has what `isFounded` looks for, or this process writes. */
  async begin(kernel: Kernel, isFounded: () => boolean): Promise<void> {
    this.#kernel = kernel;
    const { bus, clock } = this.#options;
    const read = (): Promise<void> => this.#catchUp().catch(() => {});
    const watch = async (): Promise<void> => {
      void read();
      // A database that is cut off says nothing at all.
      if (!this.#isLeading && this.behindMs > limits.followSilenceMs)
        kernel.suspend(`the database has not answered for ${Math.round(this.behindMs / 1000)} s`);
    };
    this.#ends.push(bus.subscribe(logTopic, read), every(limits.followMs, clock, watch));
    void this.#elect();
    while (!this.#isLeading && !isFounded()) {
      await read();
      await this.#nextTry();
    }
  }

  stop(): void {
    this.#isStopped = true;
    for (const end of this.#ends) end();
  }

  /**
   * Waits until this process shows all that was acknowledged before the call. While the database is away nothing is.
   */
  async fresh(): Promise<void> {
    if (this.#isLeading || this.#isStopped || this.#kernel?.health.state !== "following") return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(limits.freshMs, resolve);
    void this.#catchUp().then(resolve, () => resolve());
    await promise;
    cancel();
  }

  /** Submits to the process that writes, once there is one. @throws KernelError */
  async submit(submission: Submission): Promise<Outcome> {
    const { link, clock } = this.#options;
    const until = clock.monotonic() + limits.writerAbsentMs;
    do {
      if (this.#isLeading && this.#kernel !== undefined) return this.#kernel.submit(submission);
      const writer = await this.#findWriter();
      let answer: Passed | undefined;
      try {
        if (writer !== undefined)
          answer = (await link.call(writer, "submit", submission, {
            timeoutMs: limits.peerSubmitMs,
          })) as Passed;
      } catch (error) {
        this.#forgetWriter(writer);
        if (error instanceof PeerError && error.isSent)
          throw new KernelError("failed", "nobody knows whether this was stored", { cause: error });
      }
      if (answer !== undefined && "outcome" in answer) return await this.#shown(answer.outcome);
      // The process that wrote is leaving: another one follows.
      if (answer !== undefined && answer.code !== "closed") throw errorOf(answer);
      this.#forgetWriter(writer);
      await this.#nextTry();
    } while (clock.monotonic() < until && !this.#isStopped);
    throw new KernelError("busy", "no process of the cloud writes now");
  }

  /** Returns where the process that writes is reached. All who wait for one look it up together. */
  async #findWriter(): Promise<PeerAddress | undefined> {
    if (this.#writer !== undefined) return this.#writer;
    this.#lookup ??= this.#options
      .writer()
      .then(
        (found) => (this.#writer = found),
        () => undefined,
      )
      .finally(() => (this.#lookup = undefined));
    return this.#lookup;
  }

  /** Another submission may have found the next one already. */
  #forgetWriter(tried: PeerAddress | undefined): void {
    if (this.#writer === tried) this.#writer = undefined;
  }

  /** Resolves for all who wait at once. */
  #nextTry(): Promise<void> {
    this.#pause ??= new Promise((resolve) => {
      this.#options.clock.after(limits.writerRetryMs / 5, () => {
        this.#pause = undefined;
        resolve();
      });
    });
    return this.#pause;
  }

  /** An answer is given when this process shows what it tells of. */
  async #shown(outcome: Outcome): Promise<Outcome> {
    const kernel = this.#kernel;
    if (kernel === undefined || !outcome.accepted) return outcome;
    const { timestamp } = outcome;
    while (kernel.timestamp < timestamp && !this.#isStopped)
      await this.#catchUp().catch(async () => setTimeout(limits.logRetryMs));
    return outcome;
  }

  /** Reads on, not earlier than the call: who finds a reading under way waits for the next one. */
  #catchUp(): Promise<void> {
    if (this.#reading === undefined) return this.#begin();
    this.#next ??= this.#reading
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        // Whoever heard first that the reading has ended may have begun another one.
        return this.#reading ?? this.#begin();
      });
    return this.#next;
  }

  #begin(): Promise<void> {
    const reading = this.#readOn().finally(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
    this.#reading = reading;
    return reading;
  }

  async #readOn(): Promise<void> {
    const kernel = this.#kernel;
    try {
      if (this.#isLeading || this.#isStopped || kernel === undefined) return;
      const begun = this.#options.clock.monotonic();
      if (await this.#options.readOn()) this.#isBehind = true;
      // The log may be closed by now.
      if (this.#isStopped) return;
      if (this.#isBehind) this.#show(kernel);
      this.#isBehind = false;
      this.#shownAt = begun;
      kernel.resume();
    } catch (error) {
      if (!this.#isLeading) kernel?.suspend((error as Error).message);
      throw error;
    }
  }

  #show(kernel: Kernel): void {
    try {
      kernel.catchUp();
    } catch (error) {
      this.#options.onFatal(error as Error);
      throw error;
    }
  }

  /** Takes the lease when nobody has it. After an outage of the database its last holder comes first. */
  async #elect(): Promise<void> {
    const { take, lead, logger, onFatal } = this.#options;
    let wasAway = false;
    while (!this.#isStopped) {
      await setTimeout(limits.writerRetryMs, undefined, { ref: false });
      if (this.#isStopped) return;
      let epoch: number | undefined;
      try {
        if (wasAway) {
          await this.#options.writer();
          await setTimeout(limits.writerLeaseMs, undefined, { ref: false });
        }
        wasAway = false;
        if (this.#isStopped) return;
        epoch = await take();
      } catch {
        wasAway = true;
      }
      if (epoch === undefined) continue;
      logger.warn({ epoch }, "this process writes the log from now on");
      while (!this.#isStopped)
        try {
          await this.#lead(() => lead(epoch));
          return;
        } catch (error) {
          // What is stored is not what this process shows.
          if (error instanceof LogError) return onFatal(error);
          logger.warn({ error }, "the log cannot be taken over yet");
          await setTimeout(limits.writerRetryMs);
        }
    }
  }

  async #lead(lead: () => Promise<void>): Promise<void> {
    const kernel = this.#kernel;
    if (kernel === undefined) return;
    // Nothing else reads meanwhile.
    while (this.#reading !== undefined) await this.#reading.catch(() => {});
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#reading = promise;
    try {
      await lead();
      this.#isLeading = true;
      kernel.resume();
      try {
        kernel.lead();
      } catch (error) {
        this.#options.onFatal(error as Error);
        throw error;
      }
    } finally {
      this.#reading = undefined;
      resolve();
    }
    for (const callback of this.#leading) callback();
  }
}

/** Answers what `Following.submit` asks. */
export async function answerSubmission(
  kernel: Pick<FollowingKernel<CloudStates>, "submit" | "health">,
  submission: Submission,
): Promise<Passed> {
  // Two processes that each take the other for the writer must not ask each other for ever.
  if (kernel.health.state === "following") return { code: "closed", message: "this process does not write" };
  try {
    return { outcome: await kernel.submit(submission) };
  } catch (error) {
    const { message } = error as Error;
    if (!(error instanceof KernelError)) return { code: "failed", message };
    return { code: error.code, message, ...(error.waitMs !== undefined && { waitMs: error.waitMs }) };
  }
}

function errorOf({ code, message, waitMs }: Exclude<Passed, { outcome: Outcome }>): KernelError {
  return new KernelError(code, message, waitMs === undefined ? {} : { waitMs });
}
