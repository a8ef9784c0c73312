/* Stands in for the process that checks a log. The name of the log's folder selects how it ends. */
import { setTimeout } from "node:timers/promises";

/** Is busy for longer than the silence limit, and ends well. */
function work(): void {
  const end = performance.now() + 6000;
  for (let told = performance.now(); told < end;) {
    if (performance.now() - told < 100) continue;
    told = performance.now();
    process.send?.({ type: "progress" });
  }
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
