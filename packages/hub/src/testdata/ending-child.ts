/* Stands in for the process that checks a log. The name of the log's folder selects how it ends. */
import { setTimeout } from "node:timers/promises";

/** Tells of its progress without yielding, and ends well. */
function work(): void {
  for (let told = 0; told < 20; told++) process.send?.({ type: "progress" });
  process.send?.({ type: "verified" });
  process.exit(0);
}

const [, how = ""] = process.argv.slice(2);
process.send?.({ type: "sound" });
if (how === "work") work();
if (how === "abort") process.abort();
if (how === "hang") await setTimeout(600_000);
if (how === "spin") for (;;) continue;
if (how === "memory") for (const hoard: unknown[] = []; ;) hoard.push(Array.from({ length: 1000 }, String));
process.kill(process.pid, how);
await setTimeout(600_000);
