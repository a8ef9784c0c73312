import type { Clock, Kernel, Viewer } from "@ledge/kernel";
import { limits } from "@ledge/model";
import { Held, type Making } from "./held.ts";
import { respondAgain } from "./json.ts";
import { Refused } from "./refused.ts";

type Later<T> = T | Promise<T>;

/** A poll that may wait. It outlives its request. */
export interface PollWait {
  /** The cursor of the client. */
  readonly ts: number;
  readonly language: string;
  readonly waitMs: number;
  readonly isRemote: boolean;
  /** Says who polls, or why the poll is not allowed any more. */
  readonly rights: { now(): Viewer | Refused };
  /** Called now and then while the poll waits: its client is there. */
  readonly seen: () => void;
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
  readonly answer: (make: Making) => void;
  readonly cancelTimer: () => void;
}

/**
 * The polls that wait for news, on all listeners together. All of them share one timer for what a commit brings:
 * the changes of the next `limits.pollFirstCompanyMs` go into the same answer, and looks are `limits.pollCompanyMs`
 * apart.
 */
export class PollWaits {
  readonly #kernel: Kernel;
  readonly #clock: Clock;
  readonly #bounds: PollWaitBounds;
  readonly #waiting = new Set<Waiting>();
  #isClosed = false;
  /** When it was last looked whether there is news. */
  #lookedAt = -Infinity;
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
  answer(wait: PollWait): Later<Uint8Array | Response | Refused> | Held {
    const viewer = wait.rights.now();
    if (viewer instanceof Refused) return viewer;
    if (this.#isClosed || this.#kernel.hasNews(wait.ts, viewer)) return this.#poll(wait, viewer);
    if (this.#hasRoom(wait, viewer)) return new Held((answer) => this.#add(wait, viewer, answer));
    const idle = this.#poll(wait, viewer);
    return idle instanceof Promise ? idle : respondAgain(idle, limits.pollRetryS);
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

  #add(wait: PollWait, { user }: Viewer, answer: Waiting["answer"]): () => void {
    const waiting: Waiting = {
      wait,
      user,
      checkedTo: wait.ts,
      answer,
      cancelTimer: this.#clock.after(wait.waitMs, () => this.#end(waiting)),
    };
    this.#waiting.add(waiting);
    this.#unsubscribe ??= this.#kernel.subscribe({ published: () => this.#awaitCompany() });
    if (this.#cancelBeat === undefined) this.#awaitBeat();
    return () => this.#drop(waiting);
  }

  #awaitCompany(): void {
    if (this.#cancelLook !== undefined) return;
    const apart = this.#lookedAt + limits.pollCompanyMs - this.#clock.monotonic();
    this.#cancelLook = this.#clock.after(Math.max(limits.pollFirstCompanyMs, apart), () => {
      this.#cancelLook = undefined;
      this.#lookedAt = this.#clock.monotonic();
      this.#look();
    });
  }

  /** Answers those for whom there is something new, or who may not poll any more. */
  #look(): void {
    const { timestamp } = this.#kernel;
    for (const waiting of this.#waiting) {
      const viewer = waiting.wait.rights.now();
      if (viewer instanceof Refused || this.#kernel.hasNews(waiting.checkedTo, viewer)) this.#end(waiting);
      else waiting.checkedTo = timestamp;
    }
  }

  #awaitBeat(): void {
    this.#cancelBeat = this.#clock.after(limits.pollWaitCheckMs, () => {
      this.#awaitBeat();
      for (const waiting of this.#waiting) {
        if (waiting.wait.rights.now() instanceof Refused) this.#end(waiting);
        else waiting.wait.seen();
      }
    });
  }

  #end(waiting: Waiting): void {
    if (!this.#drop(waiting)) return;
    waiting.answer(() => {
      const viewer = waiting.wait.rights.now();
      return viewer instanceof Refused ? viewer : this.#poll(waiting.wait, viewer);
    });
  }

  /** Returns whether it was still waiting. */
  #drop(waiting: Waiting): boolean {
    if (!this.#waiting.delete(waiting)) return false;
    waiting.cancelTimer();
    if (this.#waiting.size === 0) this.#rest();
    return true;
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
