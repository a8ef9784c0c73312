import type { TimelineCount } from "../../api/past.ts";
import type { Span } from "./film.ts";

/** Height of the drawing of counts, in its own units. */
const barsHeight = 40;

/** Returns the path of bars, one a slice, as wide as 1 each; by the square root, so that a quiet slice is seen beside a busy one. */
export function barsOf(counts: readonly TimelineCount[], of: "events" | "alarms"): string {
  const most = Math.sqrt(Math.max(1, ...counts.map(({ events }) => events)));
  return counts
    .map(({ [of]: count }, index) => {
      if (count === 0) return "";
      const height = of === "alarms" ? barsHeight : Math.max(2, (Math.sqrt(count) / most) * barsHeight);
      return `M${index + 0.5} ${barsHeight}v${-Number(height.toFixed(1))}`;
    })
    .join("");
}

/** Returns the viewBox of the bars of a window from a time (ms) in it on: the hub may know less of the past than the window spans. */
export function barsView(window: Span, from: number, slices: number): string {
  const left = (slices * (from - window.from)) / (window.until - window.from);
  return `${left} 0 ${slices - left} ${barsHeight}`;
}
