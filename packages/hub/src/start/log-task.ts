import { fork } from "node:child_process";
import { type Clock, type EventPlace, systemClock } from "@ledge/kernel";
import type { Verification } from "@ledge/log";
import type { Commit } from "@ledge/model";
import { limits } from "@ledge/model";
import { tied } from "@ledge/port";
import { adapterEnvironment } from "../adapters/environment.ts";

/**
 * - `probe`: does the reads of a start
 * - `try`: walks a copy of the whole log, and writes to it
 * - `read`: sends everything readable
 * - `verify`: walks the whole log
 */
export type LogTask = "probe" | "try" | "read" | "verify";

/** The messages of the process that checks a log. */
export type LogReport =
  /** The process makes progress. */
  | { readonly type: "progress" }
  | { readonly type: "sound" }
  | { readonly type: "damaged"; readonly message: string }
  | { readonly type: "refused"; readonly place: EventPlace; readonly message: string }
  /** Rows of the snapshot that `snapshot` ends. */
  | { readonly type: "rows"; readonly rows: readonly unknown[] }
  | { readonly type: "snapshot"; readonly timestamp: number; readonly format: string }
  | { readonly type: "commit"; readonly commit: Commit }
  | { readonly type: "verified"; readonly verification: Verification };

/** The prefix of the names of copies that a `try` makes in the data folder. */
export const trialPrefix = "try-";

const childEntry = import.meta.url.endsWith(".ts")
  ? new URL("./log-child.ts", import.meta.url)
  : new URL("./log-child.mjs", import.meta.url);

/** The abnormal end of a process that checked a log. */
export interface LookFailed {
  readonly how: string;
  /** The process made no progress in time, so the log's state is unknown. */
  readonly isLate: boolean;
}

/**
 * Runs another process that checks a log, for as long as it makes progress: a large log on a slow disk takes
 * its time. Resolves when that process is gone.
 * @param folder the log's own
 * @returns undefined when the process ended normally
 */
export async function lookAtLog(
  task: LogTask,
  folder: string,
  onReport: (report: LogReport) => void,
  options: {
    readonly before?: number | undefined;
    readonly silenceMs?: number;
    readonly clock?: Pick<Clock, "after">;
    readonly child?: URL;
  } = {},
): Promise<LookFailed | undefined> {
  const { before, silenceMs = limits.logTaskSilenceMs, clock = systemClock, child = childEntry } = options;
  const [execPath, execArgv] = tied(process.execPath, [`--max-old-space-size=${limits.logTaskHeapMb}`]);
  const process_ = fork(child, [task, folder, ...(before === undefined ? [] : [String(before)])], {
    execPath,
    execArgv,
    env: adapterEnvironment(process.env),
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  let isLate = false;
  const waits = (): (() => void) =>
    clock.after(silenceMs, () => {
      isLate = true;
      process_.kill("SIGKILL");
    });
  let cancel = waits();
  process_.on("message", (message) => {
    cancel();
    cancel = waits();
    const report = message as LogReport;
    if (report.type !== "progress") onReport(report);
  });
  return new Promise((resolve) => {
    process_.once("error", (error) => resolve({ how: error.message, isLate: false }));
    // `close` follows the last message; `exit` may come before it.
    process_.once("close", (code, signal) => {
      cancel();
      if (isLate) resolve({ how: `no progress within ${silenceMs / 1000} s`, isLate });
      else if (code === 0) resolve(undefined);
      else resolve({ how: `it ended with ${signal ?? `exit code ${code}`}`, isLate });
    });
  });
}
