import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate, setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openLmdbLog } from "@ledge/log";
import type { Command, Reaction } from "@ledge/model";
import { aggregates, categories, EpochOpened, limits } from "@ledge/model";
import { sourceFlags } from "@ledge/testkit/programs";
import { systemClock } from "./clock.ts";
import type { Kernel } from "./kernel.ts";
import { openKernel } from "./open-kernel.ts";

const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
const rounds = 6;

/** How many commands follow one room: more than four commits take. */
const followers = limits.cascadeCommands * 4 + 1;
const following: Reaction = {
  name: "many",
  on: ["RoomCreated"],
  react: () =>
    Array.from(
      { length: followers },
      (_, at) => ({ type: "NOTE_DROPPED", id: `a${at}`, dropped: 1 }) as Command,
    ),
};

async function open(folder: string, reactions: readonly Reaction[] = []): Promise<Kernel> {
  return openKernel({
    log: await openLmdbLog({ folder }),
    aggregates,
    categories,
    reactions,
    epochEvent: EpochOpened.type,
    clock: systemClock,
    newId: randomUUID,
    timeTrusted: () => true,
    onFatal: (error) => {
      throw error;
    },
    pause: () => setImmediate(),
    release: "test",
    // Often enough that some kills hit a half-written snapshot.
    snapshotCommits: 20,
  });
}

/** Creates rooms and sets timers forever, and prints each once it was acknowledged. */
async function child(folder: string): Promise<void> {
  const kernel = await open(folder);
  kernel.settled();
  const say = (line: string): number => writeSync(1, `${line}\n`);
  for (let number = 0; ; number++) {
    const id = randomUUID();
    const room = { type: "CMD_ROOM", name: id };
    const timer = { type: "SET_TIMER", id, durationMs: (number * 37) % 400, late: "fire" };
    const submit = async (command: { type: string }): Promise<void> => {
      const outcome = await kernel.submit({ commands: [command], origin: "system" });
      say(`${outcome.accepted ? "done" : "refused"} ${command.type} ${id} `);
    };
    await Promise.all([submit(room), submit(timer), setTimeout(number % 4)]);
  }
}

/** Creates a room and dies when that is acknowledged, while the cascade has only begun. */
async function cascadingChild(folder: string): Promise<void> {
  const kernel = await open(folder, [following]);
  await kernel.submit({ commands: [{ type: "CMD_ROOM", name: "start" } as Command], origin: "system" });
  process.kill(process.pid, "SIGKILL");
}

/** Runs the child until some time after its first output, kills it, and returns what it printed. */
async function killed(folder: string, delayMs: number): Promise<string[]> {
  const args = [...sourceFlags, fileURLToPath(import.meta.url), "child", folder];
  const started = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  started.stdout.on("data", (data) => (said += String(data)));
  await once(started.stdout, "data");
  await setTimeout(delayMs);
  started.kill("SIGKILL");
  await once(started, "close");
  return said.split("\n").slice(0, -1);
}

/** Returns the acknowledged rooms and timers that are missing. Timers may have fired meanwhile. */
function missing(kernel: Kernel, said: readonly string[]): string[] {
  const rooms = new Set([...kernel.all("room")].map(([, { name }]) => name));
  const fired = new Set<string>();
  for (const { events } of kernel.log.read()) {
    for (const { type, id } of events) if (type === "TimerFired") fired.add(id);
  }
  return said.filter((line) => {
    const [word = "", type = "", id = ""] = line.split(" ");
    if (word !== "done") return true;
    return type === "CMD_ROOM" ? !rooms.has(id) : !fired.has(id) && kernel.get("timer", id) === undefined;
  });
}

/** Resolves when no timer is left. */
async function allFired(kernel: Kernel): Promise<void> {
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (kernel.size("timer") === 0) resolve();
    };
    kernel.subscribe({ published: look });
    look();
  });
}

function declare(): void {
  test(`keeps what it acknowledged when killed, and fires its timers (SEED=${seed})`, async (context) => {
    const folder = mkdtempSync(join(tmpdir(), "ledge-kernel-"));
    context.after(() => rmSync(folder, { recursive: true }));
    const said: string[] = [];
    for (let round = 0; round < rounds; round++) {
      said.push(...(await killed(folder, (seed + round * 7919) % 150)));
      const kernel = await open(folder);
      assert.deepEqual(missing(kernel, said), [], `round ${round}`);
      if (round === rounds - 1) await allFired(kernel);
      await kernel.close();
    }
    assert.ok(said.length > rounds * 4, `only ${said.length} were acknowledged`);
    const kernel = await open(folder);
    assert.deepEqual(missing(kernel, said), []);
    assert.equal(kernel.size("timer"), 0);
    assert.deepEqual(
      missing(kernel, ["done CMD_ROOM never", "done SET_TIMER never", "refused X y"]).length,
      3,
    );
    await kernel.close();
  });
}

function declareCascade(): void {
  test("resumes a cascade at the next start when killed in the middle of it", async (context) => {
    const folder = mkdtempSync(join(tmpdir(), "ledge-kernel-"));
    context.after(() => rmSync(folder, { recursive: true }));
    const args = [...sourceFlags, fileURLToPath(import.meta.url), "cascade", folder];
    const started = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
    assert.deepEqual(await once(started, "close"), [null, "SIGKILL"]);
    const kernel = await open(folder, [following]);
    const before = kernel.size("adapter");
    assert.ok(before >= limits.cascadeCommands && before < followers, `${before} were noted`);
    await kernel.close();
    const again = await open(folder, [following]);
    assert.deepEqual([again.size("adapter"), again.size("cascade")], [followers, 0]);
    for (const [, { dropped }] of again.all("adapter")) assert.equal(dropped, 1);
    await again.close();
  });
}

const [mode, folder = ""] = process.argv.slice(2);
if (mode === "child") await child(folder);
else if (mode === "cascade") await cascadingChild(folder);
else {
  declare();
  declareCascade();
}
