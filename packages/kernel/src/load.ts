import type { EventLog } from "@ledge/log";
import type { LoggedEvent } from "@ledge/model";
import { eventRef, indexIn } from "@ledge/model";
import type { Deciders } from "./decide.ts";
import { EvolveError } from "./decide.ts";
import { Overlay } from "./layer.ts";
import type { Projection } from "./projection.ts";
import { baseFormat, snapshotRowsOf } from "./retention/past.ts";
import { restoreRows } from "./snapshot.ts";

/**
 * Fills an empty projection from the log: from its newest snapshot of this format, or else its newest base, then
 * from the commits after that.
 * @param format undefined ignores snapshots and bases
 * @param options.before timestamp (ms) of the first commit to leave out; by default none is
 * @param options.onRead called for each commit that was applied
 * @returns how many commits were applied
 * @throws LogError `damaged`; EvolveError with the place of the event that cannot be applied
 */
export function load(
  log: EventLog,
  format: string | undefined,
  deciders: Deciders,
  projection: Projection,
  options: { readonly before?: number | undefined; readonly onRead?: (timestamp: number) => void } = {},
): number {
  const { before = Number.MAX_SAFE_INTEGER, onRead } = options;
  let count = 0;
  if (format !== undefined) restore(log, format, projection, before);
  for (const commit of log.read(projection.timestamp, before - 1)) {
    const { timestamp, events } = commit;
    const overlay = new Overlay(projection.states);
    for (const [place, event] of events.entries()) {
      try {
        deciders.apply(event, timestamp, overlay);
      } catch (error) {
        throw placed(error as Error, timestamp, indexIn(commit, place), event);
      }
    }
    projection.publish(timestamp, events, overlay.touched());
    onRead?.(timestamp);
    count += 1;
  }
  return count;
}

function restore(log: EventLog, format: string, projection: Projection, before: number): void {
  const snapshot = log.loadSnapshot(format);
  if (snapshot !== undefined && snapshot.timestamp < before) {
    restoreRows(snapshot.rows[Symbol.iterator](), projection);
    projection.timestamp = snapshot.timestamp;
    return;
  }
  const base = log.loadBase(baseFormat(format), before - 1);
  if (base === undefined) return;
  restoreRows(snapshotRowsOf(base), projection);
  projection.timestamp = base.timestamp;
}

function placed(error: Error, timestamp: number, index: number, { type }: LoggedEvent): EvolveError {
  const { message } = (error.cause as Error | undefined) ?? error;
  const text = `the event ${eventRef(timestamp, index)}, ${type}, cannot be applied: ${message}`;
  return new EvolveError(text, { cause: error }, { timestamp, index, type });
}
