import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import type { AdapterLog } from "@ledge/port";
import { LogThrottle } from "@ledge/port";

const longestEntryChars = 2000;

/** Logs what a process and its libraries print, in bounds: they may print without end and without line breaks. */
export function logOutput(
  child: ChildProcess,
  log: AdapterLog,
  clock: { after(ms: number, callback: () => void): () => void },
): void {
  const throttle = new LogThrottle(clock, log);
  const follow = (stream: Readable | null, level: "debug" | "warn"): void => {
    stream?.on("data", (chunk: Buffer) => {
      const text = chunk.toString().trim().slice(0, longestEntryChars);
      if (text !== "") throttle.log(level, text, { printed: true });
    });
  };
  follow(child.stdout, "debug");
  follow(child.stderr, "warn");
  child.once("close", () => throttle.end());
}
