import { limits } from "@ledge/model";
import { terminalLine } from "@ledge/host/terminal";
import { scrubbed } from "@ledge/host/scrub";

const levels: ReadonlyMap<unknown, string> = new Map([
  [10, "trace"],
  [20, "debug"],
  [30, "info"],
  [40, "warn"],
  [50, "error"],
  [60, "fatal"],
]);

/**
 * Formats a line of the log for people: time, level and message, then the fields as JSON. Other text stays
 * unchanged.
 */
export function readable(line: string): string {
  const whole = scrubbed(line.trim());
  const text = terminalLine(inWords(whole) ?? whole);
  return `${text.length > limits.logLineChars ? `${text.slice(0, limits.logLineChars)}…` : text}\n`;
}

function inWords(line: string): string | undefined {
  try {
    const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
    if (!levels.has(level)) return undefined;
    const rest = Object.keys(fields).length === 0 ? "" : ` ${JSON.stringify(fields)}`;
    return `${String(time)} ${levels.get(level)} ${typeof msg === "string" ? msg : ""}${rest}`;
  } catch {
    return undefined;
  }
}
