import type { History } from "../../api/rows.ts";

/** The values of a stretch of time: least, greatest and mean. For yes and no they are shares of yes, 0 to 1. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === "boolean") return value ? 1 : 0;
  return typeof value === "number" ? value : undefined;
}

function level(from: number, to: number, value: unknown): readonly Stretch[] {
  const number = numberOf(value);
  return number === undefined ? [] : [{ from, to, min: number, max: number, mean: number }];
}

type Point = History["points"][number];

function shareOf({ values }: Point): number {
  const parts = values as readonly { readonly value: unknown; readonly ms: number }[];
  const all = parts.reduce((sum, { ms }) => sum + ms, 0);
  const yes = parts.filter(({ value }) => value === true).reduce((sum, { ms }) => sum + ms, 0);
  return all === 0 ? 0 : yes / all;
}

/** Returns what a device reported as stretches that follow each other; values that are no numbers are left out. */
export function stretchesOf({ from, to, before, form, points }: History): readonly Stretch[] {
  const startOf = (point: Point): number => Number(form === "samples" ? point["timestamp"] : point["from"]);
  const first = points[0];
  const until = first === undefined ? to : startOf(first);
  const opening = before === null || until <= from ? [] : level(from, until, before.value);
  const rest = points.flatMap((point, index) => {
    const next = points[index + 1];
    const [start, end] = [startOf(point), next === undefined ? to : startOf(next)];
    if (form === "shares") return level(start, end, shareOf(point));
    if (form !== "buckets") return level(start, end, point["value"]);
    const { min, max, avg } = point as Readonly<Record<string, number>>;
    return min === undefined || max === undefined || avg === undefined
      ? []
      : [{ from: start, to: end, min, max, mean: avg }];
  });
  return [...opening, ...rest];
}

/** The least, greatest and mean value of a time, the mean weighted by how long each held. */
export interface Summary {
  readonly min: number;
  readonly max: number;
  readonly mean: number;
}

export function summaryOfAll(stretches: readonly Stretch[]): Summary | undefined {
  let [min, max, sum, time] = [Infinity, -Infinity, 0, 0];
  for (const stretch of stretches) {
    const length = stretch.to - stretch.from;
    min = Math.min(min, stretch.min);
    max = Math.max(max, stretch.max);
    sum += stretch.mean * length;
    time += length;
  }
  return time === 0 ? undefined : { min, max, mean: sum / time };
}

/** A drawing of stretches: a line of the means, and the band between least and greatest values. */
export interface Drawing {
  readonly line: string;
  readonly band: string;
}

/**
 * Returns paths of SVG in a box.
 * @param span from when to when the box shows (ms) @param size of the box
 */
export function drawn(
  stretches: readonly Stretch[],
  span: { readonly from: number; readonly to: number },
  size: { readonly width: number; readonly height: number },
): Drawing {
  const { min = 0, max = 1 } = summaryOfAll(stretches) ?? {};
  const range = max - min || 1;
  const x = (at: number): string => (((at - span.from) / (span.to - span.from)) * size.width).toFixed(1);
  const y = (value: number): string => (size.height - ((value - min) / range) * size.height).toFixed(1);
  const steps = (of: (stretch: Stretch) => number): string[] =>
    stretches.flatMap((stretch) => [
      `${x(stretch.from)} ${y(of(stretch))}`,
      `${x(stretch.to)} ${y(of(stretch))}`,
    ]);
  if (stretches.length === 0) return { line: "", band: "" };
  const around = [...steps((stretch) => stretch.max), ...steps((stretch) => stretch.min).toReversed()];
  return { line: `M${steps(({ mean }) => mean).join("L")}`, band: `M${around.join("L")}Z` };
}
