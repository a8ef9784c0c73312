import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { temporaryFolder } from "@ledge/testkit";
import { secretKeyFile, SecretKeys } from "./keys.ts";

function folderOf(context: TestContext): string {
  const folder = temporaryFolder();
  context.after(() => folder.remove());
  return folder.path;
}

/** A credentials folder with this text. */
function credentialsOf(folder: string, text: string): string {
  const credentials = join(folder, "credentials");
  mkdirSync(credentials);
  writeFileSync(join(credentials, "ledge-secret-key"), text);
  return credentials;
}

test("makes the key when it is first needed, for the hub only, and keeps it", (context) => {
  const folder = folderOf(context);
  const keys = new SecretKeys(folder);
  assert.equal(existsSync(secretKeyFile(folder)), false);
  const { id, key } = keys.sealing();
  assert.equal(statSync(secretKeyFile(folder)).mode & 0o777, 0o600);
  assert.equal(readFileSync(secretKeyFile(folder), "utf8"), `${key.toString("base64")}\n`);
  const again = new SecretKeys(folder);
  assert.deepEqual([again.sealing().id, again.get(id), again.damage], [id, key, undefined]);
  assert.equal(again.get("0".repeat(16)), undefined);
});

test("seals with a systemd credential, and still opens with the folder's key", (context) => {
  const folder = folderOf(context);
  const own = new SecretKeys(folder).sealing();
  const given = Buffer.alloc(32, 7);
  const keys = new SecretKeys(folder, credentialsOf(folder, given.toString("base64")));
  assert.deepEqual([keys.sealing().key, keys.get(own.id)], [given, own.key]);
  rmSync(secretKeyFile(folder));
  new SecretKeys(folder, join(folder, "credentials")).sealing();
  assert.equal(existsSync(secretKeyFile(folder)), false);
});

test("reports a file without a valid key, sets it aside with the next key, and never deletes it", (context) => {
  for (const text of ["", "x", "A".repeat(43), `${"A".repeat(44)}\n`, "A".repeat(100)]) {
    const folder = folderOf(context);
    const file = secretKeyFile(folder);
    writeFileSync(file, text);
    const keys = new SecretKeys(folder);
    assert.match(keys.damage ?? "", /holds no key/, text);
    const made = keys.sealing();
    assert.equal(readFileSync(`${file}.damaged`, "utf8"), text);
    assert.deepEqual(new SecretKeys(folder).get(made.id), made.key);
    const credentials = credentialsOf(folder, text);
    const besides = new SecretKeys(folder, credentials);
    assert.match(besides.damage ?? "", /ledge-secret-key holds no key/);
    assert.equal(besides.sealing().id, made.id);
  }
});

test("has no key while it cannot be written", (context) => {
  const folder = folderOf(context);
  const keys = new SecretKeys(folder);
  mkdirSync(`${secretKeyFile(folder)}.new`);
  assert.throws(() => keys.sealing(), { code: "EISDIR" });
  assert.throws(() => keys.sealing(), { code: "EISDIR" });
  rmSync(`${secretKeyFile(folder)}.new`, { recursive: true });
  const { id } = keys.sealing();
  assert.ok(new SecretKeys(folder).get(id));
});
