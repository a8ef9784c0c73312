import { keyOf, type RegisterStore, type Row, type RowKey } from "@ledge/fleet";
import { changeKinds, type ChangePlace } from "@ledge/link";
import { limits } from "@ledge/model";

/** The part of a home that a page of a full answer tells: after a place and up to another one; null for the ends. */
export interface PageRange {
  readonly from: ChangePlace | null;
  readonly upto: ChangePlace | null;
}

/** Yields the keys of the rows of a hub in a register and a part of its home that are not among these, in slices. */
export async function* missingRows(
  hubId: string,
  register: string,
  rows: readonly Row[],
  { from, upto }: PageRange,
  store: Pick<RegisterStore, "scan">,
): AsyncGenerator<readonly RowKey[]> {
  const there = new Set(rows.map(({ kind, id }) => `${kind} ${id}`));
  let gone: RowKey[] = [];
  const first = from === null ? 0 : changeKinds.indexOf(from.kind);
  const last = upto === null ? changeKinds.length : changeKinds.indexOf(upto.kind) + 1;
  for (const kind of changeKinds.slice(first, last)) {
    const range = {
      ...(from?.kind === kind && { after: from.id }),
      ...(upto?.kind === kind && { until: upto.id }),
    };
    for await (const row of store.scan(register, kind, range)) {
      // The hub itself is in no answer, so it goes with no page.
      if (row.source !== hubId || row.id === hubId || there.has(`${kind} ${row.id}`)) continue;
      if (gone.push(keyOf(row)) < limits.scanSliceRows) continue;
      yield gone;
      gone = [];
    }
  }
  if (gone.length > 0) yield gone;
}
