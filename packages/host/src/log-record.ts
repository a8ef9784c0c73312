import { limits } from "@ledge/model";
import { scrubbed } from "./scrub.ts";
import { terminalJson } from "./terminal.ts";

/**
 * Returns a record of the process's log as it may be written: a line of JSON of at most
 * `limits.logRecordChars`, without credentials, email addresses and terminal control characters. Long values
 * are cut.
 */
export function logRecord(line: string): string {
  // Too long to search: a credential that is cut in two would not be recognised.
  if (line.length > limits.logRecordReadChars) return leftOut(line);
  return terminalJson(bounded(scrubbed(line)));
}

function bounded(line: string): string {
  if (line.length <= limits.logRecordChars) return line;
  try {
    const record = JSON.parse(line) as object;
    const short = `${JSON.stringify(record, (_, value: unknown) => shortened(value))}\n`;
    return short.length <= limits.logRecordChars ? short : leftOut(line);
  } catch {
    return leftOut(line);
  }
}

function shortened(value: unknown): unknown {
  if (typeof value === "string" && value.length > limits.logValueChars)
    return `${value.slice(0, limits.logValueChars)}… (${value.length} characters)`;
  if (Array.isArray(value) && value.length > limits.logValueItems)
    return [...(value as unknown[]).slice(0, limits.logValueItems), `… (${value.length} items)`];
  return value;
}

/** Returns what is known of a record from its beginning alone. */
function leftOut(line: string): string {
  const [, level = "50", time = ""] = /^\{"level":(\d{1,2}),"time":"([\dTZ:.-]{1,32})"/.exec(line) ?? [];
  const msg = `a record of ${line.length} characters is left out`;
  return `${JSON.stringify({ level: Number(level), time, msg })}\n`;
}
