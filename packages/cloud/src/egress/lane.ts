import type { OutboxEntry, RegisterStore } from "@ledge/fleet";
import type { Logger } from "@ledge/host/logger";
import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import type { EgressCommand } from "../model/egress-commands.ts";
import type { DeadLetter, EgressTarget } from "../model/egress-state.ts";
import { backoffMs, type Judged } from "./answer.ts";
import { type Batch, batchOf, type BatchOptions } from "./batch.ts";
import type { EgressFigures } from "./figures.ts";
import type { Pace, Place, Places } from "./places.ts";
import { Progress } from "./progress.ts";
import type { Sender } from "./sender.ts";
import type { OutboxBody } from "./wire-event.ts";

/** What a lane does for its target alone, without the ids. */
type Note = { type: EgressCommand["type"] } & Readonly<Record<string, unknown>>;

/** What all lanes share. */
export interface LaneHost extends Pick<BatchOptions, "opened" | "mayLeave"> {
  readonly store: Pick<RegisterStore, "outbox" | "positionOf" | "moveCursor">;
  readonly sender: Sender;
  readonly targetOf: (siteId: string, targetId: string) => EgressTarget | undefined;
  /** Records something about a target. */
  readonly note: (siteId: string, targetId: string, note: Note) => Promise<void>;
  readonly places: Pick<Places, "enter">;
  readonly figures: EgressFigures;
  /** ms since the epoch. */
  readonly now: () => number;
  readonly clock: Pick<Clock, "after" | "monotonic">;
  readonly random: () => number;
  readonly logger: Pick<Logger, "warn" | "info">;
}

/** Returns the name of a target among the readers of outboxes. */
export function readerOf(siteId: string, targetId: string): string {
  return `egress ${siteId} ${targetId}`;
}

/** Returns the name under which a lane stores where it has cut a batch that was not full. */
function cutReaderOf(siteId: string, targetId: string): string {
  return `egress-cut ${siteId} ${targetId}`;
}

/** Returns the names of all that is stored of the way of a target through its outbox. */
export function readersOf(siteId: string, targetId: string): readonly string[] {
  return [readerOf(siteId, targetId), cutReaderOf(siteId, targetId)];
}

/**
 * Sends the events of a site to one target: in their order, one batch after the other, each until the receiver has
 * taken or refused it. The stored position in the outbox follows, so batches may be sent twice when the process ends
 * in between, each time as they were: full ones are cut alike again, and the end of another is stored before it goes.
 */
export class Lane {
  readonly #host: LaneHost;
  readonly #siteId: string;
  readonly #targetId: string;
  readonly #end = new AbortController();
  readonly #done: Promise<void>;
  readonly #progress: Progress;
  readonly #cut: Progress;
  /** When to read the outbox (by the monotonic clock), and how many events have come since the last time. */
  #due = 0;
  #pending = 0;
  /** Until when nothing is sent, because the receiver has failed. */
  #restUntil = 0;
  #failures = 0;
  #failingSince: number | undefined;
  /** The batch that is tried, and how often it was refused. */
  #tried = { batchId: "", last: 0, refusals: 0 };
  #pace: Pace;
  #wake: () => void = () => {};

  constructor(siteId: string, targetId: string, host: LaneHost) {
    this.#host = host;
    this.#siteId = siteId;
    this.#targetId = targetId;
    this.#progress = new Progress(host.store, readerOf(siteId, targetId));
    this.#cut = new Progress(host.store, cutReaderOf(siteId, targetId));
    // A restart does not make a target new that has been failing.
    this.#pace = (this.#target?.failingSince ?? null) === null ? "new" : "failing";
    this.#done = this.#run();
  }

  /** Whether the last request failed. */
  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** Tells that events are in the outbox. */
  poke(events: number): void {
    const target = this.#target;
    if (target === undefined) return;
    const { fetchMaxEvents, fetchWaitMaxMs } = target.settings;
    this.#pending += events;
    const now = this.#host.clock.monotonic();
    const due = this.#pending >= fetchMaxEvents ? now : now + fetchWaitMaxMs;
    if (due < this.#due) this.#due = due;
    this.#wake();
  }

  /** Tells that the target has changed. */
  changed(): void {
    this.#restUntil = 0;
    this.#due = this.#host.clock.monotonic();
    this.#wake();
  }

  /** Ends; a request under way is given up, and sent again by the next lane. */
  async stop(): Promise<void> {
    this.#end.abort();
    this.#wake();
    await this.#done;
    await this.#progress.settled();
  }

  get #target(): EgressTarget | undefined {
    return this.#host.targetOf(this.#siteId, this.#targetId);
  }

  async #run(): Promise<void> {
    const { clock, logger } = this.#host;
    // The constructor returns first.
    await Promise.resolve();
    while (!this.#end.signal.aborted) {
      const target = this.#target;
      if (target === undefined) return;
      try {
        await this.#progress.read();
        const replayed = target.deadLetters.find(({ isReplayed }) => isReplayed);
        const due = replayed === undefined ? this.#due : 0;
        const waitMs = Math.max(due, this.#restUntil) - clock.monotonic();
        if (waitMs > 0) await this.#wait(waitMs);
        else if (replayed === undefined) await this.#sendNext(target);
        else await this.#replay(target, replayed);
      } catch (error) {
        if (this.#end.signal.aborted) return;
        const about = { siteId: this.#siteId, targetId: this.#targetId };
        logger.warn({ ...about, reason: (error as Error).message }, "events of a site could not be sent on");
        this.#failures++;
        this.#rest(this.#backoffMs());
      }
    }
  }

  async #sendNext(target: EgressTarget): Promise<void> {
    const place = await this.#host.places.enter(this.#pace);
    let sent: { readonly batch: Batch; readonly judged: Judged } | undefined;
    try {
      this.#pending = 0;
      this.#due = Infinity;
      const batch = await this.#read(target);
      if (batch === undefined || this.#end.signal.aborted) return;
      if (batch.events === 0) return await this.#progress.move(batch.last);
      sent = { batch, judged: await this.#send(target, batch, place) };
    } finally {
      place.leave();
    }
    await this.#settle(sent.batch, sent.judged);
  }

  /**
   * Returns the next batch; undefined while there is none, or while its events may wait for others. A batch that is
   * tried again is as it was, whatever came meanwhile.
   */
  async #read(target: EgressTarget): Promise<Batch | undefined> {
    const { store, clock, now } = this.#host;
    const { fetchMaxEvents, fetchWaitMaxMs } = target.settings;
    const position = await this.#progress.read();
    const triedTo = Math.max(this.#tried.last, await this.#cut.read());
    const entries = await store.outbox(this.#siteId, position, fetchMaxEvents, limits.egressBatchBytes);
    const isTried = triedTo > position;
    const own = isTried ? entries.filter((entry) => entry.position <= triedTo) : entries;
    const [oldest] = own;
    if (oldest === undefined) return undefined;
    const waitMs = Math.min((oldest.body as OutboxBody).at + fetchWaitMaxMs - now(), fetchWaitMaxMs);
    if (waitMs > 0 && !isTried && entries.length < fetchMaxEvents) {
      this.#due = Math.min(this.#due, clock.monotonic() + waitMs);
      return undefined;
    }
    // More may be there; a read that finds nothing is cheap.
    this.#due = clock.monotonic();
    const batch = await this.#batchOf(own, target.since);
    if (batch !== undefined && !isTried && entries.length < fetchMaxEvents) {
      await this.#progress.settled();
      await this.#cut.move(batch.last);
      await this.#cut.settled();
    }
    if (batch !== undefined && batch.batchId !== this.#tried.batchId)
      this.#tried = { batchId: batch.batchId, last: batch.last, refusals: 0 };
    return batch;
  }

  #batchOf(entries: readonly OutboxEntry[], since: number): Promise<Batch | undefined> {
    const { opened, mayLeave } = this.#host;
    return batchOf(entries, { siteId: this.#siteId, targetId: this.#targetId, since, opened, mayLeave });
  }

  async #send(target: EgressTarget, batch: Batch, place: Place): Promise<Judged> {
    const { sender, figures, clock } = this.#host;
    let isSlow = false;
    const cancel = clock.after(limits.egressSlowMs, () => {
      isSlow = true;
      place.overdue(Buffer.byteLength(batch.body));
    });
    const judged = await sender.send(target, batch, this.#end.signal).finally(cancel);
    const isTaken = judged.outcome === "taken";
    this.#pace = isTaken ? (isSlow ? "slow" : "quick") : "failing";
    if (!this.#end.signal.aborted) figures.count(judged.outcome, isTaken ? batch.events : 0);
    return judged;
  }

  async #settle(batch: Batch, judged: Judged): Promise<void> {
    // A request that was given up says nothing of its receiver.
    if (this.#end.signal.aborted && judged.outcome !== "taken") return;
    if (judged.outcome === "taken") {
      await this.#progress.move(batch.last);
      await this.#recovered();
    } else if (judged.outcome !== "refused" || ++this.#tried.refusals < limits.egressRefusals) {
      await this.#failed(judged);
    } else {
      await this.#giveUp(batch, batch.events, judged);
      await this.#progress.move(batch.last);
    }
  }

  /** Sends a dead letter again, under its own id; drops one whose events are not there any more. */
  async #replay(target: EgressTarget, letter: DeadLetter): Promise<void> {
    const { store } = this.#host;
    const place = await this.#host.places.enter(this.#pace);
    let judged: Judged | undefined;
    try {
      const { batchId, first, last } = letter;
      const { egressFetchMost: most, egressBatchBytes: bytes } = limits;
      const found = await store.outbox(this.#siteId, first - 1, most, bytes);
      const own = found.filter(({ position }) => position <= last);
      const batch = await this.#batchOf(own, 0);
      // Otherwise some of its events were deleted.
      if (batch?.batchId === batchId) judged = await this.#send(target, batch, place);
    } finally {
      place.leave();
    }
    if (this.#end.signal.aborted && judged?.outcome !== "taken") return;
    if (judged === undefined || judged.outcome === "taken") {
      await this.#note({ type: "DROP_DEAD_LETTERS", batchIds: [letter.batchId] });
      if (judged !== undefined) await this.#recovered();
    } else if (judged.outcome === "refused") {
      await this.#giveUp(letter, letter.events, judged);
    } else {
      await this.#failed(judged);
    }
  }

  async #recovered(): Promise<void> {
    this.#failures = 0;
    this.#failingSince = undefined;
    if ((this.#target?.failingSince ?? null) !== null) await this.#note({ type: "NOTE_EGRESS_RECOVERED" });
  }

  async #giveUp(
    { batchId, first, last }: Pick<Batch, "batchId" | "first" | "last">,
    events: number,
    judged: Judged,
  ): Promise<void> {
    const { figures } = this.#host;
    await this.#note({ type: "GIVE_UP_EGRESS_BATCH", batchId, first, last, events, reason: judged.reason });
    figures.deadLetters++;
    // Refused batches are failures, too, when nothing else is accepted.
    await this.#failed(judged, 0);
  }

  /** Rests after a failure. When nothing was accepted for long enough, the cloud disables the target. */
  async #failed({ outcome, reason, restMs }: Judged, leastMs = this.#backoffMs()): Promise<void> {
    const { now, logger } = this.#host;
    if (outcome === "gone") return this.#note({ type: "STOP_EGRESS_TARGET", reason: "gone" });
    this.#failingSince ??= this.#target?.failingSince ?? now();
    const failingMs = now() - this.#failingSince;
    if (failingMs >= limits.egressVainMs)
      return this.#note({ type: "STOP_EGRESS_TARGET", reason: "failing" });
    const about = { siteId: this.#siteId, targetId: this.#targetId, reason };
    if (this.#failures++ === 0) logger.info(about, "a target takes no events now: they wait");
    if (failingMs >= limits.egressFailingNotedMs)
      await this.#note({ type: "NOTE_EGRESS_FAILING", since: this.#failingSince });
    this.#rest(Math.max(leastMs, restMs));
  }

  #backoffMs(): number {
    return backoffMs(this.#failures + 1, this.#host.random());
  }

  #rest(ms: number): void {
    this.#due = 0;
    this.#restUntil = this.#host.clock.monotonic() + ms;
  }

  #note(note: Note): Promise<void> {
    return this.#host.note(this.#siteId, this.#targetId, note);
  }

  /** Waits for a while (ms), or until something has changed. */
  async #wait(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const cancel = ms === Infinity ? () => {} : this.#host.clock.after(ms, resolve);
    await promise;
    cancel();
  }
}
