// Single scenarios: one power cut, or one kill, and a check of what is left.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type Findings, steadySessions } from "./commits.ts";
import { cutAt, type Files, said } from "./cut.ts";
import { type Operation, operationsOf, type Write } from "./operations.ts";
import { type Conditions, type Ended, type Runner, traceOf, verdictOf } from "./process.ts";
import type { Random } from "./random.ts";

export interface Outcome extends Findings {
  /** Whether two opens in a row failed. */
  readonly isLoop: boolean;
}

/** How to produce a history. */
export interface Writing extends Conditions {
  /** How many writers run one after the other; by default 3. */
  readonly sessions?: number;
  /** Leaves out snapshots and large commits, which wait until everything is moved. */
  readonly isSteady?: boolean;
}

/**
 * The operations of several processes in sequence, starting with an empty folder. Each process but the last was
 * killed.
 */
export type History = readonly Operation[];

/** Sessions that check have higher numbers than those that write. */
const checkSession = 1000;

/** Creates a home in its own folder. */
export function homeIn(folder: string, files: Files = new Map()): string {
  mkdirSync(join(folder, "log"), { recursive: true, mode: 0o700 });
  for (const [name, content] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, name), content, { mode: 0o600 });
  }
  return folder;
}

/** Runs writers on one folder, each killed at a random point of its work. */
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
    // Short lives are as frequent as long ones, because many faults are in the first steps.
    const killAt = conditions.killAt ?? Math.floor(10 * 150 ** (random.below(1000) / 1000));
    const args = [
      isSteady ? "write-steadily" : "write",
      home,
      String(isSteady ? steadySessions + session : session),
      String(random.below(2 ** 31)),
    ];
    const ended = await runner.run(args, home, trace, { ...conditions, killAt });
    if (ended.signal !== "SIGKILL") throw new Error(`a writer ended on its own: ${JSON.stringify(ended)}`);
    operations.push(...resolved(operationsOf(traceOf(trace)), home));
  }
  return operations;
}

/**
 * Returns the operations with interrupted writes resolved. A kill may have left a write done in part; the file
 * tells. Its bytes are in the cache, not on disk, even for a synchronous write; flushes of the next session cover
 * them.
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

/** Cuts the power somewhere in a history, checks, and cuts it again during the recovery of the first check. */
export async function cut(
  runner: Runner,
  folder: string,
  history: History,
  random: Random,
  looking: Conditions,
): Promise<Outcome> {
  const first = join(folder, "first");
  // The first steps of a new log are few, but the most delicate.
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

/** Returns a position in the first `part` of a history. The many lines of reports do not count. */
function positionIn(history: History, part: number, random: Random): number {
  const positions = [...history.keys()].filter((position) => {
    const operation = history[position];
    return operation?.kind === "end" || operation?.name !== said;
  });
  return positions[random.below(Math.ceil(positions.length * part) + 1)] ?? history.length;
}

/** Kills writers on one folder at random moments, and checks each time. */
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

/** Checks a home in a new process, and in another one when the first could not open it. */
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
  // A process that dies while reading reveals damage, even if the next one survives.
  const corrupt = [
    ...(verdict === undefined || isLoop ? died : []),
    ...(secondVerdict?.opened === true ? secondVerdict.corrupt : []),
  ];
  return { isLoop, corrupt, lost: secondVerdict?.opened === true ? secondVerdict.lost : [] };
}

function describe({ code, signal, out, error }: Ended): string {
  return `${signal ?? `code ${code}`}: ${(out + error).trim().slice(-600)}`;
}
