/* Stands in for the process that looks at a log; ends as the log's folder is called. */
import { setTimeout } from "node:timers/promises";

const [, how = ""] = process.argv.slice(2);
process.send?.({ type: "sound" });
if (how === "abort") process.abort();
if (how === "hang") await setTimeout(600_000);
if (how === "spin") for (;;) continue;
if (how === "memory") for (const hoard: unknown[] = []; ;) hoard.push(Array.from({ length: 1000 }, String));
process.kill(process.pid, how);
await setTimeout(600_000);
