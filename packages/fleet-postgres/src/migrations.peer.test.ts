import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { after, before, test } from "node:test";
import { encodeRow } from "@ledge/fleet/store";
import { rowOf } from "@ledge/fleet/contract";
import { PostgresServer } from "@ledge/testkit/postgres";
import pg from "pg";
import { steps } from "./migrations.ts";
import { openPostgresRegisterStore } from "./postgres-register-store.ts";

let server: PostgresServer;
before(async () => (server = await PostgresServer.start()));
after(() => server.remove());

/** Of each step, as a database may have carried it out. A step is appended here, and no other one changes. */
const released = [
  "92c88c96ceb97d1d",
  "056420797b9a5637",
  "223d78bdb91426a2",
  "db95705dcd9c0da5",
  "73ff05bbb76de8e9",
];

test("no step that a database may have carried out has changed", () => {
  assert.deepEqual(
    steps.map((step) => hash("sha256", step).slice(0, 16)),
    released,
  );
});

for (let version = 1; version < steps.length; version++)
  test(`two processes that start at once bring schema ${version} forward, and its rows stay`, async () => {
    const url = server.create(`schema${version}`);
    const client = new pg.Client(url);
    await client.connect();
    await client.query("CREATE SCHEMA ledge");
    await client.query(
      "CREATE TABLE ledge.migrations (version integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())",
    );
    for (let at = 0; at < version; at++) {
      await client.query(steps[at] ?? assert.fail());
      await client.query("INSERT INTO ledge.migrations (version) VALUES ($1)", [at + 1]);
    }
    const row = rowOf("kept");
    await client.query(
      "INSERT INTO ledge.rows (register, kind, id, source, record) VALUES ($1, $2, $3, $4, $5)",
      [row.register, row.kind, row.id, row.source, encodeRow(row)],
    );
    const stores = await Promise.all([
      openPostgresRegisterStore({ url }),
      openPostgresRegisterStore({ url }),
    ]);
    try {
      for (const store of stores) assert.deepEqual(await store.get(row), row);
      const { rows } = await client.query("SELECT version FROM ledge.migrations ORDER BY version");
      assert.deepEqual(
        rows.map((each: { version: number }) => each.version),
        steps.map((_, at) => at + 1),
      );
    } finally {
      for (const store of stores) await store.close();
      await client.end();
    }
  });
