import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Probed } from "./child.ts";
import { lastLineOf, Runner } from "./process.ts";
import { type Random, seeded } from "./random.ts";
import { homeIn } from "./scenarios.ts";

const seed = process.env["SEED"] ?? String(Date.now() % 2 ** 31);
const random = seeded(seed);
const folder = mkdtempSync(join(tmpdir(), "ledge-damage-"));
after(() => rmSync(folder, { recursive: true }));
const runner = new Runner(folder);
const home = homeIn(join(folder, "whole"));

before(async () => {
  await runner.run(["write", home, "1", seed], home, join(folder, "trace"), { killAt: 900 });
});

/**
 * Signals that a damaged LMDB file may cause, because LMDB trusts its pages. That is why a hub checks a log in
 * another process first.
 */
const deaths: ReadonlySet<string> = new Set(["SIGSEGV", "SIGBUS", "SIGABRT"]);

/** Opens a copy of the home with a damaged file `name` in a new process. Returns undefined when that process died. */
async function probed(name: string, damage: (path: string) => void): Promise<Probed | undefined> {
  const copy = join(folder, "copy");
  rmSync(copy, { recursive: true, force: true });
  cpSync(home, copy, { recursive: true });
  damage(join(copy, "log", name));
  const ended = await runner.run(["probe", copy, "2", "1"], copy, undefined);
  if (name === "data.mdb" && deaths.has(ended.signal ?? "")) return undefined;
  return (lastLineOf(ended) as Probed | undefined) ?? assert.fail(`${ended.signal} ${ended.error}`);
}

/** Like `probed`, for damage that must not end the process. */
async function alive(name: string, damage: (path: string) => void): Promise<Probed> {
  return (await probed(name, damage)) ?? assert.fail("the process died");
}

function flipBits(path: string, count: number, chance: Random): void {
  const content = readFileSync(path);
  for (let i = 0; i < count; i++) {
    const at = chance.below(content.length);
    content.writeUInt8(content.readUInt8(at) ^ (1 << chance.below(8)), at);
  }
  writeFileSync(path, content);
}

function zeroPage(path: string, chance: Random): void {
  const content = readFileSync(path);
  const page = chance.below(content.length / 4096);
  writeFileSync(path, content.fill(0, page * 4096, (page + 1) * 4096));
}

/** Checks that there is no wrong value, no empty home and no unreported loss. */
function assertHonest(found: Probed, name: string): void {
  if (!found.opened) {
    assert.equal(found.code, "damaged", found.message);
    return;
  }
  assert.deepEqual(found.wrong, []);
  assert.ok(found.last > 0, "empty");
  // The journal's last frames look unfinished when they are unreadable.
  if (name === "data.mdb") assert.ok(found.lost === 0 || found.isCut || found.isNamed, JSON.stringify(found));
}

const damages: readonly [string, (path: string) => void][] = [
  ["a flipped bit", (path) => flipBits(path, 1, random)],
  ["200 flipped bits", (path) => flipBits(path, 200, random)],
  ["a page of zeros", (path) => zeroPage(path, random)],
];

for (const name of ["data.mdb", "journal"]) {
  for (const [what, damage] of damages) {
    test(`${what} in ${name} leads to no wrong value and no empty home (SEED=${seed})`, async () => {
      for (let turn = 0; turn < 3; turn++) {
        const found = await probed(name, damage);
        if (found !== undefined) assertHonest(found, name);
      }
    });
  }
}

test(`a truncated journal leads to no wrong value and no empty home (SEED=${seed})`, async () => {
  const { size } = statSync(join(home, "log", "journal"));
  for (let turn = 0; turn < 2; turn++) {
    assertHonest(await alive("journal", (path) => truncateSync(path, random.below(size))), "journal");
  }
});

test(`a truncated data.mdb does not end the process (SEED=${seed})`, async () => {
  const { size } = statSync(join(home, "log", "data.mdb"));
  for (const bytes of [100, 4096, 8192, 16_384, 65_536, random.below(size)]) {
    assertHonest(await alive("data.mdb", (path) => truncateSync(path, bytes)), "data.mdb");
  }
});

test("reports a data.mdb that is empty, or missing beside its journal", async () => {
  assertHonest(await alive("data.mdb", (path) => truncateSync(path, 0)), "data.mdb");
  assertHonest(await alive("data.mdb", (path) => rmSync(path)), "data.mdb");
});
