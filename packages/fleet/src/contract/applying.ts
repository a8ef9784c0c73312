import assert from "node:assert/strict";
import { limits } from "@ledge/model";
import { RegisterStoreError } from "../register-store.ts";
import { encodeRow } from "../row-record.ts";
import { alarmOf, batchOf, idsIn, rowOf, type Run } from "./rows.ts";

const hub = { source: "hub" };
const keyOf = (id: string, register = "home") => ({ register, kind: "device", id }) as const;

export function applying(run: Run): void {
  run("nothing at first", async (storage) => {
    const store = await storage.open();
    assert.equal(await store.get(keyOf("a")), undefined);
    assert.equal(await store.cursorOf("hub"), undefined);
    assert.deepEqual(await store.sources(), []);
    assert.deepEqual(await idsIn(store.scan("home", "device")), []);
  });

  run("rows that a query sees at once", async (storage) => {
    const store = await storage.open();
    const rows = [rowOf("a"), rowOf("b", { object: null }), alarmOf("a")];
    const applied = await store.apply(batchOf(rows, { upto: "5" }));
    const changed = rows.map(({ register, kind, id }) => ({ register, kind, id }));
    assert.deepEqual(applied, { outcome: "applied", changed, leftOut: [] });
    for (const row of rows) assert.deepEqual(await store.get(row), row);
    assert.deepEqual(await store.cursorOf("hub"), { cursor: "5", generation: 1 });
    assert.deepEqual(await store.sources(), ["hub"]);
  });

  run("any text and any depth of JSON in an object", async (storage) => {
    const store = await storage.open();
    const text = 'Küche \u{1F4A1} 日本 \u0000 " \\ \u2028';
    const row = rowOf("a", { object: { [text]: [[], {}, null, 1e300, -0.5, { text }], ["__proto__"]: 1 } });
    await store.apply(batchOf([row]));
    assert.deepEqual(await store.get(keyOf("a")), row);
  });

  run("the last of several rows with one key, after the removals", async (storage) => {
    const store = await storage.open();
    await store.apply(batchOf([rowOf("a")]));
    const upserts = [rowOf("a", { timestamp: 2 }), rowOf("a", { timestamp: 3 })];
    const batch = batchOf(upserts, { after: "1", upto: "2", removals: [keyOf("a"), keyOf("never")] });
    const applied = await store.apply(batch);
    assert.deepEqual(applied, { outcome: "applied", changed: [keyOf("a")], leftOut: [] });
    assert.equal((await store.get(keyOf("a")))?.timestamp, 3);
  });

  run("removals", async (storage) => {
    const store = await storage.open();
    await store.apply(batchOf([rowOf("a"), rowOf("b"), alarmOf("a")]));
    await store.apply(batchOf([], { after: "1", upto: "2", removals: [keyOf("a")] }));
    assert.deepEqual(await idsIn(store.scan("home", "device")), ["b"]);
    assert.deepEqual(await idsIn(store.scan("home", "alarm")), ["a"]);
  });
}

export function replacing(run: Run): void {
  run("nothing of a row that is stored already", async (storage) => {
    const store = await storage.open();
    await store.apply(batchOf([rowOf("a"), rowOf("b")]));
    const again = [rowOf("a"), rowOf("b", { device: { name: "Lamp" } })];
    const applied = await store.apply(batchOf(again, { after: "1", upto: "2" }));
    assert.deepEqual(applied, { outcome: "applied", changed: [keyOf("b")], leftOut: [] });
  });

  run("a newer row, and keeps its timestamp when the row's is older", async (storage) => {
    const store = await storage.open();
    await store.apply(batchOf([rowOf("a", { timestamp: 9 })]));
    const older = rowOf("a", { timestamp: 4, device: { name: "Lamp" } });
    await store.apply(batchOf([older], { after: "1", upto: "2" }));
    assert.deepEqual(await store.get(keyOf("a")), { ...older, timestamp: 9 });
  });

  run("a newer row, and keeps when the register first had the device", async (storage) => {
    const store = await storage.open();
    await store.apply(batchOf([rowOf("a", { device: { createdAt: 5 } })]));
    const later = rowOf("a", { timestamp: 2, device: { createdAt: 9, name: "Lamp" } });
    await store.apply(batchOf([later], { after: "1", upto: "2" }));
    const kept = { ...later, device: { ...later.device, createdAt: 5 } };
    assert.deepEqual(await store.get(keyOf("a")), kept);
    const same = await store.apply(batchOf([later], { after: "2", upto: "3" }));
    assert.deepEqual(same, { outcome: "applied", changed: [], leftOut: [] });
    await store.apply(batchOf([later], { after: "3", upto: "4", removals: [keyOf("a")] }));
    assert.deepEqual(await store.get(keyOf("a")), later);
  });

  run("10,000 rows at once", async (storage) => {
    const store = await storage.open();
    const ids = Array.from({ length: 10_000 }, (_, at) => `d${String(at).padStart(5, "0")}`);
    await store.apply(batchOf(ids.map((id) => rowOf(id))));
    assert.deepEqual(await idsIn(store.scan("home", "device")), ids);
    assert.deepEqual(await idsIn(store.scan("home", "device", { after: "d00497", until: "d00503" })), [
      "d00498",
      "d00499",
      "d00500",
      "d00501",
      "d00502",
      "d00503",
    ]);
  });
}

export function refusing(run: Run): void {
  run("a batch whose cursor is not the stored one", async (storage) => {
    const store = await storage.open();
    assert.deepEqual(await store.apply(batchOf([rowOf("a")], { after: "1" })), {
      outcome: "refused",
      reason: "cursor",
      stored: undefined,
    });
    await store.apply(batchOf([rowOf("a")]));
    const stored = { cursor: "1", generation: 1 };
    for (const after of [null, "0", "2"]) {
      const batch = batchOf([rowOf("b")], { after, upto: "3", removals: [keyOf("a")] });
      assert.deepEqual(await store.apply(batch), { outcome: "refused", reason: "cursor", stored });
    }
    assert.deepEqual(await idsIn(store.scan("home", "device")), ["a"]);
    assert.deepEqual(await store.cursorOf("hub"), stored);
  });

  run("a batch of an older generation, and takes one of a newer", async (storage) => {
    const store = await storage.open();
    await store.apply(batchOf([rowOf("a")], { generation: 5 }));
    const older = batchOf([rowOf("b")], { generation: 4, after: "1", upto: "2" });
    const stored = { cursor: "1", generation: 5 };
    assert.deepEqual(await store.apply(older), { outcome: "refused", reason: "generation", stored });
    assert.equal((await store.apply({ ...older, generation: 6 })).outcome, "applied");
    assert.deepEqual(await store.cursorOf("hub"), { cursor: "2", generation: 6 });
  });

  run("the second of two equal batches at the same time", async (storage) => {
    const store = await storage.open();
    const batch = batchOf([rowOf("a")], { outbox: [{ topic: "site", ref: "1-0", body: 1 }] });
    const outcomes = await Promise.all([store.apply(batch), store.apply(batch)]);
    assert.deepEqual(outcomes.map(({ outcome }) => outcome).toSorted(), ["applied", "refused"]);
    assert.equal((await store.outbox("site", 0, 10)).length, 1);
  });
}

export function leavingOut(run: Run): void {
  run("rows of another source, and says which", async (storage) => {
    const store = await storage.open();
    await store.apply(batchOf([rowOf("a", hub)]));
    const rival = rowOf("a", { source: "rival", timestamp: 99, object: null });
    const own = rowOf("b", { source: "rival" });
    const applied = await store.apply(batchOf([rival, own], { removals: [keyOf("a")] }));
    assert.deepEqual(applied, { outcome: "applied", changed: [keyOf("b")], leftOut: [keyOf("a")] });
    assert.deepEqual(await store.get(keyOf("a")), rowOf("a", hub));

    await store.apply(batchOf([], { source: "hub", after: "1", upto: "2", removals: [keyOf("a")] }));
    await store.apply(batchOf([rival], { after: "1", upto: "2" }));
    assert.deepEqual(await store.get(keyOf("a")), rival);
  });

  run("rows of a source beyond its number, and takes some again when others have gone", async (storage) => {
    const store = await storage.open({ ...limits, sourceRows: 3 });
    await store.apply(batchOf([rowOf("a"), rowOf("b")]));
    const more = [rowOf("c"), rowOf("d"), rowOf("a", { timestamp: 2 }), alarmOf("e")];
    const applied = await store.apply(batchOf(more, { after: "1", upto: "2" }));
    const leftOut = [keyOf("d"), { ...keyOf("e"), kind: "alarm" }];
    assert.deepEqual(applied, { outcome: "applied", changed: [keyOf("c"), keyOf("a")], leftOut });
    const rival = await store.apply(batchOf([rowOf("r", { source: "rival" })]));
    assert.equal(rival.outcome === "applied" && rival.leftOut.length, 0);
    const removals = [keyOf("b"), keyOf("never"), keyOf("r")];
    await store.apply(batchOf([rowOf("d"), rowOf("f")], { after: "2", upto: "3", removals }));
    assert.deepEqual(await idsIn(store.scan("home", "device")), ["a", "c", "d", "r"]);
    await store.forget("hub");
    await store.apply(batchOf([rowOf("x"), rowOf("y"), rowOf("z"), rowOf("zz")]));
    assert.deepEqual(await idsIn(store.scan("home", "device")), ["r", "x", "y", "z"]);
  });

  run(
    "rows of a source beyond its bytes, and takes them when others have become smaller",
    async (storage) => {
      const texts = { text: "x".repeat(100) };
      const [a, b] = [rowOf("a"), rowOf("b", { object: { id: "b", ...texts } })];
      const bounds = { ...limits, sourceBytes: encodeRow(a).length + encodeRow(b).length };
      const first = await storage.open(bounds);
      const keys = [keyOf("a"), keyOf("b")];
      assert.deepEqual(await first.apply(batchOf([a, b])), {
        outcome: "applied",
        changed: keys,
        leftOut: [],
      });
      if (storage.isDurable) await first.close();
      const store = storage.isDurable ? await storage.open(bounds) : first;
      const larger = rowOf("a", { timestamp: 2, object: { id: "a", ...texts } });
      const full = await store.apply(batchOf([larger, rowOf("c")], { after: "1", upto: "2" }));
      assert.deepEqual(full, { outcome: "applied", changed: [], leftOut: [keyOf("a"), keyOf("c")] });
      assert.deepEqual(await store.get(keyOf("a")), a);
      const rival = await store.apply(batchOf([rowOf("r", { source: "rival" })]));
      assert.equal(rival.outcome === "applied" && rival.leftOut.length, 0);

      const smaller = rowOf("b", { timestamp: 2 });
      const swapped = await store.apply(batchOf([smaller, larger], { after: "2", upto: "3" }));
      assert.deepEqual(swapped, { outcome: "applied", changed: keys.toReversed(), leftOut: [] });
      const removals = [keyOf("a")];
      await store.apply(batchOf([rowOf("c"), larger], { after: "3", upto: "4", removals }));
      assert.deepEqual(await idsIn(store.scan("home", "device")), ["b", "c", "r"]);
      await store.forget("hub");
      const anew = await store.apply(batchOf([larger, smaller]));
      assert.deepEqual(anew.outcome === "applied" && anew.leftOut, []);
    },
  );
}

export function closing(run: Run): void {
  run("every call after it was closed", async (storage) => {
    const store = await storage.open();
    await store.close();
    await store.close();
    const isClosed = (error: unknown): boolean =>
      error instanceof RegisterStoreError && error.code === "closed";
    await assert.rejects(store.apply(batchOf([rowOf("a")])), isClosed);
    await assert.rejects(store.get(keyOf("a")), isClosed);
    await assert.rejects(idsIn(store.scan("home", "device")), isClosed);
  });
}
