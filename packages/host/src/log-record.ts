import { limits } from "@ledge/model";
import { scrubbed } from "./scrub.ts";
import { terminalJson } from "./terminal.ts";

/**
 * A record of the process's log as it may be written: a line of JSON of at most `limits.logRecordChars`, without
 * credentials and email addresses, and without what would command a terminal. Long values in it are cut, whoever they
 * come from.
 */
export function logRecord(line: string): string {
  // Too long to be looked through: a credential that is cut in two would not be known any more.
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

/** What is known of a record by its beginning alone. */
function leftOut(line: string): string {
  const [, level = "50", time = ""] = /^\{"level":(\d{1,2}),"time":"([\dTZ:.-]{1,32})"/.exec(line) ?? [];
  const msg = `a record of ${line.length} characters is left out`;
  return `${JSON.stringify({ level: Number(level), time, msg })}\n`;
}
