import { setTimeout } from "node:timers/promises";
import { type EventLog, NoRoomError } from "@ledge/log";
import { commitOf, lines, snapshotFormat, snapshotRows } from "./commits.ts";
import type { Random } from "./random.ts";

/** Fills a log, and says what it offers and what is acknowledged. */
export class Writer {
  readonly #log: EventLog;
  readonly #session: number;
  readonly #say: (line: string) => void;
  readonly #random: Random;
  #timestamp: number;

  constructor(log: EventLog, session: number, say: (line: string) => void, random: Random) {
    this.#log = log;
    this.#session = session;
    this.#say = say;
    this.#random = random;
    this.#timestamp = log.last;
  }

  /** Appends so many commits at once; resolves when they are acknowledged. After a full disk the same come again. */
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
    // Nothing of those was written.
    if (refusal instanceof NoRoomError) this.#timestamp = this.#log.last;
    throw refusal;
  }

  async snapshot(): Promise<void> {
    const timestamp = this.#log.last;
    await this.#log.saveSnapshot({ timestamp, format: snapshotFormat, rows: snapshotRows(timestamp) });
    this.#say(lines.snapshot(timestamp));
  }

  /** Alone, in company, one batch into the other, and at times, by chance, with a snapshot. */
  async forEver(snapshotChance: number): Promise<never> {
    const random = this.#random;
    for (;;) {
      const running = [this.batch(random.chance(0.5) ? 1 : 1 + random.below(40))];
      if (random.chance(0.2)) running.push(this.batch(1 + random.below(5)));
      if (random.chance(snapshotChance)) running.push(this.snapshot());
      if (random.chance(0.02)) await setTimeout(random.below(3));
      await Promise.all(running);
    }
  }
}
