import assert from "node:assert/strict";
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { socketConsole } from "@ledge/host/cli/client";
import { hideCanaries } from "../testdata/home.ts";
import { bareProfile, eventually, HubProcess, ledge, temporaryFolder } from "../testdata/hub-process.ts";

const root = temporaryFolder();
const profile = bareProfile(root.path);
const at = (name: string): string => join(root.path, name);
/** A hub that was killed today, its folder after yesterday's clean stop, and the folder of another hub. */
const [home, yesterday, other] = ["home", "yesterday", "other"].map(at) as [string, string, string];

before(async () => {
  const first = await HubProcess.start(home, "--profile", profile);
  await addRooms(first, "Hall", "Attic");
  await first.stop();
  await hideCanaries(home);
  cpSync(home, yesterday, { recursive: true });
  const second = await HubProcess.start(home, "--profile", profile);
  const transferred = await socketConsole(home).call(
    "POST",
    "/cc/1.14/console/owner?email=bob%40example.org",
  );
  assert.equal(transferred.status, 200);
  await second.stop();
  const third = await HubProcess.start(home, "--profile", profile);
  await addRooms(third, "Cellar");
  await third.kill();
  const strange = await HubProcess.start(other, "--profile", profile);
  await addRooms(strange, "Elsewhere");
  await strange.stop();
  await hideCanaries(other);
});

after(() => root.remove());

async function addRooms(hub: HubProcess, ...names: string[]): Promise<void> {
  const key = await hub.key();
  for (const name of names) assert.equal((await hub.call("PUT", "/rooms", key, [{ name }])).status, 200);
}

const ways = {
  gone: (file, folder) => rmSync(join(folder, file)),
  empty: (file, folder) => truncateSync(join(folder, file), 0),
  cut: (file, folder) =>
    truncateSync(join(folder, file), Math.floor(readFileSync(join(folder, file)).length / 2)),
  "of yesterday": (file, folder) => copyFileSync(join(yesterday, file), join(folder, file)),
  "of another hub": (file, folder) => copyFileSync(join(other, file), join(folder, file)),
} as const satisfies Readonly<Record<string, (file: string, folder: string) => void>>;
type Way = keyof typeof ways;

/** The hub serves all acknowledged changes and reports nothing. */
const whole = { state: "serving" } as const;
/** The hub serves all acknowledged changes and raises this alarm. */
const alarm = (kind: string) => ({ state: "serving", kind }) as const;
/** The hub takes no changes and gives this reason. */
const rescue = (reason: RegExp) => ({ state: "rescue", reason }) as const;
type Expected = typeof whole | ReturnType<typeof alarm> | ReturnType<typeof rescue>;

/** The outcome for each way of damage: the common one, and the exceptions. */
function row(each: Expected, but: Partial<Record<Way, Expected>> = {}): Readonly<Record<Way, Expected>> {
  const all = Object.keys(ways).map((way) => [way, but[way as Way] ?? each] as const);
  return Object.fromEntries(all) as Record<Way, Expected>;
}

const older = /^the log is older than it was|^data\.mdb is older than its journal/;
const lostJournal = /^the journal is .+: what was acknowledged after/;

const table: Readonly<Record<string, Readonly<Record<Way, Expected>>>> = {
  "log/data.mdb": row(rescue(/ledge doctor/), {
    gone: rescue(/^the log is empty, though a hub has lived here/),
    empty: rescue(/^the log is empty, though a hub has lived here/),
    "of yesterday": rescue(older),
  }),
  "log/journal": row(rescue(lostJournal)),
  "log/lock.mdb": row(whole),
  "hub.json": row(whole, { "of another hub": rescue(/^the log is that of hub .+, and hub\.json names/) }),
  "identity-key.json": row(alarm("IDENTITY_LOST"), { "of yesterday": whole }),
  "personal-keys.json": row(alarm("NAMES_LOST")),
  "secret-key": row(alarm("SECRETS_LOST"), { "of yesterday": whole }),
  "https.json": row(alarm("CERTIFICATE_CHANGED"), { "of yesterday": whole }),
  "profile.json": row(whole),
  "run.json": row(whole),
};

function wordOf(expected: Expected): string {
  if ("kind" in expected) return expected.kind;
  return expected === whole ? "all there" : "rescue";
}

async function valuesOf<T>(folder: string, path: string): Promise<T[]> {
  const { json } = await socketConsole(folder).call("GET", `/cc/1.14${path}`);
  return Object.values(json as Record<string, T>);
}

async function assertCell(copy: string, way: Way, file: string, expected: Expected): Promise<void> {
  const hub = await HubProcess.start(copy, "--profile", profile);
  const health = await fetch(`${hub.address}/healthz`);
  const { status, reason } = (await health.json()) as { status: string; reason: string | null };
  assert.deepEqual(
    [status, health.status],
    [expected.state, expected.state === "rescue" ? 503 : 200],
    reason ?? "",
  );
  if ("reason" in expected) assert.match(reason ?? "", expected.reason);
  else {
    const rooms = await valuesOf<{ name: string }>(copy, "/rooms");
    assert.deepEqual(rooms.map(({ name }) => name).toSorted(), ["Attic", "Cellar", "Hall"]);
    const kindsNow = async (): Promise<string[]> =>
      (await valuesOf<{ kind: string }>(copy, "/alarms")).map(({ kind }) => kind);
    const wanted = "kind" in expected ? ["KEY_RECOVERED", expected.kind] : ["KEY_RECOVERED"];
    const kinds = await eventually("alarms", async () => {
      const found = await kindsNow();
      return found.length >= wanted.length ? found : undefined;
    });
    assert.deepEqual(kinds.toSorted(), wanted.toSorted());
  }
  const { json } = await socketConsole(copy).call("GET", "/cc/1.14/console/status");
  const { lost } = json as { lost: { file: string }[] };
  const isLost = "kind" in expected && file !== "https.json";
  if (expected.state === "serving")
    assert.deepEqual(
      lost.map((one) => one.file),
      isLost ? [file] : [],
    );
  // One process for each file is enough.
  if (way === "gone" && (isLost || "reason" in expected)) {
    const { code, stdout } = await ledge("doctor", "--data", copy);
    assert.equal(code, 1);
    assert.match(stdout, new RegExp(`^WRONG +${isLost ? file.replace(".", "\\.") : "hub"} `, "m"));
  }
  await hub.kill();
}

describe("a data folder after a crash, one file of which is", { concurrency: 2 }, () => {
  for (const [file, cells] of Object.entries(table))
    for (const [way, expected] of Object.entries(cells) as [Way, Expected][]) {
      test(`${way}: ${file}: ${wordOf(expected)}`, async () => {
        const copy = at(`${way} ${file}`.replaceAll(/[ /]/g, "-"));
        cpSync(home, copy, { recursive: true, filter: (path) => !path.endsWith(".sock") });
        ways[way](file, copy);
        await assertCell(copy, way, file, expected);
        rmSync(copy, { recursive: true });
      });
    }
});

test("docs/crash.md lists the same outcome for each cell", () => {
  const page = readFileSync(new URL("../../../../docs/crash.md", import.meta.url), "utf8");
  const rows = page.split("\n").flatMap((line) => {
    const [, file, ...cells] = line.split("|").map((cell) => cell.trim().replaceAll("`", ""));
    return file !== undefined && file in table ? [[file, cells.slice(0, -1)] as const] : [];
  });
  const expected = Object.entries(table).map(
    ([file, cells]) => [file, Object.values(cells).map(wordOf)] as const,
  );
  assert.deepEqual(rows, expected);
});

test("a log older than its last run is served again after a repair has recorded the loss", async () => {
  const copy = at("older");
  cpSync(yesterday, copy, { recursive: true });
  copyFileSync(join(home, "run.json"), join(copy, "run.json"));
  const looked = await ledge("doctor", "--data", copy);
  assert.match(looked.stdout, /^WRONG +log .+the log is older than it was/m);
  const repaired = await ledge("doctor", "--repair", "--yes", "--data", copy);
  assert.equal(repaired.code, 0, repaired.stderr);
  assert.match(repaired.stdout, /^Lost: what came behind/m);
  const hub = await HubProcess.start(copy, "--profile", profile);
  assert.equal((await fetch(`${hub.address}/healthz`)).status, 200);
  const kinds = (await valuesOf<{ kind: string }>(copy, "/alarms")).map(({ kind }) => kind);
  assert.ok(kinds.includes("LOG_DAMAGED"), kinds.join());
  await hub.stop();
});

test("a restored certificate is served again, and a damaged one is never replaced", async () => {
  const copy = at("certificate");
  cpSync(yesterday, copy, { recursive: true });
  writeFileSync(join(copy, "https.json"), "{");
  const hub = await HubProcess.start(copy, "--profile", profile);
  const { stdout } = await ledge("doctor", "--data", copy);
  assert.match(stdout, /^WRONG +https\.json .+put the file back/m);
  await hub.stop();
  assert.equal(readFileSync(join(copy, "https.json"), "utf8"), "{");
});

test("an unreadable identity key counts as lost, and the hub serves its home", async () => {
  const copy = at("unreadable");
  cpSync(yesterday, copy, { recursive: true });
  rmSync(join(copy, "identity-key.json"));
  mkdirSync(join(copy, "identity-key.json"));
  const hub = await HubProcess.start(copy, "--profile", profile);
  const alarms = async () => (await valuesOf<{ kind: string }>(copy, "/alarms")).map(({ kind }) => kind);
  await eventually("the alarm", async () => (await alarms()).includes("IDENTITY_LOST") || undefined);
  const { json } = await socketConsole(copy).call("GET", "/cc/1.14/console/status");
  const [lost] = (json as { lost: { file: string; problem: string }[] }).lost;
  assert.match(JSON.stringify(lost), /identity-key\.json cannot be read: EISDIR/);
  await hub.stop();
});
