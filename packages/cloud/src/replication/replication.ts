import {
  type Batch,
  type Bus,
  keyOf,
  type OutboxMessage,
  type RegisterStore,
  type Row,
  type RowKey,
} from "@ledge/fleet";
import type { Logger } from "@ledge/host/logger";
import type { Clock } from "@ledge/kernel";
import { type ChangeEvent, changeKinds } from "@ledge/link";
import { limits } from "@ledge/model";
import type { Egress } from "../egress/open-egress.ts";
import { pause } from "../process/pause.ts";
import { Retries } from "../process/retries.ts";
import { Slots } from "../process/slots.ts";
import { publishDeviceEvent } from "../registers/device-news.ts";
import { publishRow } from "../registers/row-news.ts";
import type { Tunnels } from "../relay/tunnels.ts";
import { anew, applyChanges, type ApplyingOptions } from "./applying.ts";
import { Asking } from "./asking.ts";
import { type AnswerOutcome, Pace } from "./pace.ts";
import { ChangesError, type ReadChanges } from "./read-changes.ts";

export interface ReplicationOptions extends Pick<ApplyingOptions, "now"> {
  readonly store: RegisterStore;
  readonly tunnels: Pick<Tunnels, "of" | "onChanged">;
  readonly bus: Pick<Bus, "publish">;
  /** Returns the rows of a hub itself in all its registers, its own first; none for a hub that belongs to nobody. */
  readonly gatewaysOf: (hubId: string) => readonly Row[];
  /** Returns the registers of tenants in which a hub is a gateway. */
  readonly registersOf: (hubId: string) => readonly string[];
  readonly described: (row: Row) => Row;
  readonly egress: Pick<Egress, "messagesFor" | "stored">;
  readonly clock: Pick<Clock, "after" | "monotonic">;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly logger: Pick<Logger, "error" | "warn" | "info">;
}

/** What became of a request for changes. */
interface Taken {
  /** Undefined when there is nobody to ask, or nothing that answers. */
  readonly outcome: AnswerOutcome | undefined;
  readonly leftOut: number;
}
const silent: Taken = { outcome: undefined, leftOut: 0 };

/** One connection of a hub. */
interface HubConnection {
  readonly asking: Asking;
  readonly signal: AbortSignal;
  /** What the last stored answer said of the hub itself, besides its changes. */
  storedFacts: string | undefined;
}

/**
 * Keeps the registers of hubs as their homes are, as far as their owners share them. Pulls from each connected hub
 * in turn of its own; what a hub has to tell waits at the hub, so none fills the cloud's memory.
 */
export class Replication {
  readonly #options: ReplicationOptions;
  readonly #pulling = new Map<string, AbortController>();
  /** Called when a hub has told its whole home, by hub. */
  readonly #syncing = new Map<string, Set<() => void>>();
  readonly #slots = new Slots(limits.changesUnderWay);
  readonly #retries: Retries;
  readonly #unsubscribe: () => void;
  #isStopped = false;

  constructor(options: ReplicationOptions) {
    this.#options = options;
    this.#retries = new Retries(options.clock);
    this.#unsubscribe = options.tunnels.onChanged((hubId, isOpen) => {
      if (isOpen) this.#start(hubId);
      else this.#end(hubId);
    });
  }

  /**
   * Deletes all that the cloud has of a hub, which is gone or has another owner. It may tell everything anew. A failure
   * is logged, and it is tried again.
   */
  async forget(hubId: string): Promise<void> {
    try {
      await this.#forget(hubId);
      this.#retries.succeeded(hubId);
    } catch (error) {
      if (this.#isStopped) return;
      const { logger } = this.#options;
      logger.error({ error, hubId }, "the register of a hub could not be deleted: it is tried again");
      this.#retries.failed(hubId, () => void this.forget(hubId));
    }
  }

  async #forget(hubId: string): Promise<void> {
    this.#end(hubId);
    const { store, registersOf } = this.#options;
    // Registers of tenants go on, and whoever watches them is told.
    for (const register of registersOf(hubId)) await this.leave(hubId, register);
    await store.forget(hubId);
    if (this.#options.tunnels.of(hubId) !== undefined) this.#start(hubId);
  }

  /**
   * Makes a hub tell its whole home anew. Its rows stay until the hub has told what is gone.
   * @returns true when the register has all that the hub shares; false when aborted before
   */
  async sync(hubId: string, signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const done = (): void => resolve(true);
    const waiting = this.#syncing.get(hubId) ?? new Set();
    this.#syncing.set(hubId, waiting);
    const abort = (): void => resolve(false);
    signal.addEventListener("abort", abort, { once: true });
    try {
      if (signal.aborted) return false;
      await this.#rewind(hubId);
      waiting.add(done);
      // A request that waits for news has the cursor from before.
      if (this.#options.tunnels.of(hubId) !== undefined) this.#start(hubId);
      return await promise;
    } finally {
      signal.removeEventListener("abort", abort);
      waiting.delete(done);
      if (waiting.size === 0 && this.#syncing.get(hubId) === waiting) this.#syncing.delete(hubId);
    }
  }

  /**
   * Deletes the rows of a hub in a register of a tenant in which it is a gateway no more. What is being told of the
   * hub meanwhile is told again.
   */
  async leave(hubId: string, register: string): Promise<void> {
    this.#end(hubId);
    for (const kind of changeKinds) {
      const keys: RowKey[] = [];
      const remove = (): Promise<void> => {
        const removals = keys.splice(0);
        return this.#amend(hubId, () => ({ upserts: [], removals }));
      };
      for await (const row of this.#options.store.scan(register, kind)) {
        if (row.source === hubId && keys.push(keyOf(row)) >= limits.scanSliceRows) await remove();
      }
      if (keys.length > 0) await remove();
    }
    this.begin(hubId);
  }

  /** Puts a cursor in place of the stored one that leads no hub into its log, and the hub itself into its registers. */
  async #rewind(hubId: string): Promise<void> {
    const { described, gatewaysOf } = this.#options;
    await this.#amend(hubId, () => {
      return { upserts: gatewaysOf(hubId).map(described), removals: [], upto: anew };
    });
  }

  /** Changes rows of a hub between two of its answers. */
  async #amend(
    hubId: string,
    changing: () => Pick<Batch, "upserts" | "removals"> & Partial<Pick<Batch, "upto">>,
  ): Promise<void> {
    const { store } = this.#options;
    for (;;) {
      const { cursor = null, generation = 0 } = (await store.cursorOf(hubId)) ?? {};
      const { upto = cursor ?? anew, ...changes } = changing();
      const batch = { source: hubId, generation, after: cursor, upto, outbox: [], ...changes };
      const applied = await store.apply(batch);
      if (applied.outcome === "applied") return this.#publish(applied.changed);
      if (applied.reason !== "cursor") return;
    }
  }

  #publish(changed: readonly RowKey[]): void {
    for (const key of changed) publishRow(this.#options.bus, key);
  }

  /** Begins to follow a hub that is connected, such as one that has got its first owner. */
  begin(hubId: string): void {
    if (!this.#pulling.has(hubId) && this.#options.tunnels.of(hubId) !== undefined) this.#start(hubId);
  }

  stop(): void {
    this.#isStopped = true;
    this.#retries.stop();
    this.#unsubscribe();
    for (const hubId of this.#pulling.keys()) this.#end(hubId);
  }

  #start(hubId: string): void {
    this.#end(hubId);
    // A hub without an owner tells nothing.
    if (this.#isStopped || this.#options.gatewaysOf(hubId).length === 0) return;
    const controller = new AbortController();
    this.#pulling.set(hubId, controller);
    void this.#follow(hubId, controller.signal);
  }

  #end(hubId: string): void {
    this.#pulling.get(hubId)?.abort();
    this.#pulling.delete(hubId);
  }

  async #follow(hubId: string, signal: AbortSignal): Promise<void> {
    const { logger, random, clock } = this.#options;
    const pace = new Pace(random);
    const asking = new Asking(clock, signal);
    const connection: HubConnection = { asking, signal, storedFacts: undefined };
    let isTold = false;
    while (!signal.aborted) {
      try {
        const { outcome, leftOut } = await this.#pullOnce(hubId, connection);
        // Once per connection: the hub may tell the same in every answer.
        if (leftOut > 0 && !isTold) {
          isTold = true;
          logger.warn({ hubId, leftOut }, "the register of a hub does not take some of its objects");
        }
        const pauseMs = pace.afterAnswer(outcome);
        if (pauseMs > 0) await pause(pauseMs, clock, signal);
      } catch (error) {
        if (signal.aborted) break;
        const pauseMs = pace.afterFailure();
        const { failures } = pace;
        const reason = (error as Error).message;
        logger.warn({ hubId, reason, failures }, "the changes of a hub could not be taken");
        await pause(pauseMs, clock, signal);
      }
    }
    asking.end();
  }

  /** Takes one answer. */
  async #pullOnce(hubId: string, connection: HubConnection): Promise<Taken> {
    const { asking, signal } = connection;
    const { tunnels, store, clock, gatewaysOf, described, now, bus, egress } = this.#options;
    const session = tunnels.of(hubId);
    if (session === undefined) return silent;
    const begun = clock.monotonic();
    const { cursor = null } = (await store.cursorOf(hubId)) ?? {};
    const answer = await asking.next(session, cursor);
    if (answer === undefined) return silent;
    const leave = await this.#slots.enter();
    try {
      if (signal.aborted) return silent;
      const read = await answer.read();
      if (read.end.more) await asking.ahead(session, read.end.next);
      const gateways = gatewaysOf(hubId);
      if (gateways.length === 0) return silent;
      const isQuick = (): boolean => clock.monotonic() - begun < limits.changesIdleMs;
      const facts = JSON.stringify([read.head.generation, read.head.share, gateways.map(described)]);
      // Nearly all answers of a large fleet: a transaction for each would keep the database busy for nothing.
      if (facts === connection.storedFacts && isSilent(read, cursor))
        return { outcome: { isQuick: isQuick(), hasMore: false, changed: 0 }, leftOut: 0 };
      const messagesFor = (event: ChangeEvent): OutboxMessage[] =>
        gateways.flatMap(({ register }) => egress.messagesFor(register, event));
      const onStored = egress.stored;
      const registers = gateways.map(({ register }) => register);
      const onEvents = (events: readonly ChangeEvent[]): void => {
        for (const event of events) publishDeviceEvent(bus, registers, event);
      };
      const onChanged = (keys: readonly RowKey[]): void => this.#publish(keys);
      const told = { messagesFor, onStored, onEvents, onChanged };
      const applying = { store, described, gateways, now, ...told, signal };
      const applied = await applyChanges(hubId, cursor, read, applying);
      if (applied.outcome === "refused" && applied.reason === "generation")
        throw new ChangesError(
          `the hub tells of generation ${read.head.generation}, which is older than another one`,
        );
      if (applied.outcome === "applied" && isWhole(read))
        for (const done of this.#syncing.get(hubId) ?? []) done();
      const { changed, leftOut } = applied.outcome === "applied" ? applied : { changed: 0, leftOut: 0 };
      if (applied.outcome === "applied") connection.storedFacts = facts;
      return { outcome: { isQuick: isQuick(), hasMore: read.end.more, changed }, leftOut };
    } finally {
      answer.end();
      leave();
    }
  }
}

/** Returns whether an answer says that nothing has changed since the cursor. */
function isSilent({ head, lines, end }: ReadChanges, cursor: string | null): boolean {
  return lines.length === 0 && !head.full && end.next === cursor && !end.more;
}

/** Returns whether the register has the whole home after an answer that begins or goes on with one. */
function isWhole({ head, end }: ReadChanges): boolean {
  return head.share === "none" || (head.full && (end.upto ?? null) === null);
}
