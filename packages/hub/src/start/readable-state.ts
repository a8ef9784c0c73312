import type { Commit } from "@ledge/model";
import { lookAtLog } from "./log-task.ts";
import type { ReadableState } from "./rescue-log.ts";

/**
 * Reads as much as possible of a log that cannot be opened: a snapshot or a base, and the commits after it up
 * to the damage. Another process does the reading, because it may crash.
 * @param folder the log's own
 */
export async function readableState(folder: string): Promise<ReadableState> {
  const rows: unknown[] = [];
  const commits: Commit[] = [];
  let snapshot: ReadableState["snapshot"];
  await lookAtLog("read", folder, (report) => {
    if (report.type === "rows") for (const row of report.rows) rows.push(row);
    if (report.type === "snapshot") snapshot = { ...report, rows };
    if (report.type === "commit") commits.push(report.commit);
  });
  const newest = commits.at(-1)?.timestamp ?? snapshot?.timestamp;
  const missing =
    newest === undefined
      ? "nothing of it can be read"
      : `what came after ${new Date(newest).toISOString()} is missing`;
  return { snapshot, commits, missing };
}
