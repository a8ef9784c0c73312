import assert from "node:assert/strict";
import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { seededRandom } from "@ledge/testkit";
import { bareProfile, HubProcess, temporaryFolder } from "../testdata/hub-process.ts";

const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
const effort = Number(process.env["EFFORT"] ?? 1);
const random = seededRandom(seed);
const folder = temporaryFolder();
const profile = bareProfile(folder.path);
const home = join(folder.path, "home");
/** The room names after each acknowledged change, sorted. */
const history: string[][] = [];
let key: string;

after(() => folder.remove());

before(async () => {
  const first = await HubProcess.start(home, "--profile", profile);
  key = await first.key();
  await change(first, 40);
  await first.stop();
  const second = await HubProcess.start(home, "--profile", profile);
  await change(second, 40);
  await second.kill();
});

async function change(hub: HubProcess, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    const name = `room ${history.length} ${"x".repeat(100)}`;
    assert.equal((await hub.call("PUT", "/rooms", key, [{ name }])).status, 200);
    history.push([...(history.at(-1) ?? []), name].toSorted());
  }
}

interface Position {
  readonly file: "data.mdb" | "journal";
  /** The range of bytes from which a place is chosen. */
  readonly from: number;
  readonly to: (size: number) => number;
}

const positions: Readonly<Record<string, Position>> = {
  "the meta pages": { file: "data.mdb", from: 0, to: () => 8192 },
  "a page that is used": { file: "data.mdb", from: 8192, to: usedBytes },
  "the head of a page that is used": { file: "data.mdb", from: 8192, to: usedBytes },
  "the journal": { file: "journal", from: 0, to: () => 400_000 },
};

/** The end of the file's content. */
function usedBytes(): number {
  const content = readFileSync(join(home, "log", "data.mdb"));
  let end = content.length;
  while (end > 0 && content[end - 1] === 0) end--;
  return end;
}

function place(where: string): { readonly file: string; readonly at: number } {
  const { file, from, to } = positions[where] as Position;
  const { size } = statSync(join(home, "log", file));
  const at = from + random(Math.min(to(size), size) - from);
  // The page number, flags and bounds, which LMDB trusts without a check.
  return { file, at: where.startsWith("the head") ? at - (at % 4096) + random(24) : at };
}

const damages: Readonly<Record<string, (path: string, at: number) => void>> = {
  "a flipped bit": (path, at) => {
    const content = readFileSync(path);
    content.writeUInt8(content.readUInt8(at) ^ (1 << random(8)), at);
    writeFileSync(path, content);
  },
  "a page of zeros": (path, at) => {
    const content = readFileSync(path);
    const start = at - (at % 4096);
    writeFileSync(path, content.fill(0, start, start + 4096));
  },
  "a cut": (path, at) => truncateSync(path, at),
};

const everywhere = Object.keys(positions);
const rounds: readonly (readonly [what: string, places: readonly string[], times: number])[] = [
  ["a flipped bit", everywhere, 3 * effort],
  ["a page of zeros", ["a page that is used"], 2 * effort],
  ["a cut", ["a page that is used", "the journal"], effort],
];

test("an undamaged log is served after a kill", async () => {
  const hub = await HubProcess.start(home, "--profile", profile);
  assert.equal((await fetch(`${hub.address}/healthz`)).status, 200);
  await hub.kill();
});

for (const [what, places, times] of rounds) {
  const damage = damages[what] ?? assert.fail();
  for (const where of places) {
    test(`${what} in ${where}: the hub starts and serves no wrong state (SEED=${seed})`, async () => {
      for (let round = 0; round < times; round++) {
        const { file, at } = place(where);
        const copy = join(folder.path, "copy");
        rmSync(copy, { recursive: true, force: true });
        cpSync(home, copy, { recursive: true });
        damage(join(copy, "log", file), at);
        await assertHonest(copy, file, `${what} in ${file} at ${at}, round ${round}`);
      }
    });
  }
}

/** Starts a hub twice on a damaged log: it must serve all acknowledged changes or report that it does not. */
async function assertHonest(copy: string, file: string, what: string): Promise<void> {
  for (const start of ["first", "second"]) {
    const hub = await HubProcess.start(copy, "--profile", profile);
    const health = (await (await fetch(`${hub.address}/healthz`)).json()) as {
      status?: string;
      message?: string;
    };
    const { status, json } = await hub.call("GET", "/rooms", key);
    const hasServed = health.status === "serving";
    if (hasServed) assert.equal((await hub.call("PUT", "/hub/name?name=Lodge", key)).status, 200, what);
    const ended = hasServed && start === "first" ? await hub.kill() : await hub.stop();
    const names = Object.values(json as Record<string, { name: string }>).map(({ name }) => name);
    const isTruth = isDeepStrictEqual(names.toSorted(), history.at(-1));
    if (!hasServed) {
      assert.match(health.message ?? "", /^rescue: .+ledge doctor/, what);
      assert.ok(
        status === 503 || history.some((names_) => isDeepStrictEqual(names_, names.toSorted())),
        what,
      );
    } else if (!isTruth) {
      // The journal's last frames, when they are unreadable, look like ones that were never finished.
      assert.ok(
        history.some((names_) => isDeepStrictEqual(names_, names.toSorted())),
        what,
      );
      const isSaid = ended.stderr.includes("the end of the log was damaged") || start === "second";
      assert.ok(file === "journal" || isSaid, `${what}: silently ${names.length} of ${history.length}`);
    }
  }
}
