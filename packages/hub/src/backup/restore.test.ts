import assert from "node:assert/strict";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { limits } from "@ledge/model";
import { socketConsole } from "@ledge/host/cli/client";
import { bareProfile, HubProcess, ledge, temporaryFolder } from "../testdata/hub-process.ts";
import { readFolder, writeFolder } from "@ledge/host/backup/folder-files";
import type { BackupFile, BackupHeader } from "@ledge/host/backup/format";
import { decodeHead, encodeHead } from "@ledge/host/backup/format";
import type { BackupPart } from "@ledge/host/backup/reader";
import { readBackup, verifyBackup } from "@ledge/host/backup/reader";
import { restoreBackup } from "@ledge/host/backup/restore";
import { deriveKey, newDerivation, seal, unseal } from "@ledge/host/backup/seal";
import { BackupWriter } from "@ledge/host/backup/writer";
import { hubSubject } from "./subject.ts";

const root = temporaryFolder();
const at = (name: string): string => join(root.path, name);
const folder = at("hub");
const file = at("hub.ledge");
const now = 1_795_000_000_000;
let hub: HubProcess;

before(async () => {
  hub = await HubProcess.start(folder, "--profile", bareProfile(root.path));
  const { code, stderr } = await ledge("backup", file, "--without-secrets", "--data", folder);
  assert.equal(code, 0, stderr);
});

after(async () => {
  await hub.stop();
  root.remove();
});

/** Writes the backup again, with other words in it: whole by its hashes. */
function forged(
  name: string,
  change: { header?: Partial<BackupHeader>; digest?: string; settings?: readonly BackupFile[] },
): string {
  const parts: BackupPart[] = [...readBackup(file, undefined)];
  const header = parts.flatMap((part) => ("header" in part ? part.header : []))[0] ?? assert.fail();
  const settings = parts.flatMap((part) => ("settings" in part ? part.settings : []));
  const commits = parts.flatMap((part) => ("commits" in part ? part.commits : []));
  const summary = parts.flatMap((part) => ("end" in part ? part.end : []))[0] ?? assert.fail();
  const writer = new BackupWriter(at(name), { ...header, ...change.header }, undefined, hubSubject);
  writer.addFiles(change.settings ?? settings, []);
  for (const commit of commits) writer.addCommit(commit);
  writer.finish(change.digest ?? summary.digest, summary.commits);
  return at(name);
}

const restored = (from: string): ReturnType<typeof restoreBackup> =>
  restoreBackup({
    subject: hubSubject,
    file: from,
    folder: at("never"),
    passphrase: undefined,
    force: false,
    now,
  });

async function refused(from: string, expected: object): Promise<void> {
  await assert.rejects(restored(from), expected);
  assert.deepEqual([existsSync(at("never")), existsSync(at("never.new"))], [false, false]);
}

test("replays a backup with valid hashes, and refuses it when it leads to another state", async () => {
  const other = forged("digest", { digest: "0".repeat(64) });
  assert.equal(verifyBackup(other).damage, undefined);
  await refused(other, { problem: "damaged", message: /differ from those that were backed up/ });
  const stranger = Buffer.from('{"hubId":"another"}').toString("base64");
  const profile = readFolder(folder, hubSubject.layout).settings.find(({ path }) => path === "profile.json");
  const identity = { path: "hub.json", base64: stranger };
  await refused(forged("stranger", { settings: [identity, profile ?? identity] }), {
    message: /more than one hub/,
  });
  await refused(forged("bare", { settings: [] }), { name: "BackupError" });
});

test("names the release in its refusal of a later format, and does not compare states of another release", async () => {
  await refused(forged("later", { header: { format: 2, release: "9.9.9" } }), {
    problem: "newer",
    message: /release 9\.9\.9/,
  });
  assert.equal((await ledge("verify", at("later"))).code, 3);
  const earlier = forged("earlier", { header: { release: "0.0.1", stateFormat: "0.0.1" }, digest: "other" });
  const { compared } = await restored(earlier);
  assert.equal(compared, false);
});

test("refuses to write a file of a backup outside its folder", () => {
  const target = at("files");
  mkdirSync(target);
  for (const path of ["../x", "/x", "a/../../x", "a//x", "", ".", "a/..", "\0"]) {
    assert.throws(() => writeFolder(target, [{ path, base64: "" }]), { name: "BackupError" }, path);
  }
  writeFolder(target, [{ path: "adapters/radio/x.db", base64: "eA==" }]);
  assert.equal(readFileSync(join(target, "adapters/radio/x.db"), "utf8"), "x");
});

test("limits the files of a backup and leaves out notes about the machine", () => {
  const target = at("large");
  mkdirSync(target);
  for (const name of ["run.json", "half.new", "key.json"]) writeFileSync(join(target, name), "{}");
  mkdirSync(join(target, "log"));
  truncateSync(join(target, "key.json"), limits.backupFileBytes);
  assert.deepEqual(
    readFolder(target, hubSubject.layout).files.map(({ path }) => path),
    ["key.json"],
  );
  truncateSync(join(target, "key.json"), limits.backupFileBytes + 1);
  assert.throws(() => readFolder(target, hubSubject.layout), /at most/);
});

test("limits the size of a section and the memory that key parameters may ask for", async () => {
  const head = { kind: "commits", commits: 1, first: 1, last: 1 } as const;
  const most = { ...head, bytes: limits.backupSectionBytes, openedBytes: limits.backupSectionBytes };
  assert.deepEqual(decodeHead(encodeHead(most)), most);
  assert.equal(typeof decodeHead(encodeHead({ ...most, bytes: most.bytes + 1 })), "string");
  assert.equal(typeof decodeHead(encodeHead({ ...most, openedBytes: most.openedBytes + 1 })), "string");
  assert.equal(typeof decodeHead(Buffer.alloc(32, 255)), "string");

  const derivation = { ...newDerivation(), N: limits.backupHashBytes / (128 * 8), r: 8, p: 1 };
  assert.equal((await deriveKey("passphrase", derivation)).length, 32);
  for (const wrong of [{ N: derivation.N * 2 }, { p: 17 }, { N: 0 }, { r: 1.5 }, { N: 1000, r: 1 }]) {
    await assert.rejects(deriveKey("passphrase", { ...derivation, ...wrong }), { name: "BackupError" });
  }
});

test("a sealed section opens only with its key and at its place", () => {
  const [key, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const sealed = seal(key, 3, Buffer.from("secret"));
  assert.equal(unseal(key, 3, sealed).toString(), "secret");
  assert.throws(() => unseal(other, 3, sealed), { problem: "passphrase" });
  assert.throws(() => unseal(key, 4, sealed), { problem: "passphrase" });
  assert.throws(() => unseal(key, 3, sealed.subarray(0, 20)), { problem: "damaged" });
  assert.notDeepEqual(seal(key, 3, Buffer.from("secret")), sealed);
});

test("the log is readable through the socket only, and not while only a part of it is readable", async () => {
  const key = await hub.key();
  assert.equal((await hub.call("GET", "/console/backup", key)).status, 404);
  assert.equal((await socketConsole(folder).call("GET", "/cc/1.14/console/backup")).status, 200);
  const broken = at("broken");
  cpSync(folder, broken, { recursive: true, filter: (path) => !path.endsWith(".sock") });
  writeFileSync(join(broken, "log", "data.mdb"), Buffer.alloc(65_536));
  const { code, stderr } = await ledge("backup", at("part.ledge"), "--without-secrets", "--data", broken);
  assert.notEqual(code, 0);
  assert.match(stderr, /repair it first/);
  assert.deepEqual(
    readdirSync(root.path).filter((name) => name.startsWith("part")),
    [],
  );
});
