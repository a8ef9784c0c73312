import { CliError, exitCodes, type Invocation } from "@ledge/host/cli/command";

const units: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/**
 * Parses a moment as people write it: ms, `2026-01-15T20:00`, `2h ago`, `18:00`, `yesterday 18:00`, `now`.
 * Without a zone it is the local time of the machine.
 * @returns ms since the epoch; undefined when the text is no moment
 */
export function parseMoment(text: string, now: number): number | undefined {
  if (/^\d+$/.test(text)) return whole(Number(text));
  if (text === "now") return now;
  const ago = /^-?(\d+)\s*(s|m|min|h|d|w)(?: ago)?$/.exec(text);
  if (ago !== null) return whole(now - Number(ago[1]) * (units[ago[2] ?? ""] ?? NaN));
  const day = /^(?:(today|yesterday)\s*)?(?:(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/.exec(text);
  if (day !== null && text !== "") {
    const [, name, hours = "0", minutes = "0", seconds = "0"] = day;
    if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
    const local = new Date(now);
    if (name === "yesterday") local.setDate(local.getDate() - 1);
    return local.setHours(Number(hours), Number(minutes), Number(seconds), 0);
  }
  return /^\d{4}-\d{2}/.test(text) ? whole(Date.parse(text)) : undefined;
}

function whole(ms: number): number | undefined {
  return Number.isSafeInteger(ms) && ms >= 0 ? ms : undefined;
}

/** Returns a moment in ms since the epoch, as `parseMoment`. @throws CliError */
export function momentOf(text: string): number {
  const at = parseMoment(text, Date.now());
  if (at !== undefined) return at;
  throw new CliError(
    exitCodes.usage,
    `${text} is no time: ms since the epoch, or such as 2026-01-15T20:00, 2h ago, yesterday 18:00`,
  );
}

/** Returns the moment of an option; undefined when the option is missing. @throws CliError */
export function momentIn(options: Invocation["options"], name: string): number | undefined {
  const text = options[name];
  return typeof text === "string" ? momentOf(text) : undefined;
}
