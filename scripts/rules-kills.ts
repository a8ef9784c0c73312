// Runs a simulated home full of rules for some time. Its processes share a log on disk and are killed one after
// the other at random moments; each continues from what is durable.
//
//   npm run -s rules:kills -- [--days N] [--kills N] [--seed N] [--json]
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, parseArgs } from "node:util";
import type { MemoryLog } from "@ledge/log";
import { openLmdbLog } from "@ledge/log";
import { Life } from "@ledge/rules/testing";
import { imageOf, openTestKernel, seededRandom } from "@ledge/testkit";
import { sourceFlags } from "@ledge/testkit/programs";
import { countOf } from "./count-of.ts";

const stepsPerDay = 96;

const say = (line: string): number => writeSync(1, `${line}\n`);

/**
 * Runs from a step on to the last and prints each completed step. At the end it prints whether the log alone
 * rebuilds the same home.
 */
async function child(folder: string, seed: number, from: number, steps: number): Promise<void> {
  const log = (await openLmdbLog({ folder })) as unknown as MemoryLog;
  const kernel = { log, newId: randomUUID, snapshotCommits: 500 };
  const last = [...log.read()].at(-1)?.timestamp;
  const life =
    last === undefined || from === 0
      ? await Life.begin(seed, kernel)
      : await Life.goOn(seed + from, new Date(last + 1000).toISOString(), kernel);
  const { house } = life;
  house.onIssued = ({ id }) => say(`command ${id}`);
  for (let step = from; step < steps; step++) {
    await life.step();
    say(`step ${step + 1}`);
  }
  const [image, counts] = [
    imageOf(house.hub),
    { rules: house.kernel.size("rule"), timers: house.kernel.size("timer") },
  ];
  await house.close();
  const again = (await openLmdbLog({ folder })) as unknown as MemoryLog;
  const rebuilt = openTestKernel({ log: again, release: "another" });
  say(`end ${JSON.stringify({ ...counts, isRebuilt: isDeepStrictEqual(imageOf(rebuilt), image) })}`);
  await rebuilt.kernel.close();
}

/** When to kill a process: this long (ms) after it has printed that a step is done. */
interface Kill {
  readonly step: number;
  readonly afterMs: number;
}

/** Returns the output of a process until it ended or was killed. */
async function run(args: readonly string[], kill: Kill | undefined): Promise<string[]> {
  const started = spawn(
    process.execPath,
    [...sourceFlags, fileURLToPath(import.meta.url), "child", ...args],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  let text = "";
  started.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const closed = once(started, "close");
  if (kill !== undefined) {
    while (!text.includes(`step ${kill.step}\n`) && started.exitCode === null) await sleep(1);
    await sleep(kill.afterMs);
    started.kill("SIGKILL");
  }
  const [code] = (await closed) as [number | null];
  if (kill === undefined && code !== 0) throw new Error(`the process ended with ${code}`);
  // Drop the last line, which may be incomplete.
  return text.split("\n").slice(0, -1);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      days: { type: "string", default: "30" },
      kills: { type: "string", default: "20" },
      seed: { type: "string", default: String(Date.now() % 2 ** 31) },
      json: { type: "boolean", default: false },
    },
  });
  const [days, kills, seed] = [
    countOf("days", values.days),
    countOf("kills", values.kills),
    countOf("seed", values.seed),
  ];
  const folder = mkdtempSync(join(tmpdir(), "ledge-rules-"));
  const random = seededRandom(seed);
  const steps = days * stepsPerDay;
  const commands: string[] = [];
  let step = 0;
  let done = 0;
  let end = "";
  try {
    while (end === "") {
      // Spread the kills over the remaining steps, each at least one step before the end.
      const share = Math.floor((steps - step) / (kills - done + 1));
      const at = Math.min(step + 1 + random(Math.max(1, 2 * share)), steps - 1);
      const kill = done < kills ? { step: at, afterMs: random(40) } : undefined;
      const lines = await run([folder, String(seed), String(step), String(steps)], kill);
      for (const line of lines) {
        const [what = "", value = ""] = line.split(/ (.*)/);
        if (what === "command") commands.push(value);
        else if (what === "step") step = Number(value);
        else if (what === "end") end = value;
      }
      if (kill !== undefined && end === "") done += 1;
      console.error(`step ${step} of ${steps}, ${done} kills, ${commands.length} commands`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const twice = commands.length - new Set(commands).size;
  const found = {
    seed,
    steps,
    kills: done,
    commands: commands.length,
    twice,
    ...(JSON.parse(end) as { isRebuilt: boolean }),
  };
  if (values.json) console.log(JSON.stringify(found));
  else for (const [name, value] of Object.entries(found)) console.log(`${name.padEnd(12)}${value}`);
  if (twice > 0 || !found.isRebuilt || done < kills) process.exitCode = 1;
}

if (process.argv[2] === "child") {
  const [folder = "", ...counts] = process.argv.slice(3);
  const [seed = 0, from = 0, steps = 0] = counts.map(Number);
  await child(folder, seed, from, steps);
} else {
  await main();
}
