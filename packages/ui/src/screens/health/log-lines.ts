/** Levels of the hub's own log, the gravest first. */
export const levels = ["fatal", "error", "warn", "info", "debug", "trace"] as const;
export type Level = (typeof levels)[number];

/** A line of the hub's own log. */
export interface LogLine {
  /** As the hub wrote it; empty for a line that is none of the hub's, such as what is left of a crash. */
  readonly time: string;
  /** null for such a line. */
  readonly level: Level | null;
  readonly text: string;
}

/** Reads `GET /log`: a time, a level and what happened, one line each. @returns lines, the newest first */
export function linesOf(log: string): readonly LogLine[] {
  return log
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line): LogLine => {
      const [, time = "", word = "", text = ""] = /^(\S+) ([a-z]+) (.*)$/.exec(line) ?? [];
      const level = levels.find((one) => one === word);
      return level === undefined ? { time: "", level: null, text: line } : { time, level, text };
    })
    .toReversed();
}

/** Returns the lines that have a text and are at least as grave as a level. A line without a level belongs to all. */
export function linesLike(lines: readonly LogLine[], text: string, least: Level): readonly LogLine[] {
  const wanted = text.trim().toLowerCase();
  const most = levels.indexOf(least);
  return lines.filter(
    (line) =>
      (line.level === null || levels.indexOf(line.level) <= most) && line.text.toLowerCase().includes(wanted),
  );
}
