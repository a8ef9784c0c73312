// Stands in for the indexing process. The name of the folder's parent selects its behaviour.
import { mkdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { HistoryJob } from "../job.ts";

const { folder, verify } = JSON.parse(process.argv[2] ?? "") as HistoryJob;
mkdirSync(folder, { recursive: true });
const what = basename(dirname(folder));
if (what === "crash") process.kill(process.pid, "SIGSEGV");
if (what === "interrupted") process.kill(process.pid, "SIGTERM");
if (what === "full") process.send?.({ type: "stopped", code: "full", problem: "there is no room" });
if (what === "well") process.send?.({ type: "done", mark: verify ? 1 : 2, usedBytes: 4096, prunedTo: 0 });
if (what === "endless") {
  process.send?.({ type: "progress", mark: 1, usedBytes: 4096, prunedTo: 0 });
  setInterval(() => {}, 1000);
} else process.disconnect();
