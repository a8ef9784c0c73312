import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { limits } from "@ledge/model";
import { tied } from "@ledge/port";
import { readable } from "./readable.ts";

/** The name of the systemd unit that the product ships. */
const unit = "ledge.service";

/**
 * Yields the log lines of the hub's former runs from the journal of systemd; nothing when it cannot be read.
 * @param until the start of this run (ms since the epoch)
 */
export async function* formerRuns(until: number): AsyncGenerator<string, void> {
  const range = ["--lines", String(limits.logFormerLines), "--until", `@${Math.floor(until / 1000)}`];
  const args = ["--unit", unit, "--output", "cat", "--no-pager", ...range];
  const child = spawn(...tied("journalctl", args), {
    stdio: ["ignore", "pipe", "ignore"],
    timeout: limits.logFormerMs,
    killSignal: "SIGKILL",
  });
  // The lines end with the program, however it ends.
  child.on("error", () => {});
  try {
    for await (const line of createInterface({ input: child.stdout })) yield readable(line);
  } finally {
    child.kill("SIGKILL");
    child.stdout.destroy();
  }
}
