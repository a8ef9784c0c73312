import assert from "node:assert/strict";
import { test } from "node:test";
import { type FirmwareNote, FirmwareNotes } from "./firmware-notes.ts";

interface Note extends FirmwareNote {
  readonly running?: string;
  readonly failure?: { readonly version: string | null; readonly message: string };
}

/** A device, and whether the hub has it. */
type Device = readonly [id: string, isKept: boolean];

function open() {
  const stored = new Map<string, unknown>();
  const changed: string[] = [];
  let puts = 0;
  let whenDurable = Promise.resolve();
  const notes = new FirmwareNotes<Note, Device>({
    store: {
      get: (key) => stored.get(key),
      put: async (key, value) => {
        puts += 1;
        await whenDurable;
        stored.set(key, value);
      },
    },
    idOf: ([id]) => id,
    isKept: ([, isKept]) => isKept,
    failureOf: ({ running }, message) => ({ version: running ?? null, message }),
    changed: ([id]) => void changed.push(id),
  });
  return {
    notes,
    stored,
    changed,
    puts: () => puts,
    hold: (until: Promise<void>) => void (whenDurable = until),
  };
}

const device: Device = ["a", true];

test("stores what is known of a device once, and nothing of one that the hub does not have", async () => {
  const { notes, changed, puts } = open();
  assert.deepEqual(notes.of("a"), { lastUpgrade: 0 });
  const note = { running: "1.0", lastUpgrade: 5, queued: { since: 1 } };
  await notes.put(device, note);
  await notes.put(device, { ...note });
  await notes.put(["b", false], note);
  assert.deepEqual([notes.of("a"), notes.of("b")], [note, { lastUpgrade: 0 }]);
  assert.deepEqual([puts(), changed], [1, ["a", "a"]]);
});

test("keeps the version that failed, and forgets the request", async () => {
  const { notes } = open();
  await notes.put(device, { running: "1.0", lastUpgrade: 5, queued: { since: 1 } });
  await notes.fail(device, "refused");
  const failed = { running: "1.0", lastUpgrade: 5, failure: { version: "1.0", message: "refused" } };
  assert.deepEqual(notes.of("a"), failed);
  await notes.put(device, { ...failed, queued: { since: 2 } });
  await notes.dequeue(device);
  assert.deepEqual(notes.of("a"), failed);
});

test("builds a change on one that is not durable yet, and erases", async () => {
  const { notes, stored, hold } = open();
  const { promise, resolve } = Promise.withResolvers<void>();
  hold(promise);
  const first = notes.put(device, { running: "1.0", lastUpgrade: 0, queued: { since: 1 } });
  const second = notes.dequeue(device);
  assert.deepEqual(notes.of("a"), { running: "1.0", lastUpgrade: 0 });
  resolve();
  await Promise.all([first, second]);
  assert.deepEqual(stored.get("firmware/a"), { running: "1.0", lastUpgrade: 0 });
  await notes.erase("a");
  await notes.erase("never");
  assert.deepEqual([...stored], [["firmware/a", null]]);
  assert.deepEqual(notes.of("a"), { lastUpgrade: 0 });
});
