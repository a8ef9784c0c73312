import assert from "node:assert/strict";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { test, type TestContext } from "node:test";
import { limits } from "@ledge/model";
import { temporaryFolder } from "@ledge/testkit";
import { keysFile, PersonalKeys } from "./keys.ts";

function folderOf(context: TestContext): string {
  const folder = temporaryFolder();
  context.after(() => folder.remove());
  return folder.path;
}

test("keys are on disk when they are made, 0600, one for each person, and stay the same", (context) => {
  const folder = folderOf(context);
  const keys = new PersonalKeys(folder);
  assert.equal(existsSync(keysFile(folder)), false);
  keys.make(["ann", "bob", "ann"]);
  const [ann, bob] = [keys.get("ann"), keys.get("bob")];
  assert.ok(ann && bob && !ann.equals(bob));
  assert.equal(statSync(keysFile(folder)).mode & 0o777, 0o600);
  const again = new PersonalKeys(folder);
  again.make(["ann"]);
  assert.deepEqual([again.get("ann"), again.get("bob"), again.get("eve")], [ann, bob, undefined]);
});

test("a destroyed key is in no file, not even a replaced one, and its subject can get another", (context) => {
  const folder = folderOf(context);
  const keys = new PersonalKeys(folder);
  keys.make(["ann", "bob"]);
  const ann = keys.get("ann")?.toString("base64") ?? assert.fail();
  const replaced = openSync(keysFile(folder), "r");
  const before = readFileSync(keysFile(folder));
  assert.ok(before.includes(ann));
  keys.destroy(["ann", "nobody"]);
  const left = Buffer.alloc(before.length, 1);
  readSync(replaced, left, 0, left.length, 0);
  closeSync(replaced);
  assert.deepEqual(left, Buffer.alloc(before.length));
  assert.equal(readFileSync(keysFile(folder)).includes(ann), false);
  const again = new PersonalKeys(folder);
  assert.deepEqual([again.get("ann"), again.get("bob")], [undefined, keys.get("bob")]);
  assert.equal(again.forgotten.length, 1);
  again.make(["ann"]);
  assert.notEqual(again.get("ann")?.toString("base64"), ann);
});

test("an older file that is put back loses the keys destroyed since", (context) => {
  const folder = folderOf(context);
  const keys = new PersonalKeys(folder);
  keys.make(["ann", "bob"]);
  const older = readFileSync(keysFile(folder));
  keys.destroy(["ann"]);
  writeFileSync(keysFile(folder), older);
  const back = new PersonalKeys(folder);
  assert.deepEqual(back.destroyAll(keys.forgotten), ["ann"]);
  assert.deepEqual(back.destroyAll([]), []);
  const again = new PersonalKeys(folder);
  assert.deepEqual([again.get("ann"), again.forgotten], [undefined, keys.forgotten]);
});

test("a key that cannot be written is not made, and destroyed ones go with the next write", (context) => {
  const folder = folderOf(context);
  const keys = new PersonalKeys(folder);
  keys.make(["ann"]);
  // Blocks the file that is written first.
  const inTheWay = `${keysFile(folder)}.new`;
  mkdirSync(inTheWay);
  assert.throws(() => keys.make(["bob"]), { code: "EISDIR" });
  assert.throws(() => keys.destroy(["ann"]), { code: "EISDIR" });
  assert.deepEqual([keys.get("bob"), keys.get("ann")], [undefined, undefined]);
  assert.ok(new PersonalKeys(folder).get("ann"));
  rmSync(inTheWay, { recursive: true });
  keys.destroy([]);
  assert.equal(new PersonalKeys(folder).get("ann"), undefined);
});

for (const [what, text] of [
  ["no JSON", "{"],
  ["no keys", "{}"],
  ["a short key", '{"keys":{"ann":"x"},"forgotten":[]}'],
] as const) {
  test(`a file with ${what} is reported, set aside, and deleted when somebody is forgotten`, (context) => {
    const folder = folderOf(context);
    writeFileSync(keysFile(folder), text);
    const keys = new PersonalKeys(folder);
    assert.ok(keys.damage);
    assert.equal(readFileSync(keysFile(folder), "utf8"), text);
    keys.make(["bob"]);
    assert.equal(readFileSync(`${keysFile(folder)}.damaged`, "utf8"), text);
    keys.destroy(["bob"]);
    assert.equal(existsSync(`${keysFile(folder)}.damaged`), false);
    assert.equal(new PersonalKeys(folder).damage, undefined);
  });
}

test("remembers a limited number of destroyed keys, the newest", (context) => {
  const keys = new PersonalKeys(folderOf(context));
  const many = Array.from({ length: limits.forgottenKeys }, (_, index) => `f${index}`);
  keys.destroyAll(many);
  assert.equal(keys.forgotten.length, limits.forgottenKeys);
  keys.make(["ann"]);
  keys.destroy(["ann"]);
  assert.deepEqual([keys.forgotten.length, keys.forgotten[0]], [limits.forgottenKeys, "f1"]);
});
