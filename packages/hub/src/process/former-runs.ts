import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { limits } from "@ledge/model";
import { tied } from "@ledge/port";
import { readable } from "./readable.ts";

/** Where systemd runs the hub as the unit that we ship. */
const unit = "ledge.service";

/**
 * What the hub's former runs have logged, from the journal of systemd: nothing where that cannot be read.
 * @param until when this run began (ms since the epoch)
 */
export async function* formerRuns(until: number): AsyncGenerator<string, void> {
  const range = ["--lines", String(limits.logFormerLines), "--until", `@${Math.floor(until / 1000)}`];
  const args = ["--unit", unit, "--output", "cat", "--no-pager", ...range];
  const child = spawn(...tied("journalctl", args), {
    stdio: ["ignore", "pipe", "ignore"],
    timeout: limits.logFormerMs,
    killSignal: "SIGKILL",
  });
  // Its end, whatever it is, ends the lines too.
  child.on("error", () => {});
  try {
    for await (const line of createInterface({ input: child.stdout })) yield readable(line);
  } finally {
    child.kill("SIGKILL");
    child.stdout.destroy();
  }
}
