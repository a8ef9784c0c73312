import { RegisterStoreError } from "@ledge/fleet";
import type { Connections, Session } from "./connections.ts";

/** Serves to tell our locks from those of others in the same database. */
const migrationLock = 0x1ed6e;

/**
 * The steps of the schema, each carried out once, in order. A step that a release has carried out is never changed:
 * append the next one.
 *
 * A row is stored as `encodeRow` returns it. What lists order by is in `by_…` columns, cut as their cursors are; what
 * they filter by is in folded columns beside them. Texts compare by their bytes, which is the order of code points.
 * Vacuum comes when 2 % of a large table are left behind, not 20 %.
 */
export const steps: readonly string[] = [
  `
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE EXTENSION IF NOT EXISTS btree_gin;

  CREATE TABLE ledge.sources (
    id text COLLATE "C" PRIMARY KEY,
    cursor text NOT NULL,
    generation bigint NOT NULL,
    note text,
    rows bigint NOT NULL,
    bytes bigint NOT NULL,
    is_forgotten boolean NOT NULL DEFAULT false
  );

  CREATE TABLE ledge.rows (
    register text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL,
    record bytea NOT NULL,
    search text,
    folded_id text, name text, type text, native_id text, serial_number text, model text, manufacturer text,
    gateway_id text, tags text[], capabilities text[],
    by_name text COLLATE "C", by_native_id text COLLATE "C", by_serial_number text COLLATE "C",
    by_type text COLLATE "C", by_created_by text COLLATE "C", by_modified_by text COLLATE "C",
    PRIMARY KEY (register, kind, id)
  ) WITH (fillfactor = 85);
  CREATE INDEX rows_of_source ON ledge.rows (source, register, kind, id);
  CREATE INDEX rows_by_name ON ledge.rows (register, by_name, id) WHERE kind = 'device';
  CREATE INDEX rows_search ON ledge.rows USING gin (register, search gin_trgm_ops) WHERE kind = 'device';

  CREATE TABLE ledge.topics (
    topic text COLLATE "C" PRIMARY KEY,
    position bigint NOT NULL,
    bytes bigint NOT NULL
  );
  CREATE TABLE ledge.outbox (
    topic text COLLATE "C" NOT NULL,
    position bigint NOT NULL,
    source text COLLATE "C" NOT NULL,
    message text NOT NULL,
    PRIMARY KEY (topic, position)
  );
  CREATE INDEX outbox_of_source ON ledge.outbox (source, topic, position);
  CREATE TABLE ledge.readers (name text COLLATE "C" PRIMARY KEY, position bigint NOT NULL);

  CREATE TABLE ledge.leases (
    name text COLLATE "C" PRIMARY KEY,
    holder text NOT NULL,
    epoch bigint NOT NULL,
    until bigint NOT NULL
  );
  `,
  `
  CREATE TABLE ledge.log_blocks (timestamp bigint PRIMARY KEY, bytes bytea NOT NULL);
  ALTER TABLE ledge.log_blocks ALTER COLUMN bytes SET STORAGE EXTERNAL;
  CREATE TABLE ledge.log_parts (key text COLLATE "C" PRIMARY KEY, bytes bytea NOT NULL);
  CREATE TABLE ledge.log_records (key text COLLATE "C" PRIMARY KEY, bytes bytea NOT NULL);
  `,
  `
  CREATE TABLE ledge.personal_keys (subject text COLLATE "C" PRIMARY KEY, key_id text NOT NULL, sealed bytea NOT NULL);
  `,
  `
  ALTER TABLE ledge.personal_keys ADD COLUMN position bigint GENERATED ALWAYS AS IDENTITY;
  `,
  `
  ALTER TABLE ledge.rows SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
  ALTER TABLE ledge.sources SET (autovacuum_vacuum_scale_factor = 0.02);
  ALTER TABLE ledge.outbox SET (autovacuum_vacuum_scale_factor = 0.02);
  `,
];

/**
 * Brings the schema of a database to that of this release. Several processes may do so at the same time.
 * @throws RegisterStoreError `failed` when a newer release has written it
 */
export async function migrate(connections: Connections): Promise<void> {
  await connections.transaction(async (session) => {
    await session.query("SELECT pg_advisory_xact_lock($1)", [migrationLock]);
    const version = await versionIn(session);
    if (version > steps.length)
      throw new RegisterStoreError(
        "failed",
        `the database has schema ${version}; this release knows up to ${steps.length}`,
      );
    for (const [at, step] of steps.entries()) {
      if (at < version) continue;
      await session.query(step);
      await session.query("INSERT INTO ledge.migrations (version) VALUES ($1)", [at + 1]);
    }
  });
}

/** Returns how many steps were carried out. */
async function versionIn(session: Session): Promise<number> {
  // A role that may not create schemas can be given an empty one.
  const [schema] = await session.query<{ found: boolean }>(
    "SELECT to_regnamespace('ledge') IS NOT NULL AS found",
  );
  if (schema?.found !== true) await session.query("CREATE SCHEMA ledge");
  await session.query(
    "CREATE TABLE IF NOT EXISTS ledge.migrations (version integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())",
  );
  const [last] = await session.query<{ version: number | null }>(
    "SELECT max(version) AS version FROM ledge.migrations",
  );
  return last?.version ?? 0;
}
