import { type Chip, isChip } from "./selection.ts";

/** A filter that somebody has given a name. */
export interface View {
  readonly name: string;
  readonly filter: string;
  /** Undefined: it shows devices of every chip. */
  readonly chip: Chip | undefined;
}

type Values = Readonly<Record<string, unknown>>;

/** How many views a user keeps, and how long their names are. */
export const mostViews = 20;
export const longestName = 40;

function viewIn(kept: unknown): readonly View[] {
  if (typeof kept !== "object" || kept === null) return [];
  const { name, filter, chip } = kept as Readonly<Record<string, unknown>>;
  if (typeof name !== "string" || name === "" || typeof filter !== "string") return [];
  return [{ name, filter, chip: typeof chip === "string" && isChip(chip) ? chip : undefined }];
}

/** Returns the views in preferences, which any client may have written; of two with one name the first. */
export function viewsIn({ deviceViews }: Values): readonly View[] {
  if (!Array.isArray(deviceViews)) return [];
  const found = deviceViews.flatMap(viewIn);
  return found.filter(({ name }, at) => found.findIndex((other) => other.name === name) === at);
}

/** Returns preferences with a view, in the place of one of its name; all else stays. */
export function withView(values: Values, view: View): Values {
  const views = viewsIn(values);
  const at = views.findIndex(({ name }) => name === view.name);
  return { ...values, deviceViews: at < 0 ? [...views, view] : views.with(at, view) };
}

/** Returns preferences without the view of a name; all else stays. */
export function withoutView(values: Values, name: string): Values {
  return { ...values, deviceViews: viewsIn(values).filter((view) => view.name !== name) };
}

/** Whether a view shows what is shown. */
export function isShown(view: View, filter: string, chip: Chip | undefined): boolean {
  return view.filter === filter && view.chip === chip;
}
