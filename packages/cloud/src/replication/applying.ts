import type { Batch, OutboxMessage, Refused, RegisterStore, Row, RowKey } from "@ledge/fleet";
import type { ChangeEvent, ChangeLine } from "@ledge/link";
import { missingRows, type PageRange } from "./missing-rows.ts";
import type { ReadChanges } from "./read-changes.ts";
import { removedKey, rowOf } from "./rows.ts";

/** A cursor that no hub gives, and that leads no hub into its log: it tells its home from the beginning. */
export const anew = "anew";

/** What applying needs. */
export interface ApplyingOptions {
  readonly store: Pick<RegisterStore, "apply" | "forget" | "scan">;
  /** Returns a row as the platform shows it, with what people say of the device. */
  readonly described: (row: Row) => Row;
  /** The rows of the hub itself: in its own register, and in each in which it is a gateway. */
  readonly gateways: readonly Row[];
  readonly now: () => number;
  /** Returns what an event of a device puts into outboxes. */
  readonly messagesFor: (event: ChangeEvent) => readonly OutboxMessage[];
  /** Called with messages once they are in the outboxes. */
  readonly onStored: (messages: readonly OutboxMessage[]) => void;
  /** Called with events of devices, once the rows that they are about are stored. */
  readonly onEvents: (events: readonly ChangeEvent[]) => void;
  /** Called with rows that have changed or gone, once they have. */
  readonly onChanged: (keys: readonly RowKey[]) => void;
  /** Aborted when the hub is not followed any more, or followed anew: from then on nothing is written. */
  readonly signal: AbortSignal;
}

/** What an answer did. */
export interface AppliedChanges {
  readonly outcome: "applied";
  /** How many rows changed, appeared or went. */
  readonly changed: number;
  /**
   * How many objects the register does not take: another source's, beyond their number, or with an id or a time
   * that it cannot hold.
   */
  readonly leftOut: number;
}

/**
 * Stores an answer of a hub, its rows and its cursor in one transaction. The rows that a full answer lacks go before
 * that, in slices. An answer that repeats another one changes nothing.
 * @param after the stored cursor, with which the hub was asked
 * @returns `refused` when another process or release has stored something meanwhile
 * @throws the reason of the signal
 */
export async function applyChanges(
  hubId: string,
  after: string | null,
  { head, lines, end }: ReadChanges,
  options: ApplyingOptions,
): Promise<AppliedChanges | Refused> {
  const { share: note, generation, full, from = null } = head;
  const { next, upto = null } = end;
  const writer = new RegisterWriter(options, { source: hubId, generation, note }, after);
  if (note === "none") return applyNone(writer, next, options);
  const { gateways, described } = options;
  const upserts: Row[] = gateways.map(described);
  const removals: RowKey[] = [];
  const outbox: OutboxMessage[] = [];
  const events: ChangeEvent[] = [];
  for (const line of lines) {
    if ("event" in line) {
      outbox.push(...options.messagesFor(line.event));
      events.push(line.event);
      continue;
    }
    if ("removed" in line) {
      const key = removedKey(hubId, line.removed);
      if (key) for (const { register } of gateways) removals.push({ ...key, register });
      continue;
    }
    const row = rowIn(hubId, line, options);
    if (row === undefined) writer.leftOut++;
    else
      for (const { register } of gateways)
        upserts.push(described(register === row.register ? row : { ...row, register }));
  }
  const refused =
    (full ? await writer.removeMissing(upserts, { from, upto }) : undefined) ??
    (await writer.write({ upserts, removals, outbox, upto: next }));
  if (refused !== undefined) return refused;
  options.onEvents(events);
  return writer.applied;
}

/**
 * Deletes what the cloud has of a home, and keeps the hub itself. Meanwhile the cursor leads nowhere, so a home that
 * is shared again is told from the beginning, wherever the deletion was interrupted.
 */
async function applyNone(
  register: RegisterWriter,
  next: string,
  { store, gateways, described, signal }: ApplyingOptions,
): Promise<AppliedChanges | Refused> {
  const upserts = gateways.map(described);
  if (register.cursor !== null && register.cursor !== next) {
    const refused =
      (await register.write({ upserts: [], removals: [], upto: anew })) ??
      (await register.removeMissing(upserts, { from: null, upto: null }));
    if (refused) return refused;
    signal.throwIfAborted();
    // What it has left in outboxes goes as well.
    await store.forget(register.source);
    register.cursor = null;
  }
  return (await register.write({ upserts, removals: [], upto: next })) ?? register.applied;
}

/** Writes an answer into the registers of its hub, in one or more batches. */
class RegisterWriter {
  /** The stored cursor. */
  cursor: string | null;
  leftOut = 0;
  #changed = 0;
  readonly #options: Pick<ApplyingOptions, "store" | "gateways" | "onChanged" | "onStored" | "signal">;
  readonly #batch: Pick<Batch, "source" | "generation" | "note">;

  constructor(
    options: Pick<ApplyingOptions, "store" | "gateways" | "onChanged" | "onStored" | "signal">,
    batch: Pick<Batch, "source" | "generation" | "note">,
    cursor: string | null,
  ) {
    this.#options = options;
    this.#batch = batch;
    this.cursor = cursor;
  }

  get source(): string {
    return this.#batch.source;
  }

  get applied(): AppliedChanges {
    return { outcome: "applied", changed: this.#changed, leftOut: this.leftOut };
  }

  /** Removes the hub's rows on a page but for these. The cursor stays. */
  async removeMissing(rows: readonly Row[], page: PageRange): Promise<Refused | undefined> {
    const { cursor: upto } = this;
    // A hub without a cursor has no rows.
    if (upto === null) return undefined;
    const { store, gateways } = this.#options;
    for (const { register } of gateways) {
      const there = rows.filter((row) => row.register === register);
      for await (const removals of missingRows(this.source, register, there, page, store)) {
        const refused = await this.write({ upserts: [], removals, upto });
        if (refused) return refused;
      }
    }
    return undefined;
  }

  async write(
    part: Pick<Batch, "upserts" | "removals" | "upto"> & Partial<Pick<Batch, "outbox">>,
  ): Promise<Refused | undefined> {
    const { store, onChanged, onStored, signal } = this.#options;
    const { outbox = [] } = part;
    signal.throwIfAborted();
    const applied = await store.apply({ ...this.#batch, outbox, after: this.cursor, ...part });
    if (applied.outcome === "refused") return applied;
    onChanged(applied.changed);
    if (outbox.length > 0) onStored(outbox);
    this.cursor = part.upto;
    this.#changed += applied.changed.length;
    this.leftOut += applied.leftOut.length;
    return undefined;
  }
}

type ObjectLine = Extract<ChangeLine, { readonly device: unknown } | { readonly alarm: unknown }>;

function rowIn(hubId: string, line: ObjectLine, { now }: Pick<ApplyingOptions, "now">): Row | undefined {
  return "alarm" in line ? rowOf(hubId, "alarm", line.alarm, 0) : rowOf(hubId, "device", line.device, now());
}
