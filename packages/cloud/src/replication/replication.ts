import type { Bus, Row } from "@ledge/fleet";
import type { Logger } from "@ledge/host/logger";
import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import { Slots } from "../process/slots.ts";
import { publishRow } from "../registers/row-news.ts";
import type { Tunnels } from "../relay/tunnels.ts";
import { applyChanges, type ApplyingOptions } from "./applying.ts";
import { pullChanges } from "./pull.ts";

export interface ReplicationOptions extends Pick<ApplyingOptions, "store" | "now"> {
  readonly tunnels: Pick<Tunnels, "of" | "onChanged">;
  readonly bus: Pick<Bus, "publish">;
  /** Returns the row of a hub itself; undefined for a hub that belongs to nobody. */
  readonly gatewayOf: (hubId: string) => Row | undefined;
  readonly described: (row: Row) => Row;
  readonly clock: Pick<Clock, "after" | "monotonic">;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly logger: Pick<Logger, "warn" | "info">;
}

/**
 * Keeps the registers of hubs as their homes are, as far as their owners share them. Pulls from each connected hub
 * in turn of its own; what a hub has to tell waits at the hub, so none fills the cloud's memory.
 */
export class Replication {
  readonly #options: ReplicationOptions;
  readonly #pulling = new Map<string, AbortController>();
  readonly #slots = new Slots(limits.changesUnderWay);
  readonly #unsubscribe: () => void;
  #isStopped = false;

  constructor(options: ReplicationOptions) {
    this.#options = options;
    this.#unsubscribe = options.tunnels.onChanged((hubId, isOpen) => {
      if (isOpen) this.#start(hubId);
      else this.#end(hubId);
    });
  }

  /** Deletes all that the cloud has of a hub, which is gone or has another owner. It may tell everything anew. */
  async forget(hubId: string): Promise<void> {
    this.#end(hubId);
    await this.#options.store.forget(hubId);
    if (this.#options.tunnels.of(hubId) !== undefined) this.#start(hubId);
  }

  /** Begins to follow a hub that is connected, such as one that has got its first owner. */
  begin(hubId: string): void {
    if (!this.#pulling.has(hubId) && this.#options.tunnels.of(hubId) !== undefined) this.#start(hubId);
  }

  stop(): void {
    this.#isStopped = true;
    this.#unsubscribe();
    for (const hubId of this.#pulling.keys()) this.#end(hubId);
  }

  #start(hubId: string): void {
    this.#end(hubId);
    // A hub without an owner tells nothing.
    if (this.#isStopped || this.#options.gatewayOf(hubId) === undefined) return;
    const controller = new AbortController();
    this.#pulling.set(hubId, controller);
    void this.#follow(hubId, controller.signal);
  }

  #end(hubId: string): void {
    this.#pulling.get(hubId)?.abort();
    this.#pulling.delete(hubId);
  }

  async #follow(hubId: string, signal: AbortSignal): Promise<void> {
    const { logger, random } = this.#options;
    for (let failures = 0; !signal.aborted;) {
      try {
        const pauseMs = await this.#pullOnce(hubId, signal);
        failures = 0;
        if (pauseMs > 0) await this.#pause(pauseMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        failures++;
        const most = Math.min(
          limits.changesBackoffMaxMs,
          limits.changesBackoffMinMs * 2 ** Math.min(failures - 1, 16),
        );
        const reason = (error as Error).message;
        logger.warn({ hubId, reason, failures }, "the changes of a hub could not be taken");
        await this.#pause(most * (0.5 + random() / 2), signal);
      }
    }
  }

  /** Takes one answer. Returns how long to wait until the next one (ms). */
  async #pullOnce(hubId: string, signal: AbortSignal): Promise<number> {
    const { tunnels, store, clock, gatewayOf, described, now } = this.#options;
    const [session, gateway] = [tunnels.of(hubId), gatewayOf(hubId)];
    if (session === undefined || gateway === undefined) return limits.changesBackoffMaxMs;
    const begun = clock.monotonic();
    const { cursor = null } = (await store.cursorOf(hubId)) ?? {};
    const read = await pullChanges(session, cursor, clock, signal);
    if (read === undefined) return limits.changesBackoffMaxMs;
    const leave = await this.#slots.enter();
    try {
      if (signal.aborted) return 0;
      const applied = await applyChanges(hubId, cursor, read, {
        store,
        described,
        gateway,
        now,
      });
      for (const key of applied?.changed ?? []) publishRow(this.#options.bus, key);
      const isQuick = clock.monotonic() - begun < limits.changesIdleMs;
      const isIdle = applied === undefined || (applied.changed.length === 0 && !read.end.more);
      return isQuick && isIdle ? limits.changesIdleMs : 0;
    } finally {
      leave();
    }
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(ms, resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
    return promise.finally(cancel);
  }
}
