import assert from "node:assert/strict";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type EventLog, LogError } from "@ledge/log";
import { logContract } from "@ledge/log/contract";
import { batchOf } from "@ledge/fleet/contract";
import type { Commit } from "@ledge/model";
import { temporaryFolder } from "@ledge/testkit";
import { PostgresServer } from "@ledge/testkit/postgres";
import pg from "pg";
import { DatabaseImport, openPostgresRegisterStore } from "../index.ts";
import { openPostgresLog, type PostgresLogOptions } from "./postgres-log.ts";

let server: PostgresServer;
before(async () => (server = await PostgresServer.start()));
after(() => server.remove());

async function sql<Found>(text: string, values: readonly unknown[] = []): Promise<Found[]> {
  const client = new pg.Client(server.url());
  await client.connect();
  try {
    return (await client.query(text, [...values])).rows as Found[];
  } finally {
    await client.end();
  }
}

const empty = "TRUNCATE ledge.log_blocks, ledge.log_parts, ledge.log_records, ledge.leases";

logContract("a log on PostgreSQL", () => {
  let log: EventLog | undefined;
  return {
    open: async (options = {}) => (log = await openPostgresLog({ url: server.url(), ...options })),
    damageSnapshot: async (key) => {
      await sql(
        "UPDATE ledge.log_parts SET bytes = set_byte(bytes, 20, get_byte(bytes, 20) # 1) WHERE key = $1",
        [key],
      );
    },
    remove: async () => {
      await log?.close();
      await sql(empty);
    },
  };
});

const commit = (timestamp: number): Commit => ({
  timestamp,
  events: [{ type: "AccountAdded", id: `a${timestamp}`, version: 1, origin: "system", depth: 0 }],
});
const timestamps = (log: EventLog): number[] => [...log.read()].map(({ timestamp }) => timestamp);
const isFailed = (error: unknown): boolean => error instanceof LogError && error.code === "failed";

/** Runs with logs of their own each, and a way to take the lease of the writer. */
async function withWriters(
  run: (
    open: (options?: Partial<PostgresLogOptions>) => ReturnType<typeof openPostgresLog>,
    lead: (holder: string) => Promise<number>,
  ) => Promise<void>,
): Promise<void> {
  const url = server.url();
  const store = await openPostgresRegisterStore({ url });
  const opened: EventLog[] = [];
  try {
    await run(
      async (options = {}) => {
        const log = await openPostgresLog({ url, ...options });
        opened.push(log);
        return log;
      },
      async (holder) => {
        for (const { holder: other } of await store.leases("writer"))
          await store.releaseLease("writer", other);
        return (await store.takeLease("writer", holder, 60_000))?.epoch ?? assert.fail("the lease is taken");
      },
    );
  } finally {
    for (const log of opened) await log.close();
    await store.close();
    await sql(empty);
  }
}

test("a writer whose lease another one has taken appends and saves nothing more", async () => {
  await withWriters(async (open, lead) => {
    const first = await open({ fence: { lease: "writer", epoch: await lead("one") } });
    await first.append(commit(10));
    const epoch = await lead("two");
    const second = await open({ fence: { lease: "writer", epoch } });
    assert.deepEqual(timestamps(second), [10]);
    await assert.rejects(first.saveSnapshot({ timestamp: 10, format: "f", rows: [] }), isFailed);
    await assert.rejects(first.append(commit(20)), /another process has become the writer/);
    await second.append(commit(30));
    assert.deepEqual(timestamps(await open()), [10, 30]);
  });
});

test("without a fence, two writers tear the log apart, and verifying it says so", async () => {
  await withWriters(async (open) => {
    const [first, second] = [await open(), await open()];
    await first.append(commit(10));
    await second.append(commit(20));
    const third = await open();
    assert.notDeepEqual(third.verify().damage, []);
  });
});

test("what is written while the database is away waits for it, is stored once, and the outage is told", async () => {
  await withWriters(async (open, lead) => {
    const told: (string | undefined)[] = [];
    const { promise: isOut, resolve: out } = Promise.withResolvers<void>();
    const onOutage = (reason: string | undefined): void => {
      told.push(reason);
      if (reason !== undefined) out();
    };
    const log = await open({ fence: { lease: "writer", epoch: await lead("one") }, onOutage });
    await log.append(commit(10));
    await server.kill();
    const waiting = [log.append(commit(20)), log.append(commit(30))];
    await isOut;
    assert.equal(log.last, 10, "nothing shows before it is stored");
    await server.resume();
    await Promise.all(waiting);
    assert.deepEqual([told.length, told.at(-1)], [2, undefined]);
    assert.deepEqual(timestamps(await open()), [10, 20, 30]);
  });
});

/** A socket in a folder of its own that passes on to a server's, unless it is silent. */
class SilentWire {
  readonly #folder = temporaryFolder();
  readonly #ends = new Set<Socket>();
  readonly #server: Server;
  isSilent = false;

  constructor(to: string) {
    this.#server = createServer((near) => {
      const far = connect(join(to, socketName));
      for (const [from, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#ends.add(from);
        from.on("data", (bytes) => void (this.isSilent || other.write(bytes)));
        from.on("error", () => {});
        from.once("close", () => void other.destroy());
      }
    });
    this.#server.listen(join(this.#folder.path, socketName));
  }

  get folder(): string {
    return this.#folder.path;
  }

  close(): void {
    for (const end of this.#ends) end.destroy();
    this.#server.close();
    this.#folder.remove();
  }
}
const socketName = ".s.PGSQL.5432";

test("what a database leaves without an answer is sent again over another connection, and stored once", async () => {
  const wire = new SilentWire(server.folder);
  try {
    await withWriters(async (open, lead) => {
      const { promise: isOut, resolve: out } = Promise.withResolvers<string | undefined>();
      const fence = { lease: "writer", epoch: await lead("one") };
      const behind = server.url().replace(encodeURIComponent(server.folder), encodeURIComponent(wire.folder));
      const log = await open({ url: `${behind}&query_timeout=300`, fence, onOutage: out });
      await log.append(commit(10));
      wire.isSilent = true;
      const waiting = log.append(commit(20));
      assert.match((await isOut) ?? "", /read timeout/);
      wire.isSilent = false;
      await waiting;
      await log.append(commit(30));
      assert.deepEqual(timestamps(await open()), [10, 20, 30]);
    });
  } finally {
    wire.close();
  }
});

test("a block that a lost connection has stored counts once", async () => {
  await withWriters(async (open, lead) => {
    const log = await open({ fence: { lease: "writer", epoch: await lead("one") } });
    await log.append(commit(10));
    // As if the database had taken the block and the connection was lost before it said so.
    const twin = await open();
    await twin.append(commit(20));
    await lead("two");
    await log.append(commit(20));
    assert.deepEqual(timestamps(await open()), [10, 20]);
    await assert.rejects(log.append(commit(30)), isFailed);
  });
});

test("a full disk is waited for, and what waits can be given up", async () => {
  await withWriters(async (open) => {
    const { promise: isOut, resolve: out } = Promise.withResolvers<string | undefined>();
    const log = await open({ onOutage: out });
    // As PostgreSQL says it of a disk (SQLSTATE 53100).
    await sql(`CREATE FUNCTION ledge.no_room() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$`);
    await sql(
      "CREATE TRIGGER no_room BEFORE INSERT ON ledge.log_blocks FOR EACH ROW EXECUTE FUNCTION ledge.no_room()",
    );
    try {
      const waiting = assert.rejects(log.append(commit(10)), isFailed);
      assert.match((await isOut) ?? "", /could not extend file/);
      log.abandon();
      await waiting;
    } finally {
      await sql("DROP FUNCTION ledge.no_room CASCADE");
    }
    assert.deepEqual(timestamps(await open()), []);
  });
});

test("an end that cannot be read is damage, and stays", async () => {
  await withWriters(async (open) => {
    const log = await open();
    await log.append(commit(10));
    await log.append(commit(20));
    await sql(
      "UPDATE ledge.log_blocks SET bytes = set_byte(bytes, 50, get_byte(bytes, 50) # 1) WHERE timestamp = 20",
    );
    await assert.rejects(open(), { name: "LogError", code: "damaged" });
    assert.equal((await sql("SELECT 1 FROM ledge.log_blocks")).length, 2);
  });
});

test("a database that is being filled opens for nobody else, and takes messages at their positions", async () => {
  await withWriters(async (open) => {
    const url = server.url();
    const cutOff = await DatabaseImport.begin(url);
    const unfinished = {
      name: "LogError",
      code: "locked",
      message: /^an import into the database was not finished/,
    };
    await assert.rejects(open(), unfinished);
    await (await open({ isImport: true })).append(commit(10));
    await cutOff.close();

    const again = await DatabaseImport.begin(url);
    const entries = [5, 8].map((position) => ({
      topic: "site",
      ref: `${position}-0`,
      body: position,
      position,
      source: "a",
    }));
    await again.putMessages("site", entries);
    await again.finish();
    await again.close();
    const log = await open();
    assert.deepEqual(timestamps(log), [], "what the one before left is gone");
    await log.append(commit(20));
    const store = await openPostgresRegisterStore({ url });
    try {
      assert.deepEqual(await store.outbox("site", 5, 9), entries.slice(1));
      const outbox = [{ topic: "site", ref: "next", body: 1 }];
      await store.apply(batchOf([], { source: "b", outbox }));
      assert.deepEqual(
        (await store.outbox("site", 0, 9)).map(({ position }) => position),
        [5, 8, 9],
      );
    } finally {
      await store.close();
      await sql("TRUNCATE ledge.outbox, ledge.topics, ledge.sources");
    }
    await assert.rejects(DatabaseImport.begin(url), /has a cloud already/);
  });
});

test("waits for a table that somebody has locked, says so, and goes on", async () => {
  await withWriters(async (open) => {
    const { promise: isOut, resolve: out } = Promise.withResolvers<string | undefined>();
    const log = await open({ url: `${server.url()}&statement_timeout=300`, onOutage: out });
    const locking = new pg.Client(server.url());
    await locking.connect();
    await locking.query("BEGIN; LOCK TABLE ledge.log_blocks IN ACCESS EXCLUSIVE MODE");
    const waiting = log.append(commit(10));
    assert.match((await isOut) ?? "", /statement timeout/);
    await locking.query("COMMIT");
    await locking.end();
    await waiting;
    assert.deepEqual(timestamps(await open()), [10]);
  });
});
