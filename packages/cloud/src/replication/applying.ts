import type { Applied, RegisterStore, Row, RowKey } from "@ledge/fleet";
import type { ChangeLine } from "@ledge/link";
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
}

/**
 * Stores an answer of a hub, or nothing of it. An answer that repeats another one changes nothing.
 * @returns what has changed; undefined when another process or release has stored something meanwhile
 */
export async function applyChanges(
  hubId: string,
  after: string | null,
  { head, lines, end }: ReadChanges,
  options: ApplyingOptions,
): Promise<Applied | undefined> {
  const { store } = options;
  if (head.share === "none") return applyNone(hubId, after, end.next, head.generation, options);
  const rows: Row[] = [options.described(options.gateway)];
  const removals: RowKey[] = [];
  for (const line of lines) {
    if ("removed" in line) {
      const key = removedKey(hubId, line.removed);
      if (key) removals.push(key);
      continue;
    }
    const row = await rowIn(hubId, line, options);
    if (row) rows.push(row);
  }
  if (head.full) removals.push(...(await missing(hubId, rows, store)));
  const batch = { source: hubId, generation: head.generation, after, upto: end.next, outbox: [] };
  const applied = await store.apply({ ...batch, upserts: rows, removals });
  return applied.outcome === "applied" ? applied : undefined;
}

/** Deletes what the cloud has of a home, and keeps the hub itself. */
async function applyNone(
  hubId: string,
  after: string | null,
  next: string,
  generation: number,
  { store, gateway, described }: ApplyingOptions,
): Promise<Applied | undefined> {
  const isNew = after !== null && after !== next;
  const gone = isNew ? await missing(hubId, [gateway], store) : [];
  if (isNew) await store.forget(hubId);
  const batch = { source: hubId, generation, after: after === next ? after : null, upto: next, outbox: [] };
  const applied = await store.apply({ ...batch, upserts: [described(gateway)], removals: [] });
  return applied.outcome === "applied" ? { ...applied, changed: [...gone, ...applied.changed] } : undefined;
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

/** Returns the rows of the hub that are not among these. */
async function missing(hubId: string, rows: readonly Row[], store: RegisterStore): Promise<RowKey[]> {
  const there = new Set(rows.map(({ kind, id }) => `${kind} ${id}`));
  const gone: RowKey[] = [];
  for (const kind of ["device", "alarm"] as const)
    for await (const { id, source } of store.scan(hubId, kind))
      if (source === hubId && !there.has(`${kind} ${id}`)) gone.push({ register: hubId, kind, id });
  return gone;
}
