/*
 * The process that is cut or killed: `<mode> <root> <session> <seed>`. The log is in <root>/log. What the process
 * reports about it goes to <root>/said; the shim records these writes in order among the log's.
 */
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type EventLog, LogError, openLmdbLog } from "@ledge/log";
import { commitOf, type Findings, findingsOf, isGone, lines, saidOf } from "./commits.ts";
import { said } from "./cut.ts";
import { type Random, seeded } from "./random.ts";
import { Writer } from "./writer.ts";

/** The result of a check; the last line on stdout. */
export type Verdict =
  | ({ readonly opened: true } & Findings)
  /** The log refused to open; `code` is a LogError's. */
  | { readonly opened: false; readonly code: string; readonly message: string };

/** How a log behaves on a failing disk; the last line on stdout. */
export type Filled =
  | ({
      readonly opened: true;
      /** The codes of the refusals, in order: a LogError's, or the error itself. */
      readonly codes: readonly string[];
      /** How many batches were acknowledged after a refusal. */
      readonly acknowledgedLater: number;
    } & Findings)
  | { readonly opened: false; readonly codes: readonly string[] };

/** What a damaged log reports; the last line on stdout. */
export type Probed =
  | {
      readonly opened: true;
      readonly last: number;
      readonly isCut: boolean;
      /** Whether reading or verifying reports damage. */
      readonly isNamed: boolean;
      /** Commits that nobody wrote in this form. */
      readonly wrong: readonly string[];
      readonly lost: number;
    }
  | { readonly opened: false; readonly code: string; readonly message: string };

const triesWhenFull = 3;

/** How many commits a check appends before it looks again. */
const added = 120;

async function main(): Promise<void> {
  const [mode, root = "", session = "", seed = ""] = process.argv.slice(2);
  const descriptor = openSync(join(root, said), "a+", 0o600);
  let unsaid = "";
  // Write simultaneous acknowledgements together: one system call and one record instead of many.
  const say = (line: string): void => {
    if (unsaid === "") {
      queueMicrotask(() => {
        writeSync(descriptor, unsaid);
        unsaid = "";
      });
    }
    unsaid += line;
  };
  const folder = join(root, "log");
  const random = seeded(seed);
  if (mode === "write" || mode === "write-steadily") {
    const log = await openLmdbLog({ folder });
    say(lines.seen(log.last));
    console.log("open");
    await new Writer(log, Number(session), say, random).forEver(mode === "write" ? 0.01 : 0);
  } else if (mode === "check") {
    console.log(JSON.stringify(await check(folder, root, Number(session), say, random)));
  } else if (mode === "fill") {
    console.log(JSON.stringify(await fill(folder, root, Number(session), say, random)));
  } else if (mode === "probe") {
    console.log(JSON.stringify(await probe(folder, root)));
  } else {
    throw new Error(`unknown mode ${mode}`);
  }
  closeSync(descriptor);
}

/** Opens, checks, appends, closes, opens again and checks again. */
async function check(
  folder: string,
  root: string,
  session: number,
  say: (line: string) => void,
  random: Random,
): Promise<Verdict> {
  const found: Findings[] = [];
  try {
    for (const round of [1, 2]) {
      const log = await openLmdbLog({ folder });
      found.push(findingsOf(log, saidOf(readFileSync(join(root, said), "utf8"))));
      say(lines.seen(log.last));
      const writer = new Writer(log, session, say, random);
      for (let left = round === 1 ? added : 0; left > 0;) {
        const count = Math.min(left, 1 + random.below(20));
        await writer.batch(count);
        left -= count;
      }
      if (round === 1) await writer.compact();
      await log.close();
    }
  } catch (error) {
    const code = error instanceof LogError ? error.code : "thrown";
    return { opened: false, code, message: String(error) };
  }
  return {
    opened: true,
    lost: found.flatMap(({ lost }) => lost).slice(0, 5),
    corrupt: found.flatMap(({ corrupt }) => corrupt).slice(0, 5),
  };
}

/** Appends until that fails, tries again, and checks what can be read then. */
async function fill(
  folder: string,
  root: string,
  session: number,
  say: (line: string) => void,
  random: Random,
): Promise<Filled> {
  const codes: string[] = [];
  const codeOf = (error: unknown): number =>
    codes.push(error instanceof LogError ? error.code : String(error));
  let log: EventLog;
  try {
    log = await openLmdbLog({ folder });
  } catch (error) {
    codeOf(error);
    return { opened: false, codes };
  }
  const writer = new Writer(log, session, say, random);
  let acknowledgedLater = 0;
  for (let tries = 0; codes.length < triesWhenFull && tries < 5000; tries++) {
    if (random.chance(0.02)) await writer.compact().catch(codeOf);
    await writer
      .batch(1 + random.below(20))
      .then(() => (acknowledgedLater += codes.length > 0 ? 1 : 0), codeOf);
  }
  await writer.snapshot().catch(codeOf);
  const findings = isReadable(log)
    ? findingsOf(log, saidOf(readFileSync(join(root, said), "utf8")))
    : { lost: [], corrupt: [] };
  await log.close();
  return { opened: true, codes, acknowledgedLater, ...findings };
}

/** Whether the log can be read. After a failed write it may refuse; the next process can read it. */
function isReadable(log: EventLog): boolean {
  try {
    log.read().next();
    return true;
  } catch (error) {
    if (error instanceof LogError && error.code === "failed") return false;
    throw error;
  }
}

/** Opens a log that may be damaged, and reads as far as possible. */
async function probe(folder: string, root: string): Promise<Probed> {
  const { acknowledged } = saidOf(readFileSync(join(root, said), "utf8"));
  try {
    const log = await openLmdbLog({ folder });
    const served = new Set<number>();
    const wrong: string[] = [];
    let isNamed = log.verify().damage.length > 0;
    try {
      for (const commit of log.read()) {
        const { timestamp } = commit;
        served.add(timestamp);
        const session = acknowledged.get(timestamp) ?? 1;
        if (JSON.stringify(commit) !== JSON.stringify(commitOf(session, timestamp)))
          wrong.push(String(timestamp));
      }
    } catch (error) {
      if (!(error instanceof LogError)) throw error;
      isNamed = true;
    }
    const isLost = (timestamp: number): boolean => !served.has(timestamp) && !isGone(log, timestamp);
    const lost = [...acknowledged.keys()].filter(isLost).length;
    const { last, recovered } = log;
    await log.close();
    return { opened: true, last, isCut: recovered !== undefined, isNamed, wrong, lost };
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    return { opened: false, code: error.code, message: error.message };
  }
}

if (import.meta.main) await main();
