// A cloud in a database beside its peers: registers beside plain upserts of PostgreSQL, and pushes beside socket.io.
import type { DeviceRow, RegisterStore } from "@ledge/fleet";
import { openPostgresRegisterStore } from "@ledge/fleet-postgres";
import { PostgresServer } from "@ledge/testkit/postgres";
import pg from "pg";
import type { Figure } from "./figure.ts";
import { fleetPushFigures } from "./fleet-pushes.ts";
import { deviceId } from "./home.ts";
import { rowOf } from "./registers.ts";

const rows = 2000;
const rounds = 5;
const reads = 500;
const told = { limit: null, gated: false } as const;

export async function fleetFigures(): Promise<readonly Figure[]> {
  return [...(await storeFigures()), ...(await fleetPushFigures())];
}

/** What our layer adds to writes and reads. */
async function storeFigures(): Promise<readonly Figure[]> {
  const server = await PostgresServer.start();
  const client = new pg.Client(server.url());
  const store = await openPostgresRegisterStore({ url: server.url() });
  try {
    await client.connect();
    await client.query("CREATE TABLE plain (register text, id text, row jsonb, PRIMARY KEY (register, id))");
    const best = { ours: Infinity, plain: Infinity, get: Infinity, select: Infinity };
    for (let round = 0; round <= rounds; round++) {
      const ours = await timed(() => apply(store, round));
      const plain = await timed(() => upsert(client, round));
      const get = await timed(async () => {
        for (let at = 0; at < reads; at++)
          await store.get({ register: "home", kind: "device", id: deviceId(at) });
      });
      const select = await timed(async () => {
        for (let at = 0; at < reads; at++)
          await client.query("SELECT row FROM plain WHERE register = $1 AND id = $2", ["home", deviceId(at)]);
      });
      // The first round makes the rows; the others change them.
      if (round === 0) continue;
      for (const [name, ms] of Object.entries({ ours, plain, get, select }))
        best[name as keyof typeof best] = Math.min(best[name as keyof typeof best], ms);
    }
    const how = `best of ${rounds} rounds in turns, both on one server that does not flush`;
    const batch = `batches of ${rows} devices that change, with cursor, search and bounds, by one statement of plain upserts; ${how}`;
    return [
      { name: "fleet rows written", value: rows / (best.ours / 1000), unit: "rows/s", ...told, how: batch },
      { name: "fleet write over upsert", value: best.ours / best.plain, unit: "x", ...told, how: batch },
      {
        name: "fleet read",
        value: (best.get / reads) * 1000,
        unit: "µs",
        ...told,
        how: `one row after the other; ${how}`,
      },
      {
        name: "fleet read over select",
        value: best.get / best.select,
        unit: "x",
        ...told,
        how: `the same; ${how}`,
      },
    ];
  } finally {
    await store.close();
    await client.end();
    await server.remove();
  }
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await action();
  return performance.now() - began;
}

async function apply(store: RegisterStore, round: number): Promise<void> {
  const upserts = Array.from({ length: rows }, (_, at) => changedRow(at, round));
  const [after, upto] = [round === 0 ? null : `${round}`, `${round + 1}`];
  const batch = { source: "hub", generation: 0, after, upto, upserts, removals: [], outbox: [] };
  const applied = await store.apply(batch);
  if (applied.outcome !== "applied" || applied.changed.length !== rows)
    throw new Error("a batch was refused");
}

async function upsert(client: pg.Client, round: number): Promise<void> {
  const all = Array.from({ length: rows }, (_, at) => changedRow(at, round));
  await client.query(
    `INSERT INTO plain SELECT 'home', * FROM unnest($1::text[], $2::jsonb[])
     ON CONFLICT (register, id) DO UPDATE SET row = excluded.row`,
    [all.map(({ id }) => id), all.map((row) => JSON.stringify(row))],
  );
}

function changedRow(at: number, round: number): DeviceRow {
  const row = rowOf("home", "hub", at, rows);
  return { ...row, timestamp: round * rows + at, object: { ...row.object, timestamp: round * rows + at } };
}
