// Stamps of when a command passes a place, in the processes that it goes through. Their modules are preloaded.
import { appendFileSync } from "node:fs";
import { env, hrtime } from "node:process";

/** The variable with the file for stamps: a line each, with the name of the place and the time (ns). */
export const stampsVariable = "LEDGE_BENCH_STAMPS";

const writeEveryMs = 300;
const waiting: string[] = [];

/** Notes the time, on the clock that all processes of a machine share. Writes it when the command is long past. */
export function stamp(place: string): void {
  waiting.push(`${place} ${hrtime.bigint()}\n`);
}

setInterval(() => {
  if (waiting.length > 0) appendFileSync(env[stampsVariable] ?? "", waiting.splice(0).join(""));
}, writeEveryMs).unref();
