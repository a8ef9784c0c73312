import assert from "node:assert/strict";
import { batchOf, idsIn, rowOf, type Run } from "./rows.ts";

const message = (topic: string, ref: string) => ({ topic, ref, body: { ref } });

export function outboxes(run: Run): void {
  run("messages by topic, in order, with growing positions", async (storage) => {
    const store = await storage.open();
    const outbox = [message("one", "1-0"), message("other", "1-1"), message("one", "1-2")];
    await store.apply(batchOf([rowOf("a")], { outbox }));
    await store.apply(batchOf([], { source: "rival", outbox: [message("one", "7-0")] }));
    const entries = await store.outbox("one", 0, 10);
    assert.deepEqual(
      entries.map(({ ref, body, source }) => ({ ref, body, source })),
      [
        { ref: "1-0", body: { ref: "1-0" }, source: "hub" },
        { ref: "1-2", body: { ref: "1-2" }, source: "hub" },
        { ref: "7-0", body: { ref: "7-0" }, source: "rival" },
      ],
    );
    const positions = entries.map(({ position }) => position);
    assert.ok(
      positions.every((position, at) => position > (positions[at - 1] ?? 0)),
      positions.join(" "),
    );
    assert.deepEqual(await store.outbox("one", positions[0] as number, 1), entries.slice(1, 2));
    assert.deepEqual(await store.outbox("none", 0, 10), []);
  });

  run("no position twice, even after all were trimmed", async (storage) => {
    let store = await storage.open();
    await store.apply(batchOf([], { outbox: [message("one", "1-0")] }));
    const [first] = await store.outbox("one", 0, 10);
    assert.ok(first);
    await store.trimOutbox("one", first.position);
    assert.deepEqual(await store.outbox("one", 0, 10), []);
    if (storage.isDurable) {
      await store.close();
      store = await storage.open();
    }
    await store.apply(batchOf([], { after: "1", upto: "2", outbox: [message("one", "2-0")] }));
    const [second] = await store.outbox("one", 0, 10);
    assert.ok(second && second.position > first.position);
  });

  run("a position for each reader, which only its present one moves", async (storage) => {
    const store = await storage.open();
    assert.equal(await store.positionOf("target"), 0);
    assert.equal(await store.moveCursor("target", 0, 4), true);
    assert.equal(await store.moveCursor("target", 0, 9), false);
    assert.equal(await store.moveCursor("other", 4, 9), false);
    assert.equal(await store.positionOf("target"), 4);
    const both = await Promise.all([store.moveCursor("target", 4, 5), store.moveCursor("target", 4, 6)]);
    assert.deepEqual([both.includes(true), both.includes(false)], [true, true]);
    const at = await store.positionOf("target");
    assert.equal(await store.moveCursor("target", at, 0), true);
    assert.equal(await store.positionOf("target"), 0);
    assert.equal(await store.moveCursor("target", 0, 3), true);
  });
}

/** Declares the tests of how much an outbox holds. */
export function outboxSizes(run: Run): void {
  run("messages up to as many bytes as are asked for, and at least one", async (storage) => {
    const store = await storage.open();
    const outbox = Array.from({ length: 5 }, (_, at) => ({
      topic: "one",
      ref: `1-${at}`,
      body: "x".repeat(1000),
    }));
    await store.apply(batchOf([], { outbox }));
    const countOf = async (bytes: number): Promise<number> =>
      (await store.outbox("one", 0, 10, bytes)).length;
    assert.deepEqual([await countOf(1), await countOf(1900), await countOf(1e6)], [1, 2, 5]);
  });

  run("as many messages as were not trimmed, and knows which are beyond the newest", async (storage) => {
    const store = await storage.open();
    const outbox = Array.from({ length: 1200 }, (_, at) =>
      message(at % 2 === 0 ? "one" : "other", `1-${at}`),
    );
    await store.apply(batchOf([], { outbox }));
    const positions = (await store.outbox("one", 0, 1000)).map(({ position }) => position);
    assert.equal(positions.length, 600);
    assert.equal(await store.beyondNewest("one", 600), 0);
    assert.equal(await store.beyondNewest("none", 0), 0);
    assert.equal(await store.beyondNewest("one", 599), positions[0]);
    assert.equal(await store.beyondNewest("one", 0), positions.at(-1));
    assert.equal(await store.trimOutbox("one", positions[549] ?? 0), 550);
    assert.equal(await store.trimOutbox("one", positions[549] ?? 0), 0);
    assert.equal(await store.beyondNewest("one", 10), positions[589]);
    assert.deepEqual(
      (await store.outbox("one", 0, 1000)).map(({ position }) => position),
      positions.slice(550),
    );
    assert.equal((await store.outbox("other", 0, 1000)).length, 600);
  });

  run("knows about how many bytes an outbox has, over trimming and forgetting", async (storage) => {
    const store = await storage.open();
    const outbox = [message("one", "1-0"), message("one", "2-0"), message("other", "3-0")];
    const large = { ...message("one", "4-0"), body: "x".repeat(10_000) };
    await store.apply(batchOf([], { outbox: [...outbox, large] }));
    await store.apply(batchOf([], { source: "rival", outbox: [message("one", "5-0")] }));
    const before = await store.outboxBytes("one");
    assert.ok(before > 10_000 && before < 11_000, `${before}`);
    assert.ok((await store.outboxBytes("other")) < 1000);
    const [first, , , last] = (await store.outbox("one", 0, 10)).map(({ position }) => position);
    await store.trimOutbox("one", first ?? 0);
    const after = await store.outboxBytes("one");
    assert.ok(after < before && after > 10_000, `${after}`);
    await store.forget("hub");
    assert.ok((await store.outboxBytes("one")) < 1000);
    assert.ok((await store.outboxBytes("one")) > 0);
    await store.trimOutbox("one", last ?? 0);
    assert.deepEqual([await store.outboxBytes("one"), await store.outboxBytes("other")], [0, 0]);
  });
}

export function forgetting(run: Run): void {
  run("a source with its rows in every register, its messages and its cursor", async (storage) => {
    const store = await storage.open();
    const rows = Array.from({ length: 1200 }, (_, at) => rowOf(`d${at}`, { register: `r${at % 3}` }));
    await store.apply(batchOf(rows, { outbox: [message("one", "1-0")] }));
    const stays = rowOf("stays", { register: "r1", source: "rival" });
    await store.apply(batchOf([stays], { outbox: [message("one", "9-0")] }));
    await store.forget("hub");
    for (const [register, ids] of [
      ["r0", []],
      ["r1", ["stays"]],
      ["r2", []],
    ] as const)
      assert.deepEqual(await idsIn(store.scan(register, "device")), ids);
    assert.deepEqual(
      (await store.outbox("one", 0, 10)).map(({ source }) => source),
      ["rival"],
    );
    assert.deepEqual([await store.cursorOf("hub"), await store.sources()], [undefined, ["rival"]]);
    await store.forget("hub");
    await store.forget("never");
  });

  run("before the source begins anew", async (storage) => {
    const store = await storage.open();
    const rows = Array.from({ length: 1200 }, (_, at) => rowOf(`d${at}`));
    await store.apply(batchOf(rows));
    const forgotten = store.forget("hub");
    const meanwhile = await store.apply(batchOf([rowOf("late")], { after: "1", upto: "2" }));
    await forgotten;
    assert.equal(meanwhile.outcome, "refused");
    assert.deepEqual(await idsIn(store.scan("home", "device")), []);
    assert.equal((await store.apply(batchOf([rowOf("anew")], { generation: 0 }))).outcome, "applied");
  });
}

export function noting(run: Run): void {
  run("what a source says of itself, until it says something else or is forgotten", async (storage) => {
    const store = await storage.open();
    const noteOf = async (): Promise<string | undefined> => (await store.cursorOf("hub"))?.note;
    await store.apply(batchOf([rowOf("a")]));
    assert.equal(await noteOf(), undefined);
    await store.apply(batchOf([], { source: "hub", after: "1", upto: "2", note: "states" }));
    assert.equal(await noteOf(), "states");
    await store.apply(batchOf([rowOf("b")], { after: "2", upto: "3" }));
    assert.deepEqual(await store.cursorOf("hub"), { cursor: "3", generation: 1, note: "states" });
    const refused = await store.apply(batchOf([], { source: "hub", after: "1", upto: "4", note: "none" }));
    assert.equal(refused.outcome, "refused");
    assert.deepEqual([await noteOf(), await store.cursorOf("rival")], ["states", undefined]);
    await store.apply(batchOf([], { source: "hub", after: "3", upto: "4", note: "none" }));
    assert.equal(await noteOf(), "none");
    await store.forget("hub");
    await store.apply(batchOf([rowOf("a")]));
    assert.equal(await noteOf(), undefined);
  });
}

export function leasing(run: Run): void {
  run("to one holder at a time, with an epoch that grows with each change", async (storage) => {
    const store = await storage.open();
    storage.time.now = 1000;
    const lease = { name: "writer", holder: "a", epoch: 1, until: 1500 };
    assert.deepEqual(await store.takeLease("writer", "a", 500), lease);
    assert.equal(await store.takeLease("writer", "b", 500), undefined);
    storage.time.now = 1400;
    assert.deepEqual(await store.takeLease("writer", "a", 500), { ...lease, until: 1900 });
    storage.time.now = 1900;
    assert.deepEqual(await store.takeLease("writer", "b", 500), {
      name: "writer",
      holder: "b",
      epoch: 2,
      until: 2400,
    });
    assert.equal(await store.takeLease("writer", "a", 500), undefined);
  });

  run("on to a holder who renews too late, when nobody has come between", async (storage) => {
    const store = await storage.open();
    storage.time.now = 1000;
    await store.takeLease("writer", "a", 500);
    storage.time.now = 9000;
    assert.deepEqual(await store.takeLease("writer", "a", 500), {
      name: "writer",
      holder: "a",
      epoch: 1,
      until: 9500,
    });
  });

  run("to the next when the holder releases it", async (storage) => {
    const store = await storage.open();
    await store.takeLease("writer", "a", 500);
    await store.releaseLease("writer", "b");
    assert.equal(await store.takeLease("writer", "b", 500), undefined);
    await store.releaseLease("writer", "a");
    assert.equal((await store.takeLease("writer", "a", 500))?.epoch, 2);
  });

  run("and lists the valid ones by prefix", async (storage) => {
    const store = await storage.open();
    for (const [name, forMs] of [
      ["watch/b", 500],
      ["watch/a", 900],
      ["writer", 900],
    ] as const)
      await store.takeLease(name, "n1", forMs);
    const names = async () => (await store.leases("watch/")).map(({ name }) => name);
    assert.deepEqual(await names(), ["watch/a", "watch/b"]);
    storage.time.now += 600;
    assert.deepEqual(await names(), ["watch/a"]);
  });
}

export function restarting(run: Run): void {
  run("everything", async (storage) => {
    const first = await storage.open();
    if (!storage.isDurable) return;
    await first.apply(batchOf([rowOf("a")], { upto: "7", outbox: [message("one", "1-0")], note: "states" }));
    await first.moveCursor("target", 0, 3);
    const lease = await first.takeLease("writer", "a", 500);
    await first.close();
    const second = await storage.open();
    assert.deepEqual(await second.get(rowOf("a")), rowOf("a"));
    assert.deepEqual(await second.cursorOf("hub"), { cursor: "7", generation: 1, note: "states" });
    assert.equal((await second.outbox("one", 0, 10)).length, 1);
    assert.equal(await second.positionOf("target"), 3);
    assert.deepEqual(await second.leases(""), [lease]);
  });
}
