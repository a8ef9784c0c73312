import type { RegisterStore } from "@ledge/fleet";
import type pg from "pg";
import type { Filled } from "./filling.ts";
import { rowOf } from "./rows.ts";

export interface ChurnFound {
  /** Reports that were stored, each a transaction of its own, and how many per second. */
  readonly reports: number;
  readonly perS: number;
  /** The part of them that touched no index (HOT). */
  readonly hotPart: number;
  /** Of `ledge.rows`, its texts and its indexes: before, afterwards, and how many dead rows were left (MB). */
  readonly beforeMB: number;
  readonly afterMB: number;
  readonly deadRows: number;
  /** How often autovacuum came to that table meanwhile. */
  readonly vacuums: number;
}

/** How many hubs tell something at the same time. */
const telling = 8;

interface Counted {
  readonly bytes: number;
  readonly updates: number;
  readonly hot: number;
  readonly dead: number;
  readonly vacuums: number;
}

/** Lets devices report, one of each home in turn, for a while. */
export async function churn(
  store: Pick<RegisterStore, "apply" | "cursorOf">,
  client: pg.Client,
  registers: readonly Filled[],
  ms: number,
): Promise<ChurnFound> {
  const before = await counted(client);
  const began = performance.now();
  let reports = 0;
  const tell = async (homes: readonly Filled[]): Promise<void> => {
    for (let count = 0; performance.now() - began < ms; count++) {
      const home = homes[count % homes.length];
      if (home === undefined) return;
      const { register, source, devices } = home;
      const after = (await store.cursorOf(source))?.cursor ?? null;
      const row = rowOf(register, source, (count * 31) % devices);
      const timestamp = row.timestamp + 1_000_000_000 + count;
      const object = { ...row.object, timestamp, note: `report ${count}` };
      const upserts = [{ ...row, timestamp, object }];
      const batch = { source, generation: 0, after, upto: `c.${count}`, upserts, removals: [], outbox: [] };
      const applied = await store.apply(batch);
      if (applied.outcome !== "applied") throw new Error(`a report was refused: ${applied.reason}`);
      reports += applied.changed.length;
    }
  };
  // Each has homes of its own, as a hub tells one thing after the other.
  const tellers = Array.from({ length: telling }, (_, at) => at);
  await Promise.all(tellers.map((teller) => tell(registers.filter((_, at) => at % telling === teller))));
  const perS = Math.round(reports / ((performance.now() - began) / 1000));
  let after = await counted(client);
  // An idle backend of PostgreSQL 15 tells its counts ten seconds later at most.
  while (after.updates - before.updates < reports) after = await counted(client);
  const updates = after.updates - before.updates;
  return {
    reports,
    perS,
    hotPart: Number(((after.hot - before.hot) / Math.max(1, updates)).toFixed(3)),
    beforeMB: megabytes(before),
    afterMB: megabytes(after),
    deadRows: after.dead,
    vacuums: after.vacuums - before.vacuums,
  };
}

const megabytes = ({ bytes }: Counted): number => Math.round(bytes / 1e5) / 10;

async function counted(client: pg.Client): Promise<Counted> {
  await client.query("SELECT pg_sleep(1)");
  const { rows } = await client.query<Record<keyof Counted, string>>(
    `SELECT pg_total_relation_size(relid) AS bytes, n_tup_upd AS updates, n_tup_hot_upd AS hot, n_dead_tup AS dead,
       autovacuum_count AS vacuums
     FROM pg_stat_user_tables WHERE schemaname = 'ledge' AND relname = 'rows'`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error("there are no rows");
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, Number(value)]),
  ) as unknown as Counted;
}
