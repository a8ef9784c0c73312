import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { openLmdbLog, salvage } from "@ledge/log";
import { verifyBackup } from "../backup/reader.ts";
import type { BackupSubject } from "../backup/subject.ts";
import { logFolder } from "../folder.ts";
import { isServed } from "../lock.ts";
import type { CliCommand } from "./command.ts";
import { CliError, exitCodes } from "./command.ts";
import { asCliError } from "./restore.ts";

/** The result of a walk through a log or a backup; timestamps in ms. */
interface Walk {
  readonly commits: number;
  readonly events: number;
  readonly first: number;
  readonly last: number;
  /** The timestamp of the newest complete snapshot; null for none, and for backups. */
  readonly snapshot: number | null;
  /** The damaged places: each after or at the commit at `timestamp`. */
  readonly damage: readonly { readonly timestamp: number; readonly problem: string }[];
}

/** How to read a log, and what must not be missing from it. */
type Walked = Pick<BackupSubject, "upcasters" | "goneLog">;

/** Makes the command `verify` of a program. */
export function verifyCommand(subject: Walked): CliCommand {
  return {
    words: "verify",
    usage: "[FILE]",
    summary: "Walks a whole backup, or the log in the data folder; exit code 5 when something is damaged",
    standalone: true,
    check({ positionals }) {
      if (positionals.length > 1) throw new CliError(exitCodes.usage, "verify [FILE]");
    },
    async run({ positionals, folder, json, print }) {
      const [file] = positionals;
      const name = file === undefined ? folder : resolve(file);
      const walk = file === undefined ? await walkFolder(folder, subject) : walkBackup(name);
      const { commits, events, first, last, snapshot, damage } = walk;
      if (json) print(JSON.stringify({ name, ...walk }));
      else {
        const span =
          last === 0 ? "" : `, ${new Date(first).toISOString()} to ${new Date(last).toISOString()}`;
        print(`${name}: ${commits} commits, ${events} events${span}`);
        if (snapshot !== null) print(`newest snapshot: as of ${new Date(snapshot).toISOString()}`);
        const [worst] = damage;
        print(
          worst === undefined
            ? "whole"
            : `DAMAGED in ${damage.length} places, the first at ${worst.timestamp}: ${worst.problem}`,
        );
      }
      return damage.length === 0 ? exitCodes.done : exitCodes.damaged;
    },
  };
}

function walkBackup(file: string): Walk {
  try {
    const { damage, header: _, ...found } = verifyBackup(file);
    return { ...found, snapshot: null, damage: damage === undefined ? [] : [damage] };
  } catch (error) {
    throw asCliError(error);
  }
}

/** The result for an empty or missing log that must not be either. */
function goneWalk(folder: string, { goneLog }: Walked, last: number): Walk | undefined {
  const problem = goneLog(folder, last);
  if (problem === undefined) return undefined;
  return { commits: 0, events: 0, first: 0, last, snapshot: null, damage: [{ timestamp: 0, problem }] };
}

/**
 * Walks the log of a data folder. The log of a stopped process is first read page by page, because damaged
 * pages could crash LMDB when it opens them.
 */
export async function walkFolder(folder: string, subject: Walked): Promise<Walk> {
  const log = logFolder(folder);
  const missing = existsSync(join(log, "data.mdb")) ? undefined : goneWalk(folder, subject, 0);
  if (missing !== undefined) return missing;
  if (!existsSync(log)) throw new CliError(exitCodes.unavailable, `there is no log in ${folder}`);
  if (!(await isServed(folder))) {
    const { missing: spans, beside, commits, events, first, last } = salvage(log);
    const damage = [
      ...spans.map(({ from, to, problem }) => ({ timestamp: from, problem: spanText(to, problem) })),
      ...beside.map((problem) => ({ timestamp: last, problem: `beside the commits: ${problem}` })),
    ];
    if (damage.length > 0) return { commits, events, first, last, snapshot: null, damage };
  }
  const reader = await openLmdbLog({ folder: log, upcasters: subject.upcasters, readOnly: true });
  try {
    const found = reader.verify();
    const snapshot = reader.snapshots().find(({ isWhole }) => isWhole)?.timestamp ?? null;
    return goneWalk(folder, subject, reader.last) ?? { ...found, snapshot };
  } finally {
    await reader.close();
  }
}

function spanText(to: number | null, problem: string): string {
  return to === null
    ? `${problem}; nothing is readable behind it`
    : `${problem}; readable again from ${to} on`;
}
