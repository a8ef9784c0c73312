// Preloaded into a process: on SIGUSR2 it collects its garbage and says so.
import { collectGarbage } from "./heap.ts";

process.on("SIGUSR2", () => {
  collectGarbage();
  process.stderr.write("collected\n");
});
