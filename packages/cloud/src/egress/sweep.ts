import type { OutboxMessage, RegisterStore } from "@ledge/fleet";
import type { Logger } from "@ledge/host/logger";
import type { Clock, Kernel } from "@ledge/kernel";
import { limits } from "@ledge/model";
import type { Egress, EgressTarget } from "../model/egress-state.ts";
import type { CloudStates } from "../model/states.ts";
import type { EgressFigures } from "./figures.ts";
import { type LaneHost, readerOf } from "./lane.ts";
import type { OutboxBody } from "./wire-event.ts";

export interface SweepOptions extends Pick<LaneHost, "note"> {
  readonly kernel: Pick<Kernel<CloudStates>, "all" | "get">;
  readonly store: Pick<
    RegisterStore,
    "outbox" | "positionOf" | "trimOutbox" | "beyondNewest" | "outboxBytes"
  >;
  /** Tells the owners of a tenant that the cloud has disabled a target. @returns whether all of them know */
  readonly tellOwners: (siteId: string, target: EgressTarget) => Promise<boolean>;
  readonly figures: EgressFigures;
  /** ms since the epoch. */
  readonly now: () => number;
  readonly clock: Pick<Clock, "after">;
  readonly logger: Pick<Logger, "warn">;
}

/** The end of every outbox. */
const end = Number.MAX_SAFE_INTEGER - 1;

/**
 * Deletes what no target waits for any more, and what is too much or too old; tells owners of targets that the cloud
 * has disabled. Once at the start, then every `limits.egressSweepMs`; what a site has too much goes earlier when it gets
 * many events.
 */
export class Sweep {
  readonly #options: SweepOptions;
  readonly #closed = new Set<string>();
  /** How many events a site has got since its outbox was last trimmed. */
  readonly #grown = new Map<string, number>();
  #isStopped = false;
  #cancel: () => void = () => {};
  /** One thing after the other, so that nothing is counted twice. */
  #running = Promise.resolve();

  constructor(options: SweepOptions) {
    this.#options = options;
    this.#enqueue(() => this.#run());
  }

  /** Notes that messages are in the outboxes. */
  grown(messages: readonly OutboxMessage[]): void {
    for (const { topic } of messages) {
      const count = (this.#grown.get(topic) ?? 0) + 1;
      this.#grown.set(topic, count);
      // Once; the trimming begins to count anew.
      if (count === limits.egressSweepEvents) this.#enqueue(() => this.#trimOne(topic));
    }
  }

  /** Notes that a site may have no targets any more. */
  closed(siteId: string): void {
    this.#closed.add(siteId);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#running;
  }

  #enqueue(act: () => Promise<void>): void {
    this.#running = this.#running.then(act);
  }

  async #trimOne(siteId: string): Promise<void> {
    const { kernel, logger } = this.#options;
    const egress = kernel.get("egress", siteId);
    if (egress === undefined || this.#isStopped) return void this.#grown.delete(siteId);
    try {
      await this.#trim(egress);
    } catch (error) {
      logger.warn({ siteId, reason: (error as Error).message }, "old events of a site could not be deleted");
    }
  }

  async #run(): Promise<void> {
    const { kernel, store, clock, logger } = this.#options;
    try {
      for (const siteId of this.#closed) {
        if (kernel.get("egress", siteId) === undefined) await store.trimOutbox(siteId, end);
        this.#closed.delete(siteId);
      }
      const all = [...kernel.all("egress")];
      for (const [, egress] of all) {
        if (this.#isStopped) return;
        await this.#trim(egress);
        for (const target of Object.values(egress.targets)) await this.#attend(egress.id, target);
      }
    } catch (error) {
      logger.warn({ reason: (error as Error).message }, "old events of sites could not be deleted");
    }
    if (this.#isStopped) return;
    this.#cancel = clock.after(limits.egressSweepMs, () => this.#enqueue(() => this.#run()));
  }

  async #trim(egress: Egress): Promise<void> {
    const { store, figures, logger } = this.#options;
    const { id } = egress;
    this.#grown.delete(id);
    await store.trimOutbox(id, await this.#readByAll(egress));
    let lost = await store.trimOutbox(id, await store.beyondNewest(id, limits.egressKeptEvents));
    for (;;) {
      const upto = await this.#tooOld(id);
      if (upto === 0) break;
      lost += await store.trimOutbox(id, upto);
    }
    while ((await store.outboxBytes(id)) > limits.egressKeptBytes) {
      const oldest = await store.outbox(id, 0, limits.scanSliceRows, limits.egressBatchBytes);
      const trimmed = await store.trimOutbox(id, oldest.at(-1)?.position ?? 0);
      if (trimmed === 0) break;
      lost += trimmed;
    }
    if (lost === 0) return;
    figures.lost += lost;
    logger.warn({ siteId: id, lost }, "events of a site were deleted before all of its targets had them");
  }

  /** Returns the position up to which every target has what it gets, and no dead letter has an event. */
  async #readByAll({ id, targets }: Egress): Promise<number> {
    let position = end;
    for (const target of Object.values(targets)) {
      for (const { first } of target.deadLetters) position = Math.min(position, first - 1);
      // What a person has disabled waits for nothing.
      if (!target.isEnabled && target.stop === null) continue;
      position = Math.min(position, await this.#options.store.positionOf(readerOf(id, target.id)));
    }
    return position;
  }

  /** Returns the position up to which the oldest entries are too old; 0 when they are not. */
  async #tooOld(siteId: string): Promise<number> {
    const { store, now } = this.#options;
    const before = now() - limits.egressKeptMs;
    const oldest = await store.outbox(siteId, 0, limits.scanSliceRows, limits.egressBatchBytes);
    const old = oldest.filter(({ body }) => (body as OutboxBody).at < before);
    return old.at(-1)?.position ?? 0;
  }

  async #attend(siteId: string, target: EgressTarget): Promise<void> {
    const { tellOwners, note, now } = this.#options;
    if (target.stop?.isTold === false && (await tellOwners(siteId, target)))
      await note(siteId, target.id, { type: "NOTE_EGRESS_OWNERS_TOLD" });
    const old = target.deadLetters.filter(({ at }) => at < now() - limits.egressKeptMs);
    if (old.length === 0) return;
    await note(siteId, target.id, { type: "DROP_DEAD_LETTERS", batchIds: old.map(({ batchId }) => batchId) });
  }
}
