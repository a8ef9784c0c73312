import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { batchOf, registerStoreContract, rowOf } from "../contract/index.ts";
import { type RegisterStore, RegisterStoreError } from "../register-store.ts";
import { openLmdbRegisterStore } from "./lmdb-register-store.ts";

registerStoreContract("a store on LMDB", () => {
  const folder = mkdtempSync(join(tmpdir(), "ledge-fleet-"));
  const time = { now: 1000 };
  let store: RegisterStore | undefined;
  const onDiscarded = (problem: string): void => assert.fail(problem);
  return {
    time,
    isDurable: true,
    open: async (bounds) => {
      const options = { folder, now: () => time.now, onDiscarded, ...(bounds && { bounds }) };
      return (store = await openLmdbRegisterStore(options));
    },
    remove: async () => {
      await store?.close();
      rmSync(folder, { recursive: true });
    },
  };
});

interface Opened {
  readonly folder: string;
  readonly problems: string[];
  readonly open: () => Promise<RegisterStore>;
}

function storeIn(context: TestContext): Opened {
  const folder = mkdtempSync(join(tmpdir(), "ledge-fleet-"));
  const problems: string[] = [];
  let store: RegisterStore | undefined;
  context.after(async () => {
    await store?.close();
    rmSync(folder, { recursive: true });
  });
  const options = { folder, now: () => 0, onDiscarded: (problem: string) => void problems.push(problem) };
  return { folder, problems, open: async () => (store = await openLmdbRegisterStore(options)) };
}

test("discards files that are no register store, and begins an empty one", async (context) => {
  const { folder, problems, open } = storeIn(context);
  writeFileSync(join(folder, "data.mdb"), "not a database");
  const store = await open();
  assert.equal(problems.length, 1);
  assert.equal((await store.apply(batchOf([rowOf("a")]))).outcome, "applied");
});

test("discards a store with a damaged row when it reads that row, and goes on empty", async (context) => {
  const { folder, problems, open } = storeIn(context);
  const first = await open();
  const marked = rowOf("a", { device: { name: "Needle In The Row" } });
  await first.apply(batchOf([marked, rowOf("b")]));
  await first.close();
  const file = join(folder, "data.mdb");
  const bytes = readFileSync(file);
  const at = bytes.indexOf("Needle In The Row");
  assert.ok(at > 0);
  for (let found = at; found >= 0; found = bytes.indexOf("Needle In The Row", found + 1)) bytes[found] = 0x4d;
  writeFileSync(file, bytes);

  const second = await open();
  assert.deepEqual(await second.get(rowOf("b")), rowOf("b"));
  const isDamage = (error: unknown): boolean =>
    error instanceof RegisterStoreError && error.code === "damaged";
  await assert.rejects(second.get(marked), isDamage);
  assert.deepEqual(problems, ["a stored row is damaged"]);
  assert.equal(await second.get(rowOf("b")), undefined);
  assert.equal(await second.cursorOf("hub"), undefined);
  assert.equal((await second.apply(batchOf([marked]))).outcome, "applied");
  assert.deepEqual(await second.get(marked), marked);
});

test("refuses ids that do not fit a key, and stores nothing of their batch", async (context) => {
  const store = await storeIn(context).open();
  for (const id of ["", "a\u0000b", "i".repeat(129), "\ud800"]) {
    await assert.rejects(store.apply(batchOf([rowOf("good"), rowOf(id)])), RangeError, id);
    await assert.rejects(
      store.apply(batchOf([], { removals: [{ ...rowOf("a"), register: id }] })),
      RangeError,
    );
    await assert.rejects(store.apply(batchOf([], { source: id })), RangeError);
  }
  assert.equal(await store.get(rowOf("good")), undefined);
  assert.equal(await store.cursorOf("hub"), undefined);
});

test("continues to forget a source when it is opened again", async (context) => {
  const { open } = storeIn(context);
  const first = await open();
  const rows = Array.from({ length: 3000 }, (_, at) => rowOf(`d${at}`));
  await first.apply(batchOf(rows));
  first.forget("hub").catch(() => {});
  // The store closes while rows are left.
  await first.close();
  const second = await open();
  assert.equal(await second.cursorOf("hub"), undefined);
  await second.forget("hub");
  for (const row of rows) assert.equal(await second.get(row), undefined);
  assert.equal((await second.apply(batchOf([rowOf("d1")]))).outcome, "applied");
});
