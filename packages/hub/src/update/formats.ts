import { frameFormat, journalFormat } from "@ledge/log";
import type { Declared } from "@ledge/model";

/** Returns all that the log of this release may hold, sorted: how it frames commits, and events with their versions. */
export function formatsOf(declared: Declared): readonly string[] {
  const events = [...declared.events.values()].map(({ type, version }) => `${type}@${version}`);
  return [`frame ${frameFormat}`, `journal ${journalFormat}`, ...events].toSorted();
}
