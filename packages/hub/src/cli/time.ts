import { CliError, exitCodes } from "@ledge/host/cli/command";

const units: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** How times are written on the command line, for its help. */
export const timeForms = "ms since the epoch, an ISO date, or so long ago, such as 90m, 24h or 7d";

/**
 * A time as somebody writes it.
 * @param option names it
 * @param now ms
 * @throws CliError
 */
export function timeOf(text: string, option: string, now: number): number {
  const [, count, unit = ""] = /^-?(\d{1,9})([smhdw])$/.exec(text) ?? [];
  const time =
    count === undefined
      ? Number(/^-?\d+$/.test(text) ? text : Date.parse(text))
      : now - Number(count) * (units[unit] ?? 0);
  if (Number.isSafeInteger(time) && time >= 0) return time;
  throw new CliError(exitCodes.usage, `${option} ${text} is no time: ${timeForms}`);
}
