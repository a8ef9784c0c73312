import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import { test, type TestContext } from "node:test";
import type { Sealing } from "@ledge/log";
import type { LoggedEvent } from "@ledge/model";
import { sealingOf } from "../sealed-fields.ts";
import { temporaryFolder } from "@ledge/testkit";
import { secretKeyFile, SecretKeys } from "./keys.ts";
import { isSealedSecret, sealedCommits, type SecretFields, secretFields } from "./sealing.ts";
import { declared } from "@ledge/model";

const envelope = { version: 1, origin: "system", depth: 0 } as const;
const stored = (id: string, value: unknown): LoggedEvent =>
  ({ type: "AdapterValueStored", id, key: "network", value, ...envelope }) as LoggedEvent;
const room = { type: "RoomCreated", id: "r", name: "canary", order: 1, ...envelope } as LoggedEvent;
const rowOf = (values: object): object => {
  return { kind: "adapter", id: "radio", timestamp: 1, state: { id: "radio", dropped: 0, values } };
};
const written = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

function folderOf(context: TestContext): string {
  const folder = temporaryFolder();
  context.after(() => folder.remove());
  return folder.path;
}
function sealingIn(folder: string): Sealing & Pick<SecretFields, "problem"> {
  const fields = secretFields(new SecretKeys(folder), declared);
  return { ...sealingOf(fields), problem: () => fields.problem() };
}

test("seals a secret for its object, opens it again, and changes nothing else", (context) => {
  const folder = folderOf(context);
  const sealing = sealingIn(folder);
  for (const value of [{ key: "canary" }, "canary", 0, false, "", ["canary"], { sealed: "canary" }]) {
    const events = [room, stored("radio", value), stored("radio", null)];
    const sealed = written(sealing.seal(events));
    assert.doesNotMatch(JSON.stringify(sealed[1]), /canary/);
    assert.deepEqual([sealed[0], sealed[2]], [events[0], events[2]]);
    assert.deepEqual(sealingIn(folder).open(sealed), events);
    assert.notDeepEqual(sealing.seal(events)[1], sealed[1], "equal values look different");
    assert.deepEqual(sealing.open(events), events, "a value in the clear is read as it is");
  }
  assert.equal(sealing.problem(), undefined);
});

test("seals each value in the rows of snapshots, whatever its name", (context) => {
  const sealing = sealingIn(folderOf(context));
  const values = JSON.parse('{"a":{"key":"canary"},"__proto__":"canary","none":null}') as object;
  const sealed = written(sealing.sealRow(rowOf(values)));
  assert.doesNotMatch(JSON.stringify(sealed), /canary/);
  assert.deepEqual(sealing.openRow(sealed), rowOf(values));
  for (const row of [{ horizon: 1, entries: 2 }, { kind: "adapter", id: "x", state: null }, rowOf({})]) {
    assert.deepEqual(sealing.sealRow(row), row);
    assert.deepEqual(sealing.openRow(row), row);
  }
});

test("seals a secret that is a text or missing in the rows of snapshots", (context) => {
  const folder = folderOf(context);
  const sealing = sealingIn(folder);
  for (const password of ["canary", "", null]) {
    const row = { kind: "mqttBroker", id: "mqtt", timestamp: 1, state: { id: "mqtt", password } };
    const sealed = written(sealing.sealRow(row));
    assert.doesNotMatch(JSON.stringify(sealed), /canary/);
    assert.deepEqual(sealingIn(folder).openRow(sealed), row);
    assert.deepEqual(sealing.openRow(row), row, "a value in the clear is read as it is");
  }
});

test("without its key a secret stays sealed, through a snapshot too, and opens once the key is back", (context) => {
  const folder = folderOf(context);
  const [event] = sealingIn(folder).seal([stored("radio", "canary")]) as [LoggedEvent];
  const other = sealingIn(folderOf(context));
  const [met] = other.open([event]) as [LoggedEvent & { value: unknown }];
  assert.ok(isSealedSecret(met.value));
  assert.match(other.problem() ?? "", /key that is not there/);
  assert.deepEqual(other.seal([met]), [event]);
  const row = other.sealRow(rowOf({ network: met.value }));
  assert.deepEqual(sealingIn(folder).openRow(row), rowOf({ network: "canary" }));
  for (const broken of [
    { ...event, id: "another" },
    { ...event, value: { ...(met.value as object), sealed: "AAAA" } },
  ]) {
    const own = sealingIn(folder);
    assert.deepEqual(own.open([broken as LoggedEvent]), [broken]);
    assert.match(own.problem() ?? "", /key/);
  }
});

test("seals the commits of a backup on their way into a log", (context) => {
  const sealing = sealingIn(folderOf(context));
  const commits = [{ timestamp: 5, events: [room, stored("radio", "canary")], indexes: [0, 3] }];
  const [sealed] = [...sealedCommits(commits, sealing)];
  assert.doesNotMatch(JSON.stringify(sealed?.events[1]), /canary/);
  assert.deepEqual({ ...sealed, events: sealing.open(sealed?.events ?? []) }, commits[0]);
});

test("refuses a commit without a writable key, and no other", (context) => {
  const folder = folderOf(context);
  const sealing = sealingIn(folder);
  const inTheWay = `${secretKeyFile(folder)}.new`;
  mkdirSync(inTheWay);
  assert.throws(() => sealing.seal([stored("radio", 1)]), { name: "LogError", code: "failed" });
  assert.deepEqual(sealing.seal([room, stored("radio", null)]), [room, stored("radio", null)]);
  rmSync(inTheWay, { recursive: true });
  assert.ok(sealing.seal([stored("radio", 1)]));
});
