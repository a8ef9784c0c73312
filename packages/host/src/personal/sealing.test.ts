import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { test, type TestContext } from "node:test";
import type { LoggedEvent } from "@ledge/model";
import { temporaryFolder } from "@ledge/testkit";
import { keysFile, PersonalKeys } from "./keys.ts";
import { sealingOf } from "../sealed-fields.ts";
import { personalFields } from "./sealing.ts";
import { declared } from "@ledge/model";

const envelope = { version: 1, origin: "system", depth: 0 } as const;
const added = (id: string, email: string): LoggedEvent =>
  ({ type: "UserAdded", id, email, nickname: "Ann", phone: null, role: 2, ...envelope }) as LoggedEvent;
const room = { type: "RoomCreated", id: "r", name: "ann@example.org", order: 1, ...envelope } as LoggedEvent;
const blank = { email: "", nickname: "", phone: null };

function keysIn(context: TestContext): PersonalKeys {
  const folder = temporaryFolder();
  context.after(() => folder.remove());
  return new PersonalKeys(folder.path);
}

test("seals personal fields for their person, opens them again, and changes nothing else", (context) => {
  const keys = keysIn(context);
  const sealing = sealingOf(personalFields(keys, declared));
  const events = [added("ann", "ann@example.org"), room, added("bob", "bob@example.org")];
  const sealed = sealing.seal(events);
  assert.doesNotMatch(JSON.stringify(sealed[0]), /example|Ann/);
  assert.equal(sealed[1], room);
  assert.deepEqual(JSON.parse(JSON.stringify(sealing.open(JSON.parse(JSON.stringify(sealed))))), events);
  assert.notDeepEqual(sealing.seal(events)[0], sealed[0], "equal values look different");
  keys.destroy(["ann"]);
  assert.deepEqual(sealing.open(sealed), [{ ...events[0], ...blank }, room, events[2]]);
});

test("opens nothing with another key or changed bytes, and leaves plain text alone", (context) => {
  const keys = keysIn(context);
  const sealing = sealingOf(personalFields(keys, declared));
  const [sealed] = sealing.seal([added("ann", "ann@example.org")]) as [LoggedEvent];
  keys.make(["bob"]);
  assert.deepEqual(sealing.open([{ ...sealed, id: "bob" }]), [{ ...added("bob", ""), ...blank }]);
  for (const text of ["", "AAAA", "x".repeat(100)]) {
    const broken = { ...sealed, email: { sealed: text } } as unknown as LoggedEvent;
    assert.deepEqual(sealing.open([broken]), [added("ann", "")]);
  }
  keys.destroy(["ann"]);
  sealing.seal([added("ann", "new@example.org")]);
  assert.deepEqual(sealing.open([sealed]), [{ ...added("ann", ""), ...blank }]);
  assert.deepEqual(sealing.open([added("eve", "plain@example.org")]), [added("eve", "plain@example.org")]);
});

test("seals rows of snapshots with existing keys; without one they are blank for good", (context) => {
  const keys = keysIn(context);
  const sealing = sealingOf(personalFields(keys, declared));
  keys.make(["ann"]);
  const user = { email: "ann@example.org", nickname: "Ann", phone: "1" };
  const rowOf = (id: string, shown: object): object => {
    return { kind: "user", id, timestamp: 1, state: { id, user_info: { user: shown } } };
  };
  const sealed = sealing.sealRow(rowOf("ann", user));
  assert.doesNotMatch(JSON.stringify(sealed), /example/);
  assert.deepEqual(sealing.openRow(sealed), rowOf("ann", user));
  assert.deepEqual(sealing.sealRow(rowOf("bob", user)), rowOf("bob", blank));
  assert.equal(keys.get("bob"), undefined);
  keys.destroy(["ann"]);
  assert.deepEqual(sealing.openRow(sealed), rowOf("ann", blank));
  for (const row of [{ horizon: 1, entries: 2 }, { kind: "user", id: "x", state: null }, rowOf("r", {})]) {
    assert.equal(sealing.sealRow(row) === row || (row as { kind?: string }).kind === "user", true);
    assert.deepEqual(sealing.openRow(sealing.sealRow(row)), row);
  }
});

test("refuses a commit without room for its key, and no other", (context) => {
  const folder = temporaryFolder();
  context.after(() => folder.remove());
  const sealing = sealingOf(personalFields(new PersonalKeys(folder.path), declared));
  mkdirSync(`${keysFile(folder.path)}.new`);
  assert.throws(() => sealing.seal([added("ann", "ann@example.org")]), { name: "LogError", code: "failed" });
  assert.deepEqual(sealing.seal([room]), [room]);
});
