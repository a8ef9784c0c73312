import { setImmediate } from "node:timers/promises";
import type { OutboxMessage, RegisterStore } from "@ledge/fleet";
import type { Logger } from "@ledge/host/logger";
import type { Clock } from "@ledge/kernel";
import type { EventLog } from "@ledge/log";
import { type Commit, limits, type LoggedEvent } from "@ledge/model";
import { pause } from "../process/pause.ts";
import { messagesIn } from "./wire-event.ts";

/** The source of the outbox entries that come from the cloud's own log, and not from a hub. */
export const logSource = "log";

export interface LogFeedOptions {
  readonly log: Pick<EventLog, "follow" | "last">;
  readonly store: Pick<RegisterStore, "apply" | "cursorOf" | "forget">;
  readonly sealed: (event: LoggedEvent) => LoggedEvent;
  /** Returns whether a site has targets. The log may be ahead of it. */
  readonly hasTargets: (siteId: string) => boolean;
  /** Called with messages once they are in the outbox. */
  readonly onStored: (messages: readonly OutboxMessage[]) => void;
  /** Called when the events of a site whose targets are gone have been stored. */
  readonly onClosed: (siteId: string) => void;
  readonly now: () => number;
  readonly clock: Pick<Clock, "after">;
  readonly logger: Pick<Logger, "warn">;
}

/**
 * Puts the events of sites from the cloud's log into the outboxes of these sites, in their order. Its place in the
 * log is stored with them in one transaction, so a restart leaves out nothing and repeats nothing. When the store was
 * lost, it begins with the events of the last `limits.egressKeptMs`.
 */
export class LogFeed {
  readonly #options: LogFeedOptions;
  readonly #end = new AbortController();
  readonly #done: Promise<void>;
  /** Sites whose first target is in the log already, but perhaps not yet in the state. */
  readonly #begun = new Set<string>();

  constructor(options: LogFeedOptions) {
    this.#options = options;
    this.#done = this.#run();
  }

  /** Resolves when nothing is written any more. */
  async stop(): Promise<void> {
    this.#end.abort();
    await this.#done;
  }

  async #run(): Promise<void> {
    const { clock, logger } = this.#options;
    const { signal } = this.#end;
    while (!signal.aborted) {
      try {
        await this.#follow(signal);
      } catch (error) {
        if (signal.aborted) return;
        logger.warn({ reason: (error as Error).message }, "events of sites could not be taken from the log");
      }
      await pause(limits.egressFeedRetryMs, clock, signal);
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { log, store, now } = this.#options;
    let stored = (await store.cursorOf(logSource))?.cursor ?? null;
    // The log was restored from a backup that is older than the store.
    if (stored !== null && Number(stored) > log.last) {
      await store.forget(logSource);
      stored = null;
    }
    const after = stored === null ? Math.max(0, now() - limits.egressKeptMs) : Number(stored);
    // A write that fails ends the round, also when no commit follows.
    const round = new AbortController();
    const writer = new OutboxWriter(this.#options, stored, () => round.abort());
    let count = 0;
    for await (const commit of log.follow(after, AbortSignal.any([signal, round.signal]))) {
      // A long way to the end of the log is read without a pause of its own.
      if (++count % limits.scanSliceRows === 0) await setImmediate();
      this.#note(commit);
      const messages = messagesIn(commit, (siteId) => this.#isFed(siteId), this.#options.sealed);
      const closed = commit.events.filter(
        ({ type }) => type === "EgressClosed" || type === "EgressTargetDeleted",
      );
      await writer.add(
        commit.timestamp,
        messages,
        closed.map(({ id }) => id),
      );
    }
    await writer.settled();
  }

  #note({ events }: Commit): void {
    for (const { type, id } of events) if (type === "EgressTargetCreated") this.#begun.add(id);
  }

  #isFed(siteId: string): boolean {
    const { hasTargets } = this.#options;
    if (hasTargets(siteId)) {
      this.#begun.delete(siteId);
      return true;
    }
    return this.#begun.has(siteId);
  }
}

/** Writes messages with the place in the log that they reach. What waits while it writes is written together. */
class OutboxWriter {
  readonly #options: LogFeedOptions;
  #stored: string | null;
  #waiting: OutboxMessage[] = [];
  #closed: string[] = [];
  #reached = 0;
  #commits = 0;
  #writing: Promise<void> | undefined;
  #failure: unknown;
  readonly #onFailure: () => void;

  constructor(options: LogFeedOptions, stored: string | null, onFailure: () => void) {
    this.#options = options;
    this.#onFailure = onFailure;
    this.#stored = stored;
  }

  /** Resolves when there is room for more. @throws what a write has failed with */
  async add(timestamp: number, messages: readonly OutboxMessage[], closed: readonly string[]): Promise<void> {
    this.#waiting.push(...messages);
    this.#closed.push(...closed);
    this.#reached = timestamp;
    this.#commits++;
    const isDue = this.#waiting.length + this.#closed.length > 0 || this.#commits >= limits.egressFeedCommits;
    if (isDue) this.#writing ??= this.#write();
    if (this.#waiting.length >= limits.egressFeedEvents) await this.#writing;
    if (this.#failure !== undefined) throw this.#failure;
  }

  async settled(): Promise<void> {
    await this.#writing;
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #write(): Promise<void> {
    try {
      // Commits of the same turn are written together.
      await Promise.resolve();
      do {
        await this.#writeWaiting();
      } while (this.#waiting.length + this.#closed.length > 0);
    } catch (error) {
      this.#failure = error;
      this.#onFailure();
    } finally {
      this.#writing = undefined;
    }
  }

  async #writeWaiting(): Promise<void> {
    const { store, onStored, onClosed } = this.#options;
    const [outbox, closed] = [this.#waiting, this.#closed];
    [this.#waiting, this.#closed, this.#commits] = [[], [], 0];
    const upto = String(this.#reached);
    const batch = { source: logSource, generation: 1, after: this.#stored, upto, upserts: [], removals: [] };
    const applied = await store.apply({ ...batch, outbox });
    if (applied.outcome === "refused") throw new Error(`the outbox refuses: ${applied.reason}`);
    this.#stored = upto;
    if (outbox.length > 0) onStored(outbox);
    for (const siteId of closed) onClosed(siteId);
  }
}
