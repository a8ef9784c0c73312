// One measured figure and what it may be at most or at least.

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** `<= 12` or `>= 0.7` in the figure's unit; null where it is only told. */
  readonly limit: `<= ${number}` | `>= ${number}` | null;
  /** A gated figure over its limit fails the run: counts, bytes, and ratios of interleaved minima, never times. */
  readonly gated: boolean;
  /** How it was measured, in a few words. */
  readonly how: string;
}

/** Options of a run. */
export interface MeasureOptions {
  /** A folder in which a program to compare with is installed. */
  readonly peer?: string;
  /** How many devices a large store holds; fewer make a short run. */
  readonly devices?: number;
}

/** Whether a figure keeps its limit; one without a limit does. */
export function isWithin({ value, limit }: Pick<Figure, "value" | "limit">): boolean {
  if (limit === null) return true;
  const bound = Number(limit.slice(3));
  return limit.startsWith("<=") ? value <= bound : value >= bound;
}

/** Whether the figure fails the run. */
export function fails(figure: Figure): boolean {
  return figure.gated && !isWithin(figure);
}

/** The line that `--json` prints. */
export function jsonLine(figure: Figure): string {
  const { name, unit, limit, gated, how } = figure;
  const value = rounded(figure.value);
  return JSON.stringify({ name, value, unit, limit, ok: isWithin(figure), gated, how });
}

/** A table for people: name, value, limit, and a mark where a limit is missed. */
export function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const { name, value, unit, limit, gated } = figure;
    const verdict = limit === null ? "" : isWithin(figure) ? "ok" : gated ? "MISSED" : "missed";
    return [name, String(rounded(value)), unit, limit ?? "", verdict];
  });
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0), 0));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        column === 1 ? cell.padStart(widths[1] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd();
  return rows.map(line).join("\n");
}

/** Three significant digits, and whole numbers from 1000 on. */
export function rounded(value: number): number {
  return Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
}
