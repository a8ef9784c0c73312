// Preloaded into a process: on SIGUSR2 it gives back the memory that nothing refers to, and says so.
import { releaseMemory } from "./heap.ts";

process.on("SIGUSR2", () => {
  releaseMemory();
  process.stderr.write("collected\n");
});
