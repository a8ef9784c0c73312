import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { limits } from "@ledge/model";
import type { AdapterLog } from "@ledge/port";
import { LogThrottle } from "@ledge/port";

/** V8 prints this when an allocation fails for good. */
const outOfMemory = /FATAL ERROR: .*out of memory/;

/** The state of a process's output so far. */
export interface Output {
  /** True once the process has printed that it is out of memory. It ends within moments. */
  readonly outOfMemory: boolean;
}

/** Logs the output of a process, with bounds: libraries may print without end and without line breaks. */
export function logOutput(
  child: ChildProcess,
  log: AdapterLog,
  clock: { after(ms: number, callback: () => void): () => void },
): Output {
  const output = { outOfMemory: false };
  const throttle = new LogThrottle(clock, log);
  const follow = (stream: Readable | null, level: "debug" | "warn"): void => {
    stream?.on("data", (chunk: Buffer) => {
      const whole = chunk.toString();
      output.outOfMemory ||= outOfMemory.test(whole);
      const text = whole.trim().slice(0, limits.adapterOutputChars);
      if (text !== "") throttle.log(level, text, { printed: true });
    });
  };
  follow(child.stdout, "debug");
  follow(child.stderr, "warn");
  child.once("close", () => throttle.end());
  return output;
}
