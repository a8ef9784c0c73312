import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { type TunnelChange, TunnelChanges } from "./tunnel-changes.ts";

const processOf = (hubId: string) => ({ hubId, generation: 0, instance: "run" });

function opened(hubId: string): TunnelChange {
  return { hubId, since: 1, process: processOf(hubId) };
}
const gone = (hubId: string): TunnelChange => ({ hubId, since: 2 });
const hubIds = (changes: readonly TunnelChange[]): string => changes.map(({ hubId }) => hubId).join("");

function noted(mostGone: number, ...changes: readonly TunnelChange[]): TunnelChanges {
  const all = new TunnelChanges(mostGone);
  for (const change of changes) all.note(change);
  return all;
}

test("tells the last change of each hub after a version, in parts that follow each other", () => {
  const changes = noted(9, opened("a"), opened("b"), gone("a"), opened("c"), opened("b"));
  assert.deepEqual([hubIds(changes.after(0, 9).changes), changes.version], ["acb", 5]);
  assert.equal(hubIds(changes.after(3, 9).changes), "cb");
  const parts: string[] = [];
  for (let version = 0; version < changes.version;) {
    const part = changes.after(version, 1);
    parts.push(hubIds(part.changes));
    ({ version } = part);
  }
  assert.equal(parts.join(""), "acb");
  assert.deepEqual(changes.after(5, 9), { version: 5, changes: [], isAll: false });
});

test("a part has at most as many changes as the limit says", () => {
  const { peerNewsChanges: most } = limits;
  const dialled = Array.from({ length: most + 1 }, (_, hub) => opened(`${hub}`));
  const changes = noted(9, ...dialled);
  const first = changes.after(0);
  assert.deepEqual([first.changes.length, first.version], [most, most]);
  assert.equal(changes.after(first.version).changes.length, 1);
});

test("knows which tunnels are open", () => {
  const changes = noted(9, opened("a"), opened("b"), gone("a"));
  assert.deepEqual([changes.of("a"), changes.of("b"), changes.of("c")], [undefined, opened("b"), undefined]);
});

test("tells everything to whoever may have missed that a hub has gone, and news alone to others", () => {
  const changes = noted(
    2,
    opened("a"),
    opened("b"),
    gone("b"),
    gone("x"),
    opened("c"),
    gone("c"),
    opened("d"),
  );
  // That b has gone is version 3, and forgotten with x since c has gone.
  assert.deepEqual([changes.after(2, 1).isAll, hubIds(changes.after(2, 1).changes)], [true, "acd"]);
  assert.deepEqual([changes.after(4, 9).isAll, hubIds(changes.after(4, 9).changes)], [false, "cd"]);
});

/** Counts how often changes are looked at. */
function counting(): { readonly changeOf: (hubId: string, isOpen: boolean) => TunnelChange; count: number } {
  const looked = {
    count: 0,
    changeOf(hubId: string, isOpen: boolean): TunnelChange {
      const change = { since: 1 };
      const count = <T>(value: T) => ({ enumerable: true, get: (): T => (looked.count++, value) });
      Object.defineProperty(change, "hubId", count(hubId));
      return Object.defineProperty(
        change,
        "process",
        count(isOpen ? processOf(hubId) : undefined),
      ) as TunnelChange;
    },
  };
  return looked;
}

/** Returns how often changes are looked at while all hubs dial, all are lost, and all dial again, with a listener. */
function looksOf(hubs: number): number {
  const looked = counting();
  // More hubs are open than are remembered when they have gone.
  const changes = new TunnelChanges(Math.floor(hubs / 2));
  let [version, heard] = [0, 0];
  const listen = (): void => {
    const part = changes.after(version);
    heard += part.changes.length;
    ({ version } = part);
  };
  for (const isOpen of [true, false, true])
    for (let hub = 0; hub < hubs; hub++) {
      changes.note(looked.changeOf(`hub ${hub}`, isOpen));
      listen();
    }
  assert.equal(heard, 3 * hubs);
  return looked.count;
}

test("takes the same work for each change, however many hubs dial", () => {
  const [few, many] = [looksOf(500) / 500, looksOf(5000) / 5000];
  assert.ok(many <= 1.2 * few, `${many} looks a hub of 5000, ${few} of 500`);
});
