import { fork } from "node:child_process";
import type { HistoryErrorCode, Progress } from "@ledge/history";
import { limits } from "@ledge/model";
import { tied } from "@ledge/port";
import { adapterEnvironment } from "../adapters/environment.ts";

/** The arguments of the indexing process. */
export interface HistoryJob {
  readonly logFolder: string;
  readonly folder: string;
  readonly quotaBytes: number;
  readonly verify: boolean;
}

/** The messages of the indexing process. */
export type HistoryReport =
  | ({ readonly type: "progress" | "done" } & Progress)
  | { readonly type: "rebuilt"; readonly problem: string }
  | { readonly type: "stopped"; readonly code: HistoryErrorCode; readonly problem: string };

/**
 * How the process ended: `failed` when it crashed, `interrupted` when somebody ended it, such as a terminal or a service
 * manager that ends the hub with all its processes.
 */
export type JobEnd =
  | { readonly type: "done" | "interrupted" }
  | { readonly type: "stopped"; readonly code: HistoryErrorCode; readonly problem: string }
  | { readonly type: "failed"; readonly problem: string };

const childEntry = import.meta.url.endsWith(".ts")
  ? new URL("./history-child.ts", import.meta.url)
  : new URL("./history-child.mjs", import.meta.url);

/** A running indexing process. */
export interface RunningJob {
  readonly ended: Promise<JobEnd>;
  /** Kills the process. This is safe at any time, because all that it has written is complete. */
  kill(): void;
}

export function startJob(
  job: HistoryJob,
  onReport: (report: HistoryReport) => void,
  child: URL = childEntry,
): RunningJob {
  const [execPath, execArgv] = tied(process.execPath, [`--max-old-space-size=${limits.historyHeapMb}`]);
  const process_ = fork(child, [JSON.stringify(job)], {
    execPath,
    execArgv,
    env: adapterEnvironment(process.env),
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  let said: JobEnd | undefined;
  process_.on("message", (message) => {
    const report = message as HistoryReport;
    if (report.type === "done") said = { type: "done" };
    if (report.type === "stopped") said = report;
    onReport(report);
  });
  const ended = new Promise<JobEnd>((resolve) => {
    process_.once("error", (error) => resolve({ type: "failed", problem: error.message }));
    // `close` follows the last message; `exit` may come before it.
    process_.once("close", (code, signal) => {
      const isInterrupted = signal === "SIGTERM" || signal === "SIGINT" || signal === "SIGHUP";
      resolve(
        said ??
          (isInterrupted
            ? { type: "interrupted" }
            : { type: "failed", problem: `it ended with ${signal ?? `exit code ${code}`}` }),
      );
    });
  });
  return { ended, kill: () => void process_.kill("SIGKILL") };
}
