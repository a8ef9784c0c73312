import type { Clock, Kernel, Viewer } from "@ledge/kernel";
import { limits } from "@ledge/model";
import { respondAgain } from "./json.ts";
import { Refused } from "./refused.ts";

/** What a poll is answered with: a POLL_DELTA, which has a head of its own when no place was free, or a refusal. */
export type PollAnswer = Uint8Array | Response | Refused;

type Later<T> = T | Promise<T>;

/** A poll that may wait. */
export interface PollWait {
  /** The cursor of the client. */
  readonly ts: number;
  readonly language: string;
  readonly waitMs: number;
  readonly isRemote: boolean;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
  /** Returns who polls, with the rights of now, or why the poll is not allowed any more. */
  caller(): Viewer | Refused;
  /** Called now and then while the poll waits: its client is there. */
  seen(caller: Viewer): void;
}

export interface PollWaitBounds {
  readonly pollWaiters: number;
  readonly pollWaitersPerUser: number;
  readonly pollWaitersRemote: number;
}

interface Waiting {
  readonly wait: PollWait;
  readonly user: string | null;
  /** Up to this timestamp there is nothing new for the client. */
  checkedTo: number;
  readonly resolve: (answer: Later<PollAnswer>) => void;
  readonly cancelTimer: () => void;
  readonly leave: () => void;
}

/**
 * The polls that wait for news, on all listeners together. All of them share one timer for what a commit brings:
 * the changes of the next `limits.pollCompanyMs` go into the same answer.
 */
export class PollWaits {
  readonly #kernel: Kernel;
  readonly #clock: Clock;
  readonly #bounds: PollWaitBounds;
  readonly #waiting = new Set<Waiting>();
  #isClosed = false;
  #unsubscribe: (() => void) | undefined;
  #cancelLook: (() => void) | undefined;
  #cancelBeat: (() => void) | undefined;

  constructor(kernel: Kernel, clock: Clock, bounds: PollWaitBounds = limits) {
    this.#kernel = kernel;
    this.#clock = clock;
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /**
   * Answers a poll at once when there is something new for its caller, else when there is, or when its time is
   * over. A poll that finds no place is answered at once, and its head says when to ask again.
   */
  answer(wait: PollWait): Later<PollAnswer> {
    const caller = wait.caller();
    if (caller instanceof Refused) return caller;
    if (this.#isClosed || this.#kernel.hasNews(wait.ts, caller)) return this.#poll(wait, caller);
    if (!this.#hasRoom(wait, caller)) {
      const answer = this.#poll(wait, caller);
      return answer instanceof Promise ? answer : respondAgain(answer, limits.pollRetryS);
    }
    return new Promise((resolve) => this.#add(wait, caller, resolve));
  }

  /** Answers all that wait. Later polls do not wait. */
  close(): void {
    this.#isClosed = true;
    for (const waiting of this.#waiting) this.#end(waiting);
  }

  #hasRoom({ isRemote }: PollWait, { user }: Viewer): boolean {
    const { pollWaiters, pollWaitersPerUser, pollWaitersRemote } = this.#bounds;
    if (this.#waiting.size >= pollWaiters) return false;
    let [own, remote] = [0, 0];
    for (const waiting of this.#waiting) {
      if (waiting.user === user) own++;
      if (waiting.wait.isRemote) remote++;
    }
    return own < pollWaitersPerUser && (!isRemote || remote < pollWaitersRemote);
  }

  #add(wait: PollWait, { user }: Viewer, resolve: Waiting["resolve"]): void {
    const waiting: Waiting = {
      wait,
      user,
      checkedTo: wait.ts,
      resolve,
      cancelTimer: this.#clock.after(wait.waitMs, () => this.#end(waiting)),
      leave: () => this.#end(waiting),
    };
    this.#waiting.add(waiting);
    wait.signal.addEventListener("abort", waiting.leave);
    this.#unsubscribe ??= this.#kernel.subscribe({ published: () => this.#awaitCompany() });
    if (this.#cancelBeat === undefined) this.#awaitBeat();
    if (wait.signal.aborted) this.#end(waiting);
  }

  #awaitCompany(): void {
    this.#cancelLook ??= this.#clock.after(limits.pollCompanyMs, () => {
      this.#cancelLook = undefined;
      this.#look();
    });
  }

  /** Answers those for whom there is something new, or who may not poll any more. */
  #look(): void {
    const { timestamp } = this.#kernel;
    for (const waiting of this.#waiting) {
      const caller = waiting.wait.caller();
      if (caller instanceof Refused || this.#kernel.hasNews(waiting.checkedTo, caller)) this.#end(waiting);
      else waiting.checkedTo = timestamp;
    }
  }

  #awaitBeat(): void {
    this.#cancelBeat = this.#clock.after(limits.pollWaitCheckMs, () => {
      this.#awaitBeat();
      for (const waiting of this.#waiting) {
        const caller = waiting.wait.caller();
        if (caller instanceof Refused) this.#end(waiting);
        else waiting.wait.seen(caller);
      }
    });
  }

  #end(waiting: Waiting): void {
    const { wait, resolve, cancelTimer, leave } = waiting;
    if (!this.#waiting.delete(waiting)) return;
    cancelTimer();
    wait.signal.removeEventListener("abort", leave);
    const caller = wait.caller();
    resolve(caller instanceof Refused ? caller : this.#poll(wait, caller));
    if (this.#waiting.size === 0) this.#rest();
  }

  /** Nobody waits: commits pass without a look. */
  #rest(): void {
    this.#unsubscribe?.();
    this.#cancelLook?.();
    this.#cancelBeat?.();
    this.#unsubscribe = this.#cancelLook = this.#cancelBeat = undefined;
  }

  #poll({ ts, language }: PollWait, viewer: Viewer): Later<Uint8Array> {
    return this.#kernel.poll({ viewer, cursors: { ts }, language });
  }
}
