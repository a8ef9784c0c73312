import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Commit } from "@ledge/model";
import { limits } from "@ledge/model";
import { RestoredFiles } from "@ledge/host/backup/folder-files";
import type { BackupFile, BackupSummary } from "@ledge/host/backup/format";
import { BackupError } from "@ledge/host/backup/format";
import { verifyBackup } from "@ledge/host/backup/reader";
import { restoreBackup } from "@ledge/host/backup/restore";
import type { ForgedSection } from "../testdata/forged-backup.ts";
import { forgeBackup, sectionsOf } from "../testdata/forged-backup.ts";
import { bareProfile, type Finished, HubProcess, ledge, temporaryFolder } from "../testdata/hub-process.ts";
import { hubSubject } from "./subject.ts";

/* Forged backups that an attacker hands to the owner of a hub: their hashes are valid, but no hub has made them. */

const root = temporaryFolder();
const at = (name: string): string => join(root.path, name);
let sound: readonly ForgedSection[];

before(async () => {
  const hub = await HubProcess.start(at("hub"), "--profile", bareProfile(root.path));
  const key = await hub.key();
  await hub.call("PUT", "/rooms", key, [{ name: "Attic" }]);
  const { code, stderr } = await ledge("backup", at("own"), "--without-secrets", "--data", at("hub"));
  assert.equal(code, 0, stderr);
  await hub.stop();
  sound = sectionsOf(at("own"));
});

after(() => root.remove());

/** Changes sections of the hub's own backup. */
function forged(change: (section: ForgedSection) => ForgedSection | readonly ForgedSection[]): string {
  const file = at("forged");
  forgeBackup(file, sound.flatMap(change));
  return file;
}

const changed = (kind: ForgedSection["kind"], change: (content: never) => unknown): string =>
  forged((section) =>
    section.kind === kind ? { ...section, content: change(section.content as never) } : section,
  );

const restore = (file: string, folder: string): Promise<Finished> =>
  ledge("restore", file, "--data", at(folder));

/** The results of all commands for a file. None of them may leave files behind. */
async function refusals(file: string): Promise<readonly Finished[]> {
  const said = [await ledge("verify", file), await restore(file, "never")];
  assert.deepEqual([existsSync(at("never")), existsSync(at("never.new"))], [false, false]);
  return said;
}

test("a backup that is rewritten without changes restores", async () => {
  const { code, stderr } = await restore(
    forged((section) => section),
    "same",
  );
  assert.equal(code, 0, stderr);
});

test("a backup without a passphrase cannot write keys or other files that are not settings", async () => {
  for (const path of [
    "identity-key.json",
    "secret-key",
    "personal-keys.json",
    "factory-reset",
    "log/data.mdb",
  ]) {
    const settings = [{ path, base64: Buffer.from("planted").toString("base64") }];
    const file = forged((section) =>
      section.kind === "header" ? [section, { kind: "settings", content: settings }] : section,
    );
    await assert.rejects(restoring(file), { problem: "damaged", message: new RegExp(`would write ${path}`) });
    assert.deepEqual([existsSync(at("never")), existsSync(at("never.new"))], [false, false]);
  }
  assert.deepEqual(
    readdirSync(at("same")).filter((name) => name.includes("key")),
    [],
  );
});

test("refuses a backup that holds a file twice", async () => {
  const twice = forged((section) => (section.kind === "settings" ? [section, section] : section));
  await assert.rejects(restoring(twice), { problem: "damaged", message: /twice/ });
});

const evil = "\u001b]0;owned\u0007\u001b[2J\u202eredro\u2066\u009b31m\nledge: whole";
const clean = (text: string): void => {
  // oxlint-disable-next-line no-control-regex
  assert.doesNotMatch(text, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  assert.doesNotMatch(text, /^ledge: whole$/m);
};

test("a backup's header cannot send control characters to the terminal", async () => {
  const words = (header: object): object => ({ ...header, release: evil, stateFormat: evil });
  const newer = changed("header", (header: object) => ({ ...words(header), format: 999 }));
  for (const { code, stdout, stderr } of await refusals(newer)) {
    assert.equal(code, 3);
    assert.match(stderr, /made by release .*owned/);
    clean(stdout + stderr);
  }
  const { code, stdout, stderr } = await restore(changed("header", words), "words");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /release .*owned/);
  clean(stdout + stderr);
});

test("names in a restored hub cannot send control characters to the terminal, as text or JSON", async () => {
  const file = changed("commits", (commits: readonly Commit[]) =>
    commits.map((commit) => ({
      ...commit,
      events: commit.events.map((event) => (event.type === "RoomCreated" ? { ...event, name: evil } : event)),
    })),
  );
  const foreign = forged((section) => {
    const from = sectionsOf(file).find(({ kind }) => kind === section.kind);
    if (section.kind === "commits" && from !== undefined) return from;
    // Another release's states are not compared.
    return section.kind === "header"
      ? { ...section, content: { ...(section.content as object), stateFormat: "x" } }
      : section;
  });
  assert.equal((await restore(foreign, "named")).code, 0);
  const data = ["--data", at("named")];
  for (const args of [
    ["at", "now", "rooms"],
    ["events", "tail", "--once", "--json"],
  ]) {
    const { code, stdout, stderr } = await ledge(...args, ...data);
    assert.equal(code, 0, `${args.join(" ")}: ${stderr}`);
    assert.match(stdout, /owned/);
    clean(stdout + stderr);
  }
  const rooms = JSON.parse((await ledge("at", "now", "rooms", "--json", ...data)).stdout) as object;
  assert.deepEqual(
    Object.values(rooms).map(({ name }: { name: string }) => name),
    [evil],
  );
});

const malformed: readonly (readonly [what: string, kind: ForgedSection["kind"], content: unknown])[] = [
  ["a header that is null", "header", null],
  [
    "a header whose time is no time",
    "header",
    { format: 1, release: "1", created: 0, timestamp: 1e300, stateFormat: "" },
  ],
  [
    "a release that is an object",
    "header",
    { format: 1, release: {}, created: 0, timestamp: 1, stateFormat: "" },
  ],
  [
    "a release without an end",
    "header",
    { format: 1, release: "r".repeat(limits.backupWordChars + 1), created: 0, timestamp: 1, stateFormat: "" },
  ],
  ["settings that are no list", "settings", { path: "hub.json" }],
  ["a setting without a path", "settings", [{ base64: "" }]],
  ["a setting whose content is a number", "settings", [{ path: "hub.json", base64: 7 }]],
  ["commits that are null", "commits", null],
  ["a commit without events", "commits", [{ timestamp: 5 }]],
  ["a commit of null", "commits", [null]],
  ["an event of null", "commits", [{ timestamp: 5, events: [null] }]],
  [
    "an event whose id is a list",
    "commits",
    [{ timestamp: 5, events: [{ type: "RoomCreated", id: [], version: 1, origin: "x", depth: 0 }] }],
  ],
  ["a commit at no time", "commits", [{ timestamp: "5", events: [] }]],
  ["an end of null", "end", null],
  ["an end that counts nothing", "end", {}],
];

/** Restores in this process: what it throws must be in words. */
const restoring = (file: string): Promise<unknown> =>
  restoreBackup({
    subject: hubSubject,
    file,
    folder: at("never"),
    passphrase: undefined,
    force: false,
    now: 1_795_000_000_000,
  });

async function isDamage(file: string, what: string): Promise<void> {
  await assert.rejects(restoring(file), (error: unknown) => {
    assert.ok(error instanceof BackupError, `${what}: ${error as string}`);
    assert.equal(error.problem, "damaged", what);
    assert.doesNotMatch(error.message, /TypeError|Cannot read|undefined|not iterable|Invalid time value/);
    return true;
  });
  assert.deepEqual([existsSync(at("never")), existsSync(at("never.new"))], [false, false]);
}

for (const [what, kind, content] of malformed) {
  test(`reports ${what} as damage, with a readable message`, async () => {
    const commits = Array.isArray(content) ? content.length : 0;
    const file = forged((section) => (section.kind === kind ? { kind, content, commits } : section));
    assert.match(verifyBackup(file).damage?.problem ?? "", /is damaged at byte/);
    await isDamage(file, what);
  });
}

test("refuses a backup with an event that no release writes", async () => {
  const envelope = { version: 1, origin: "system", depth: 0 };
  const room = { type: "RoomCreated", id: "r", ...envelope, order: 1 };
  const user = { type: "UserAdded", id: "u", ...envelope, email: { sealed: {} } };
  for (const event of [
    { ...room, name: {} },
    { ...room, name: null },
    room,
    user,
    { ...room, type: "Unheard" },
  ]) {
    const file = forged((section) => {
      if (section.kind === "end") return { kind: "end", content: oneMore(section.content as Counted) };
      if (section.kind !== "commits") return section;
      const commits = section.content as readonly Commit[];
      const timestamp = (commits.at(-1)?.timestamp ?? 0) + 1;
      const content = [...commits, { timestamp, events: [event] }];
      return { kind: "commits", content, commits: content.length };
    });
    assert.equal(verifyBackup(file).damage, undefined);
    await isDamage(file, JSON.stringify(event));
  }
});

type Counted = Pick<BackupSummary, "commits" | "events" | "last">;

function oneMore(end: Counted): Counted {
  return { ...end, commits: end.commits + 1, events: end.events + 1, last: end.last + 1 };
}

test("restores files only up to the limits and only in their place in the data folder", () => {
  const { layout } = hubSubject;
  const file = (path: string, bytes = 1): BackupFile => ({
    path,
    base64: Buffer.alloc(bytes).toString("base64"),
  });
  const sealed = new RestoredFiles(layout);
  const many = Array.from({ length: limits.backupFiles }, (_, index) => file(`adapters/x/${index}`));
  sealed.add(many, true);
  assert.throws(() => sealed.add([file("one-more")], true), { problem: "damaged" });
  const large = new RestoredFiles(layout);
  for (let bytes = 0, n = 0; bytes < limits.backupFilesBytes; bytes += limits.backupFileBytes, n++)
    large.add([file(`adapters/${n}`, limits.backupFileBytes)], true);
  assert.throws(() => large.add([file("one-more")], true), { problem: "damaged" });
  for (const path of [
    "secret-key",
    "run.json",
    "hub.json",
    "log",
    "log/data.mdb",
    "ledge.sock",
    "x.new",
    "adapters",
    "other/x",
  ])
    assert.throws(() => new RestoredFiles(layout).add([file(path)], true), { problem: "damaged" }, path);
  const own = new RestoredFiles(layout);
  own.add([file("identity-key.json"), file("adapters/radio/x.db")], true);
  assert.equal(own.all.length, 2);
});
