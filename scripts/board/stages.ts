import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { secondsSince } from "../seconds-since.ts";

/** How far a trial is: the stages that have ended, and what the next one has to know. */
interface Progress<Memory> {
  readonly ended: readonly string[];
  readonly memory: Memory;
  readonly seconds: Readonly<Record<string, number>>;
}

/**
 * Runs stages of a trial one after the other on the disk of one machine. The machine is off between them. Where
 * `isKept`, a copy of the disk stays after each, and a trial in the same folder goes on behind the last that passed.
 * @param disk file of the machine's disk
 * @param folder for the copy and the record of it
 * @param stages name -> what it does; it returns what the next one has to know
 * @returns seconds of this machine that each stage took
 */
export async function runStages<Memory>(
  { disk, folder, isKept }: { readonly disk: string; readonly folder: string; readonly isKept: boolean },
  first: Memory,
  stages: Readonly<Record<string, (memory: Memory) => Promise<Memory>>>,
): Promise<Readonly<Record<string, number>>> {
  const [record, copy] = [join(folder, "stages.json"), join(folder, "stages.img")];
  let progress: Progress<Memory> = { ended: [], memory: first, seconds: {} };
  if (isKept && existsSync(record)) {
    progress = JSON.parse(readFileSync(record, "utf8")) as Progress<Memory>;
    execFileSync("cp", ["--sparse=always", copy, disk]);
  }
  for (const [name, run] of Object.entries(stages)) {
    if (progress.ended.includes(name)) continue;
    const from = performance.now();
    const memory = await run(progress.memory);
    const seconds = secondsSince(from);
    progress = {
      ended: [...progress.ended, name],
      memory,
      seconds: { ...progress.seconds, [name]: seconds },
    };
    if (!isKept) continue;
    console.error(`${name}: ${seconds} s`);
    execFileSync("cp", ["--sparse=always", disk, copy]);
    writeFileSync(record, JSON.stringify(progress));
  }
  return progress.seconds;
}
