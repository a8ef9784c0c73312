import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type ListQuery, plainList, type RegisterStore, RegisterStoreError } from "@ledge/fleet";
import { batchOf, registerStoreContract, rowOf, type StoreStorage } from "@ledge/fleet/contract";
import { PostgresServer } from "@ledge/testkit/postgres";
import pg from "pg";
import { openPostgresRegisterStore } from "./index.ts";
import { readPage } from "./paging.ts";

let server: PostgresServer;
before(async () => (server = await PostgresServer.start()));
after(() => server.remove());

async function sql(text: string, values: readonly unknown[] = [], url = server.url()): Promise<unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

/** A store in the one database, which is emptied afterwards. */
function storage(): StoreStorage {
  const time = { now: 1000 };
  const opened: RegisterStore[] = [];
  return {
    time,
    isDurable: true,
    open: async (bounds) => {
      const store = await openPostgresRegisterStore({
        url: server.url(),
        now: () => time.now,
        ...(bounds && { bounds }),
      });
      opened.push(store);
      return store;
    },
    remove: async () => {
      for (const store of opened) await store.close();
      await sql("DROP SCHEMA ledge CASCADE");
    },
  };
}

registerStoreContract("a store on PostgreSQL", storage);

const isFailed = (error: unknown): boolean => error instanceof RegisterStoreError && error.code === "failed";

async function withStores(
  count: number,
  run: (...stores: RegisterStore[]) => Promise<void>,
  query = "",
): Promise<void> {
  // What the query bounds is not how long the schema takes.
  if (query !== "") await (await openPostgresRegisterStore({ url: server.url() })).close();
  const opening = Array.from({ length: count }, () =>
    openPostgresRegisterStore({ url: `${server.url()}${query}` }),
  );
  const stores = await Promise.all(opening);
  try {
    await run(...stores);
  } finally {
    await Promise.all(stores.map((store) => store.close()));
    await sql("DROP SCHEMA ledge CASCADE");
  }
}

test("processes that start at the same time create the schema once", async () => {
  await withStores(4, async (one, other) => {
    await one?.apply(batchOf([rowOf("a")]));
    assert.deepEqual(await other?.get(rowOf("a")), rowOf("a"));
  });
});

test("refuses a database of a newer release, and leaves it alone", async () => {
  await withStores(1, async () => {
    await sql("INSERT INTO ledge.migrations (version) VALUES (1000)");
    await assert.rejects(openPostgresRegisterStore({ url: server.url() }), /has schema 1000/);
  });
});

test("one of two processes applies a batch, and each row belongs to one source", async () => {
  await withStores(2, async (...stores) => {
    const rows = Array.from({ length: 200 }, (_, at) => rowOf(`d${at}`));
    const [one, other] = stores as [RegisterStore, RegisterStore];
    const outcomes = await Promise.all([
      one.apply(batchOf(rows)),
      other.apply(batchOf(rows)),
      one.apply(batchOf(rows.toReversed(), { source: "rival" })),
      other.apply(batchOf(rows, { source: "third" })),
    ]);
    const counts = outcomes.map((each) => (each.outcome === "applied" ? each.changed.length : each.reason));
    assert.equal(counts.filter((count) => count === "cursor").length, 1, counts.join());
    assert.equal(
      counts.reduce<number>((sum, count) => sum + (Number(count) || 0), 0),
      200,
      counts.join(),
    );
    const sources = new Set<string>();
    for await (const { source } of one.scan("home", "device")) sources.add(source);
    assert.equal(sources.size, 1, "sources take rows in one order, so one has them all");
  });
});

test("a reader of an outbox misses no message of processes that write at the same time", async () => {
  await withStores(3, async (...stores) => {
    const [one, other, reading] = stores as [RegisterStore, RegisterStore, RegisterStore];
    const batches = 40;
    const write = async (store: RegisterStore, source: string): Promise<void> => {
      for (let at = 0; at < batches; at++) {
        const outbox = [
          { topic: "site", ref: `${source}-${at}`, body: at },
          { topic: "other", ref: `${source}-${at}`, body: at },
        ];
        const cursors = { after: at === 0 ? null : `${at}`, upto: `${at + 1}` };
        await store.apply(batchOf([], { source, ...cursors, outbox }));
      }
    };
    let isWritten = false;
    const written = Promise.all([write(one, "a"), write(other, "b")]).then(() => (isWritten = true));
    const read: string[] = [];
    for (let position = 0; ;) {
      const isLast = isWritten;
      const entries = await reading.outbox("site", position, 7);
      read.push(...entries.map(({ ref }) => ref));
      position = entries.at(-1)?.position ?? position;
      if (isLast && entries.length === 0) break;
    }
    await written;
    for (const source of ["a", "b"]) {
      const own = read.filter((ref) => ref.startsWith(source));
      assert.deepEqual(
        own,
        Array.from({ length: batches }, (_, at) => `${source}-${at}`),
      );
    }
  });
});

test("leases follow the clock of the database", async () => {
  await withStores(2, async (...stores) => {
    const [one, other] = stores as [RegisterStore, RegisterStore];
    const taken = await Promise.all(
      [one, other].map((store, at) => store.takeLease("writer", `n${at}`, 60_000)),
    );
    assert.equal(taken.filter(Boolean).length, 1);
    const [row] = (await sql(
      "SELECT until - extract(epoch FROM now()) * 1000 AS left FROM ledge.leases",
    )) as [{ left: string }];
    assert.ok(Number(row.left) > 0 && Number(row.left) <= 60_000, row.left);
  });
});

test("goes on where it was when the server was killed and has come back", async () => {
  await withStores(1, async (store) => {
    assert.ok(store);
    let acknowledged = 0;
    const { promise: isUnderWay, resolve: underWay } = Promise.withResolvers<void>();
    const writing = (async () => {
      for (let at = 0; ; at++) {
        const cursors = { after: at === 0 ? null : `${at}`, upto: `${at + 1}` };
        const applied = await store.apply(batchOf([rowOf(`d${at}`)], { source: "hub", ...cursors }));
        assert.equal(applied.outcome, "applied");
        acknowledged = at + 1;
        if (acknowledged === 20) underWay();
      }
    })();
    const stopped = assert.rejects(writing, isFailed);
    await isUnderWay;
    await server.kill();
    await stopped;
    await assert.rejects(store.get(rowOf("d0")), isFailed);
    await server.resume();
    const cursor = Number((await store.cursorOf("hub"))?.cursor);
    assert.ok(cursor === acknowledged || cursor === acknowledged + 1, `${cursor} of ${acknowledged}`);
    for (let at = 0; at < acknowledged; at++) assert.ok(await store.get(rowOf(`d${at}`)), `d${at}`);
    const next = batchOf([rowOf("last")], { source: "hub", after: `${cursor}`, upto: `${cursor + 1}` });
    assert.equal((await store.apply(next)).outcome, "applied");
  });
});

test("forgets on what a process had begun to forget", async () => {
  await withStores(1, async (first) => {
    await first?.apply(batchOf(Array.from({ length: 1200 }, (_, at) => rowOf(`d${at}`))));
    await sql("UPDATE ledge.sources SET is_forgotten = true");
    const second = await openPostgresRegisterStore({ url: server.url() });
    try {
      await second.forget("hub");
      assert.equal((await second.apply(batchOf([rowOf("d1")]))).outcome, "applied");
    } finally {
      await second.close();
    }
  });
});

test("gives a statement up that waits for a lock too long, and applies nothing of the batch", async () => {
  await withStores(
    1,
    async (store) => {
      const locking = new pg.Client(server.url());
      await locking.connect();
      try {
        await locking.query("BEGIN; LOCK TABLE ledge.outbox IN ACCESS EXCLUSIVE MODE");
        const outbox = [{ topic: "site", ref: "1-0", body: 1 }];
        await assert.rejects(store?.apply(batchOf([rowOf("a")], { outbox })) ?? Promise.resolve(), isFailed);
      } finally {
        await locking.end();
      }
      assert.equal(await store?.get(rowOf("a")), undefined);
      assert.equal(await store?.cursorOf("hub"), undefined);
    },
    "&statement_timeout=300",
  );
});

test("cuts a slow statement off, applies nothing of it, and answers other questions meanwhile", async () => {
  await withStores(
    1,
    async (store) => {
      assert.ok(store);
      await sql(`CREATE FUNCTION ledge.slow() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_sleep(60); RETURN NEW; END $$`);
      await sql(
        "CREATE TRIGGER slow BEFORE INSERT ON ledge.sources FOR EACH ROW EXECUTE FUNCTION ledge.slow()",
      );
      const order: string[] = [];
      const cutOff = assert.rejects(store.apply(batchOf([rowOf("a")])), /statement timeout/);
      await Promise.all([
        cutOff.then(() => order.push("slow")),
        store.get(rowOf("a")).then((row) => order.push(row === undefined ? "nothing there" : "a row")),
      ]);
      assert.deepEqual(order, ["nothing there", "slow"]);
      await sql("DROP FUNCTION ledge.slow CASCADE");
      assert.equal((await store.apply(batchOf([rowOf("a")]))).outcome, "applied");
    },
    "&statement_timeout=1000",
  );
});

test("says that the disk of the database is full, and applies nothing of the batch", async () => {
  await withStores(1, async (store) => {
    // As PostgreSQL says it of a disk (SQLSTATE 53100).
    await sql(`CREATE FUNCTION ledge.no_room() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$`);
    await sql(
      "CREATE TRIGGER no_room BEFORE INSERT ON ledge.sources FOR EACH ROW EXECUTE FUNCTION ledge.no_room()",
    );
    const isFull = (error: unknown): boolean => error instanceof RegisterStoreError && error.code === "full";
    await assert.rejects(store?.apply(batchOf([rowOf("a")])) ?? Promise.resolve(), isFull);
    assert.equal(await store?.get(rowOf("a")), undefined);
  });
});

test("says that a stored row is damaged", async () => {
  await withStores(1, async (store) => {
    await store?.apply(batchOf([rowOf("a")]));
    await sql("UPDATE ledge.rows SET record = set_byte(record, 30, get_byte(record, 30) # 1)");
    const isDamage = (error: unknown): boolean =>
      error instanceof RegisterStoreError && error.code === "damaged";
    await assert.rejects(store?.get(rowOf("a")) ?? Promise.resolve(), isDamage);
  });
});

test("refuses an address where no database answers", async () => {
  const url = "postgres://ledge@127.0.0.1:1/none";
  await assert.rejects(openPostgresRegisterStore({ url }), isFailed);
  const none = server.url("none");
  await assert.rejects(openPostgresRegisterStore({ url: none }), /"none" does not exist/);
});

test("refuses ids that no store takes, and stores nothing of their batch", async () => {
  await withStores(1, async (store) => {
    assert.ok(store);
    for (const id of ["", "a\u0000b", "i".repeat(129), "\ud800"])
      await assert.rejects(store.apply(batchOf([rowOf("good"), rowOf(id)])), RangeError, id);
    assert.equal(await store.get(rowOf("good")), undefined);
  });
});

test("finds the text that it is asked for, whatever characters patterns have", async () => {
  await withStores(1, async (store) => {
    const names = { a: "100 % \\ done", b: "100 x / done", c: "snake_case", d: "snakeXcase" };
    const rows = Object.entries(names).map(([id, name]) => rowOf(id, { device: { name } }));
    await store?.apply(batchOf(rows));
    const found = async (query: Partial<ListQuery>): Promise<string> =>
      (await store?.page("home", { ...plainList, ...query }))?.rows.map(({ id }) => id).join("") ?? "";
    const searches = ["100 %", "e_c", "% \\ d"].map((search) => found({ search }));
    assert.deepEqual(await Promise.all(searches), ["a", "c", "a"]);
    const filters = [...Object.values(names), "snake", "a"].map((name) => found({ filters: { name } }));
    assert.deepEqual(await Promise.all(filters), ["a", "b", "c", "", "", ""]);
    assert.deepEqual(
      [await found({ filters: { id: "a" } }), await found({ filters: { type: "light" } })],
      ["a", "abcd"],
    );
  });
});

/** Returns the indexes by which a page is read, and whether rows are sorted for it. */
async function planOf(client: pg.Client, register: string, query: Partial<ListQuery>): Promise<string> {
  let plan = "";
  const explaining = {
    query: async <Found extends object>(text: string, values: readonly unknown[] = []): Promise<Found[]> => {
      const { rows } = await client.query<Record<string, string>>(`EXPLAIN ${text}`, [...values]);
      plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      return [];
    },
  };
  await readPage(explaining, register, { ...plainList, ...query });
  const indexes = [...plan.matchAll(/ (?:using|on) (rows_\w+)/g)].map(([, name]) => name);
  return [...indexes, ...(/Sort/.test(plan) ? ["sort"] : []), ...(/Seq Scan/.test(plan) ? ["all"] : [])].join(
    " ",
  );
}

test("reads pages and searches of large registers by an index, and those of small ones without a search index", async () => {
  await withStores(1, async () => {
    // A large register, and many small ones, whose devices have names alike.
    await sql(`INSERT INTO ledge.rows (register, kind, id, source, record, search, folded_id, name, type, model, by_name)
      SELECT register, 'device', 'd' || at, 'hub', '', concat_ws(E'\\x01', 'd' || at, name, type, model, ''), 'd' || at,
        name, type, model, name
      FROM (SELECT at, CASE WHEN at < 8000 THEN 'large' ELSE 'home' || at / 20 END AS register,
        'kitchen lamp ' || md5(at::text) AS name, CASE at % 2 WHEN 0 THEN 'light' ELSE 'switch' END AS type,
        'model ' || at % 2000 AS model FROM generate_series(0, 15999) AS at) AS given`);
    await sql("VACUUM (ANALYZE) ledge.rows");
    const client = new pg.Client(server.url());
    await client.connect();
    try {
      const from = { value: "kitchen lamp 8", id: "d5" };
      const plans = {
        "by id": await planOf(client, "large", { from }),
        "by name": await planOf(client, "large", { orderBy: "name", from }),
        "by name, backward": await planOf(client, "large", { orderBy: "name", from, backward: true }),
        "search of few": await planOf(client, "large", { search: "c4ca4238a0b9" }),
        "filter of few": await planOf(client, "large", { filters: { model: "model 1999" } }),
        "filter of many": await planOf(client, "large", { filters: { type: "switch" } }),
        "search in a home": await planOf(client, "home500", { search: "c4ca4238a0b9" }),
        "filter in a home": await planOf(client, "home500", { filters: { name: "x" }, orderBy: "type" }),
      };
      assert.deepEqual(plans, {
        "by id": "rows_pkey",
        "by name": "rows_by_name",
        "by name, backward": "rows_by_name",
        "search of few": "rows_search sort",
        "filter of few": "rows_search sort",
        "filter of many": "rows_pkey",
        "search in a home": "rows_pkey",
        "filter in a home": "rows_pkey sort",
      });
    } finally {
      await client.end();
    }
  });
});
