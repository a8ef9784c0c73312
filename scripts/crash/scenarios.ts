// One power cut, one kill: what happens, and what is left to be seen.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type Findings, steadySessions } from "./commits.ts";
import { cutAt, type Files, said } from "./cut.ts";
import { type Operation, operationsOf, type Write } from "./operations.ts";
import { type Conditions, type Ended, type Runner, traceOf, verdictOf } from "./process.ts";
import type { Random } from "./random.ts";

export interface Outcome extends Findings {
  /** Two opens in a row failed. */
  readonly isLoop: boolean;
}

/** How a history comes about. */
export interface Writing extends Conditions {
  /** So many writers, one after the other; 3 unless given. */
  readonly sessions?: number;
  /** Without the snapshots and the large commits that wait until all is moved. */
  readonly isSteady?: boolean;
}

/** What processes did one after the other, each but the last killed, beginning with an empty folder. */
export type History = readonly Operation[];

/** Session numbers of those who look are above those who write. */
const checkSession = 1000;

/** A home in a folder of its own. */
export function homeIn(folder: string, files: Files = new Map()): string {
  mkdirSync(join(folder, "log"), { recursive: true, mode: 0o700 });
  for (const [name, content] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, name), content, { mode: 0o600 });
  }
  return folder;
}

/** Lets writers run on one folder, each killed at a random point of its work. */
export async function writtenHistory(
  runner: Runner,
  folder: string,
  random: Random,
  { sessions = 3, isSteady = false, ...conditions }: Writing,
): Promise<History> {
  const home = homeIn(join(folder, "written"));
  const operations: Operation[] = [];
  for (let session = 1; session <= sessions; session++) {
    const trace = join(folder, `trace-${session}`);
    // As many short lives as long ones: many a fault lies in the first steps.
    const killAt = conditions.killAt ?? Math.floor(10 * 150 ** (random.below(1000) / 1000));
    const args = [
      isSteady ? "write-steadily" : "write",
      home,
      String(isSteady ? steadySessions + session : session),
      String(random.below(2 ** 31)),
    ];
    const ended = await runner.run(args, home, trace, { ...conditions, killAt });
    if (ended.signal !== "SIGKILL") throw new Error(`a writer ended by itself: ${JSON.stringify(ended)}`);
    operations.push(...resolved(operationsOf(traceOf(trace)), home));
  }
  return operations;
}

/**
 * A write that a kill interrupted may have been done in part: the file tells. It is in the cache then, not on
 * disk, whatever it was to wait for; the next session's flushes cover it.
 */
function resolved(operations: readonly Operation[], home: string): Operation[] {
  const ended = new Set(operations.flatMap((one) => (one.kind === "end" ? [one.ticket] : [])));
  return operations.flatMap((operation): Operation[] => {
    if (operation.kind === "end" || operation.kind === "flush" || ended.has(operation.ticket))
      return [operation];
    const end = { kind: "end", ticket: operation.ticket, result: Number.MAX_SAFE_INTEGER } as const;
    if (operation.kind !== "write" || operation.name === said) return [operation, end];
    return [{ ...operation, isSynchronous: false, bytes: presentBytes(operation, home) }, end];
  });
}

function presentBytes({ name, position, bytes }: Write, home: string): Buffer {
  const content = readFileSync(join(home, name));
  return Buffer.from(content.subarray(position, position + bytes.length));
}

/** Cuts the power somewhere in a history, looks, and cuts it again while the first look is recovering. */
export async function cut(
  runner: Runner,
  folder: string,
  history: History,
  random: Random,
  looking: Conditions,
): Promise<Outcome> {
  const first = join(folder, "first");
  // The first steps of a new log are few, and its most delicate.
  const files = cutAt(new Map(), history, positionIn(history, random.chance(0.1) ? 0.02 : 1, random), random);
  const home = homeIn(first, files);
  const trace = join(folder, "trace");
  const found = await looked(runner, home, checkSession, random, looking, trace);
  if (found.isLoop || found.lost.length + found.corrupt.length > 0) return found;

  const recovery = operationsOf(traceOf(trace));
  const position = positionIn(recovery, random.chance(0.5) ? 0.25 : 1, random);
  const again = cutAt(files, recovery, position, random);
  return await looked(runner, homeIn(join(folder, "second"), again), checkSession + 1, random, looking);
}

/** A place in the first `part` of a history; sayings do not count, for they are many. */
function positionIn(history: History, part: number, random: Random): number {
  const positions = [...history.keys()].filter((position) => {
    const operation = history[position];
    return operation?.kind === "end" || operation?.name !== said;
  });
  return positions[random.below(Math.ceil(positions.length * part) + 1)] ?? history.length;
}

/** Kills writers at random moments on one folder, and looks each time. */
export async function kill(
  runner: Runner,
  folder: string,
  random: Random,
  session: number,
): Promise<Outcome> {
  const home = homeIn(folder);
  const args = ["write", home, String(2 * session), String(random.below(2 ** 31))];
  const isEarly = random.chance(0.2);
  const delayMs = random.below(isEarly ? 500 : 150);
  await runner.run(args, home, undefined, {}, (end, isOpen) => {
    void (isEarly ? Promise.resolve() : isOpen).then(() => setTimeout(delayMs)).then(end);
  });
  return await looked(runner, home, 2 * session + 1, random, {});
}

/** Lets a fresh process look at a home; another, when the first could not open it. */
export async function looked(
  runner: Runner,
  home: string,
  session: number,
  random: Random,
  conditions: Conditions = {},
  trace?: string,
): Promise<Outcome> {
  const seed = String(random.below(2 ** 31));
  const args = ["check", home, String(session), seed];
  const ended = await runner.run(args, home, trace, conditions);
  const verdict = verdictOf(ended);
  if (verdict?.opened === true) return { lost: verdict.lost, corrupt: verdict.corrupt, isLoop: false };
  const second = await runner.run(args, home, undefined, conditions);
  const secondVerdict = verdictOf(second);
  const isLoop = secondVerdict?.opened !== true;
  const died = [ended, ...(isLoop ? [second] : [])].map(describe);
  // A process that dies of what it reads shows damage even when the next one lives.
  const corrupt = [
    ...(verdict === undefined || isLoop ? died : []),
    ...(secondVerdict?.opened === true ? secondVerdict.corrupt : []),
  ];
  return { isLoop, corrupt, lost: secondVerdict?.opened === true ? secondVerdict.lost : [] };
}

function describe({ code, signal, out, error }: Ended): string {
  return `${signal ?? `code ${code}`}: ${(out + error).trim().slice(-600)}`;
}
