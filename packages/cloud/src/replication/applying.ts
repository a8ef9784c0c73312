import type { Batch, Refused, RegisterStore, Row, RowKey } from "@ledge/fleet";
import type { ChangeLine } from "@ledge/link";
import { missingRows } from "./missing-rows.ts";
import type { ReadChanges } from "./read-changes.ts";
import { removedKey, rowOf } from "./rows.ts";

/** What applying needs. */
export interface ApplyingOptions {
  readonly store: RegisterStore;
  /** Returns a row as the platform shows it, with what people say of the device. */
  readonly described: (row: Row) => Row;
  /** The row of the hub itself. */
  readonly gateway: Row;
  readonly now: () => number;
  /** Called with rows that have changed or gone, once they have. */
  readonly onChanged: (keys: readonly RowKey[]) => void;
}

/** What an answer did. */
export interface AppliedChanges {
  readonly outcome: "applied";
  /** How many rows changed, appeared or went. */
  readonly changed: number;
  /** How many objects the register does not take: another source's, or with an id or a time that it cannot hold. */
  readonly leftOut: number;
}

/**
 * Stores an answer of a hub, its rows and its cursor in one transaction. The rows that a full answer lacks go before
 * that, in slices. An answer that repeats another one changes nothing.
 * @param after the stored cursor, with which the hub was asked
 * @returns `refused` when another process or release has stored something meanwhile
 */
export async function applyChanges(
  hubId: string,
  after: string | null,
  { head, lines, end }: ReadChanges,
  options: ApplyingOptions,
): Promise<AppliedChanges | Refused> {
  const { share: note, generation, full, from = null } = head;
  const { next, upto = null } = end;
  const register = new Writing(options, { source: hubId, generation, after, upto: next, outbox: [], note });
  if (note === "none") return applyNone(register, options);
  const upserts: Row[] = [options.described(options.gateway)];
  const removals: RowKey[] = [];
  for (const line of lines) {
    if ("event" in line) continue;
    if ("removed" in line) {
      const key = removedKey(hubId, line.removed);
      if (key) removals.push(key);
      continue;
    }
    const row = await rowIn(hubId, line, options);
    if (row) upserts.push(row);
    else register.leftOut++;
  }
  const refused = full ? await register.removeMissing(upserts, { from, upto }) : undefined;
  return refused ?? register.write({ upserts, removals });
}

/** Deletes what the cloud has of a home, and keeps the hub itself. */
async function applyNone(
  register: Writing,
  { store, gateway, described }: ApplyingOptions,
): Promise<AppliedChanges | Refused> {
  const { source, after, upto } = register.batch;
  const upserts = [described(gateway)];
  if (after === null || after === upto) return register.write({ upserts, removals: [] });
  const refused = await register.removeMissing(upserts, { from: null, upto: null });
  if (refused) return refused;
  // What it has left in outboxes goes as well.
  await store.forget(source);
  return register.write({ upserts, removals: [], after: null });
}

/** Writes of an answer into the register of its hub, one after the other. */
class Writing {
  readonly batch: Omit<Batch, "upserts" | "removals">;
  readonly #options: Pick<ApplyingOptions, "store" | "onChanged">;
  #changed = 0;
  leftOut = 0;

  constructor(
    options: Pick<ApplyingOptions, "store" | "onChanged">,
    batch: Omit<Batch, "upserts" | "removals">,
  ) {
    this.#options = options;
    this.batch = batch;
  }

  /** Removes the hub's rows between two places but for these, and leaves its cursor. */
  async removeMissing(
    rows: readonly Row[],
    page: Parameters<typeof missingRows>[2],
  ): Promise<Refused | undefined> {
    const { source, after } = this.batch;
    if (after === null) return undefined;
    for await (const removals of missingRows(source, rows, page, this.#options.store)) {
      const written = await this.write({ upserts: [], removals, upto: after });
      if (written.outcome === "refused") return written;
    }
    return undefined;
  }

  async write(part: Pick<Batch, "upserts" | "removals"> & Partial<Batch>): Promise<AppliedChanges | Refused> {
    const { store, onChanged } = this.#options;
    const applied = await store.apply({ ...this.batch, ...part });
    if (applied.outcome === "refused") return applied;
    onChanged(applied.changed);
    this.#changed += applied.changed.length;
    this.leftOut += applied.leftOut.length;
    return { outcome: "applied", changed: this.#changed, leftOut: this.leftOut };
  }
}

async function rowIn(
  hubId: string,
  line: ChangeLine,
  { store, described, now }: ApplyingOptions,
): Promise<Row | undefined> {
  if ("alarm" in line) return rowOf(hubId, "alarm", line.alarm, 0);
  if (!("device" in line)) return undefined;
  const row = rowOf(hubId, "device", line.device, now());
  if (row?.kind !== "device") return undefined;
  const known = await store.get(row);
  const { createdAt } = known?.kind === "device" ? known.device : row.device;
  return described({ ...row, device: { ...row.device, createdAt } });
}
