import { Published, Simulation } from "@ledge/kernel";
import type { EventLog } from "@ledge/log";
import type { Reaction } from "@ledge/model";
import { aggregates } from "@ledge/model";

/** Returns the home of a log as it was at `at` (ms), for trying reactions. */
export function trialOver(
  log: Pick<EventLog, "read">,
  at: number,
  reactions: readonly Reaction[],
): Simulation {
  let ids = 0;
  const newId = (): string => `trial-${String(++ids).padStart(7, "0")}`;
  const home = new Simulation({ aggregates, reactions, newId }, new Published());
  for (const { timestamp, events } of log.read(0, at)) {
    for (const event of events) home.copy(event, timestamp);
  }
  return home;
}
