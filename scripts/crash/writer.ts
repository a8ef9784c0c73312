import { setImmediate, setTimeout } from "node:timers/promises";
import { type EventLog, NoRoomError } from "@ledge/log";
import { commitOf, lines, snapshotFormat, snapshotRows, stays } from "./commits.ts";
import type { Random } from "./random.ts";

/** Fills a log, and reports what it offers and what is acknowledged. */
export class Writer {
  readonly #log: EventLog;
  readonly #session: number;
  readonly #say: (line: string) => void;
  readonly #random: Random;
  #timestamp: number;
  #compacting: Promise<void> | undefined;

  constructor(log: EventLog, session: number, say: (line: string) => void, random: Random) {
    this.#log = log;
    this.#session = session;
    this.#say = say;
    this.#random = random;
    this.#timestamp = log.last;
  }

  /**
   * Appends `count` commits at once. Resolves when they are acknowledged. After a full disk the same commits come
   * again.
   */
  async batch(count: number): Promise<void> {
    const session = this.#session;
    const first = this.#timestamp + 1;
    this.#timestamp += count;
    this.#say(lines.offer({ session, first, end: first + count }));
    const appends = Array.from({ length: count }, async (_, i) => {
      await this.#log.append(commitOf(session, first + i));
      this.#say(lines.acknowledged(session, first + i));
    });
    const [refusal] = (await Promise.allSettled(appends)).flatMap((outcome) =>
      outcome.status === "rejected" ? [outcome.reason as unknown] : [],
    );
    if (refusal === undefined) return;
    // None of these commits was written.
    if (refusal instanceof NoRoomError) this.#timestamp = this.#log.last;
    throw refusal;
  }

  async snapshot(): Promise<void> {
    const timestamp = this.#log.last;
    await this.#log.saveSnapshot({ timestamp, format: snapshotFormat, rows: snapshotRows(timestamp) });
    this.#say(lines.snapshot(timestamp));
  }

  /** Compacts a random part of the log after the horizon. One call at a time. */
  async compact(): Promise<void> {
    this.#compacting ??= this.#compact().finally(() => (this.#compacting = undefined));
    await this.#compacting;
  }

  async #compact(): Promise<void> {
    const log = this.#log;
    const pause = (): Promise<void> => setImmediate();
    const horizon = await log.boundary(log.last, 1 + this.#random.below(500_000), pause);
    if (horizon === log.horizon) return;
    const base = { timestamp: horizon, format: snapshotFormat, rows: snapshotRows(horizon) };
    await log.compact({ horizon, keep: stays, base, pause });
    this.#say(lines.horizon(horizon));
  }

  /** Appends forever: single commits, batches, overlapping batches, and by chance snapshots and compactions. */
  async forEver(snapshotChance: number): Promise<never> {
    const random = this.#random;
    for (;;) {
      const running = [this.batch(random.chance(0.5) ? 1 : 1 + random.below(40))];
      if (random.chance(0.2)) running.push(this.batch(1 + random.below(5)));
      if (random.chance(snapshotChance)) running.push(this.snapshot());
      if (random.chance(snapshotChance)) running.push(this.compact());
      if (random.chance(0.02)) await setTimeout(random.below(3));
      await Promise.all(running);
    }
  }
}
