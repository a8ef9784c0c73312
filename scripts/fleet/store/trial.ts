import { openPostgresRegisterStore } from "@ledge/fleet-postgres";
import { CloudProcess } from "@ledge/cloud/process";
import { temporaryFolder } from "@ledge/testkit";
import { PostgresServer } from "@ledge/testkit/postgres";
import pg from "pg";
import { runMsOf } from "../hubs/measured.ts";
import { churn, type ChurnFound } from "./churn.ts";
import { type Restored, restore } from "./backups.ts";
import { fill, type Filled, type FillFound, timed } from "./filling.ts";
import { Owner, type OwnerFound } from "./owner.ts";
import { searched, searches, type SearchFound } from "./searches.ts";
import { rowOf } from "./rows.ts";

export interface StoreOptions {
  /** Devices in all registers. */
  readonly rows: number;
  /** How often each search is asked. */
  readonly times: number;
  /** How long (ms) devices report one by one. */
  readonly churnMs: number;
  /** Whether the database is restored from its backups, which takes longer than all the rest. */
  readonly isRestored: boolean;
  readonly tell: (line: string) => void;
}

export interface StoreFound extends FillFound {
  readonly rows: number;
  readonly registers: number;
  /** Bytes of a device in the table with its texts, and in each index. */
  readonly bytesPerDevice: Readonly<Record<string, number>>;
  /** How long searches took (ms), by the number of devices of their register. */
  readonly searches: Readonly<Record<string, Readonly<Record<string, SearchFound>>>>;
  /** The same over HTTP, as the owner of the register asks. */
  readonly owners: Readonly<Record<string, OwnerFound>>;
  /** Devices that changed per second, in batches of 50, and how long the table took to be vacuumed afterwards (s). */
  readonly changedPerS: number;
  readonly vacuumS: number;
  readonly churned: ChurnFound;
  /** Undefined when it was not tried. */
  readonly restored: Restored | undefined;
}

/** The server has a quarter of an ordinary machine's memory, and makes indexes with more. */
const settings = [
  "shared_buffers=2GB",
  "maintenance_work_mem=2GB",
  "max_wal_size=16GB",
  "wal_compression=on",
  "checkpoint_timeout=30min",
];

/** Devices of an ordinary home. */
const home = 50;
const batches = 200;

/** Fills a database with so many devices, asks it, and restores it. */
export async function tryStore(options: StoreOptions): Promise<StoreFound> {
  const { rows, times, churnMs, isRestored, tell } = options;
  const root = temporaryFolder();
  const server = await PostgresServer.start();
  await server.restart(...settings);
  const client = new pg.Client(server.url());
  let cloud: CloudProcess | undefined;
  try {
    cloud = await CloudProcess.start(`${root.path}/cloud`, "--store", server.url());
    const owners: Owner[] = [];
    // No source has more than the limit says, and some register is a large part of the table.
    for (const devices of [home, Math.min(10_000, rows / 10), Math.min(200_000, rows / 4)])
      owners.push(await Owner.of(cloud, Math.floor(devices)));
    await cloud.stop();
    await client.connect();
    const registers = [...owners, ...homes(rows - owners.reduce((sum, { devices }) => sum + devices, 0))];
    const filled = await fill(server, client, registers, tell);
    const bytesPerDevice = await sizes(client, rows);
    tell(`bytes a device: ${JSON.stringify(bytesPerDevice)}`);

    const store = await openPostgresRegisterStore({ url: server.url() });
    const { rows: backends } = await client.query<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'ledge-cloud'",
    );
    const ranMs = (): number => runMsOf(backends.map(({ pid }) => pid));
    const found: Record<string, Record<string, SearchFound>> = {};
    let changedPerS = 0;
    let churned: ChurnFound;
    try {
      for (const owner of owners) {
        const all: Record<string, SearchFound> = {};
        for (const search of searches)
          all[search.name] = await searched(store, owner, search, { times, ranMs });
        found[owner.devices] = all;
        tell(`register of ${owner.devices}: ${JSON.stringify(all)}`);
      }
      churned = await churn(store, client, registers.slice(owners.length), churnMs);
      tell(`churn: ${JSON.stringify(churned)}`);
      changedPerS = await changing(store, registers);
    } finally {
      await store.close();
    }
    const vacuumS = await timed(() => client.query("VACUUM ledge.rows"));
    tell(`${changedPerS} devices changed a second; vacuum ${vacuumS} s`);

    cloud = await CloudProcess.start(cloud.folder, "--store", server.url());
    const asked: Record<string, OwnerFound> = {};
    for (const owner of owners) asked[owner.devices] = await owner.ask(cloud, Math.min(times, 40));
    tell(`over HTTP: ${JSON.stringify(asked)}`);
    const answers = await Promise.all(owners.map((owner) => owner.answers(cloud as CloudProcess)));
    await cloud.stop();
    await client.end();
    const backedUp = { server, folder: cloud.folder, settings, owners, answers, tell };
    const restored = isRestored ? await restore(backedUp) : undefined;
    const counts = { rows, registers: registers.length };
    return {
      ...counts,
      ...filled,
      bytesPerDevice,
      searches: found,
      owners: asked,
      changedPerS,
      vacuumS,
      churned,
      restored,
    };
  } finally {
    await client.end();
    await cloud?.kill();
    await server.remove();
    root.remove();
  }
}

/** Registers of ordinary homes with so many devices together; people added them, so no hub has to be there. */
function homes(devices: number): Filled[] {
  return Array.from({ length: Math.ceil(devices / home) }, (_, at) => {
    const register = `home-${at}`;
    return { register, source: `own:${register}`, devices: Math.min(home, devices - at * home) };
  });
}

async function sizes(client: pg.Client, rows: number): Promise<Record<string, number>> {
  const { rows: found } = await client.query<{ name: string; bytes: string }>(
    `SELECT 'rows' AS name, pg_table_size('ledge.rows') AS bytes
     UNION ALL SELECT indexname, pg_relation_size(('ledge.' || indexname)::regclass) FROM pg_indexes
     WHERE schemaname = 'ledge' AND tablename = 'rows'
     UNION ALL SELECT 'all', pg_database_size(current_database())`,
  );
  return Object.fromEntries(found.map(({ name, bytes }) => [name, Math.round(Number(bytes) / rows)]));
}

/** Lets all devices of some homes report, a home after the other. @returns devices per second */
async function changing(
  store: Awaited<ReturnType<typeof openPostgresRegisterStore>>,
  registers: readonly Filled[],
): Promise<number> {
  const chosen = Array.from({ length: batches }, (_, at) => registers[(at * 7919) % registers.length]);
  let count = 0;
  const began = performance.now();
  for (const [at, filled] of chosen.entries()) {
    if (filled === undefined) continue;
    const { register, source, devices } = filled;
    const after = (await store.cursorOf(source))?.cursor ?? null;
    const upserts = Array.from({ length: Math.min(home, devices) }, (_, index) => {
      const row = rowOf(register, source, index);
      const timestamp = row.timestamp + 1 + at;
      return { ...row, timestamp, object: { ...row.object, timestamp } };
    });
    const batch = { source, generation: 0, after, upto: `s.${at + 1}`, upserts, removals: [], outbox: [] };
    const applied = await store.apply(batch);
    if (applied.outcome !== "applied") throw new Error(`a batch was refused: ${applied.reason}`);
    count += applied.changed.length;
  }
  return Math.round(count / ((performance.now() - began) / 1000));
}
