/*
 * Indexes the log for the hub, then ends: `history-child.ts <HistoryJob as JSON>`. It may be killed at any
 * time. LMDB may crash on a damaged page, which then ends this process and not the hub.
 */
import { statfsSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { dirname } from "node:path";
import { HistoryError, indexLog } from "@ledge/history";
import { openLmdbLog } from "@ledge/log";
import { aggregates, upcasters } from "@ledge/model";
import type { HistoryJob, HistoryReport } from "./job.ts";

// The hub has ended.
process.on("disconnect", () => process.exit(1));
try {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
} catch {
  // A sandbox that forbids it does not keep the log from being indexed.
}
const { logFolder, folder, quotaBytes, verify } = JSON.parse(process.argv[2] ?? "") as HistoryJob;

function tell(report: HistoryReport): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(report, (error: Error | null) => (error === null ? resolve() : reject(error)));
  });
}

/** Free bytes at the data folder, because the index folder may not exist yet. */
function free(): number {
  const { bavail, bsize } = statfsSync(dirname(folder));
  return bavail * bsize;
}

const log = await openLmdbLog({ folder: logFolder, upcasters, readOnly: true });
try {
  const progress = await indexLog({
    log,
    folder,
    aggregates,
    quotaBytes,
    verify,
    free,
    onRebuild: (problem) => void tell({ type: "rebuilt", problem }),
    onProgress: (done) => void tell({ type: "progress", ...done }),
  });
  await tell({ type: "done", ...progress });
} catch (error) {
  if (!(error instanceof HistoryError)) throw error;
  await tell({ type: "stopped", code: error.code, problem: error.message });
}
await log.close();
process.exit(0);
