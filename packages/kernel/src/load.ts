import type { EventLog } from "@ledge/log";
import type { LoggedEvent } from "@ledge/model";
import { eventRef } from "@ledge/model";
import type { Deciders } from "./decide.ts";
import { EvolveError } from "./decide.ts";
import { Overlay } from "./layer.ts";
import type { Projection } from "./projection.ts";
import { restoreSnapshot } from "./snapshot.ts";

/**
 * Fills an empty projection from the log: its newest snapshot of this format, then what came after.
 * @param format undefined leaves snapshots aside
 * @param before timestamp (ms) of the first commit that is left out; default: none
 * @throws LogError `damaged`; EvolveError with the place of the event that cannot be applied
 */
export function load(
  log: EventLog,
  format: string | undefined,
  deciders: Deciders,
  projection: Projection,
  before: number = Number.MAX_SAFE_INTEGER,
): void {
  const { states, list, byKind } = projection;
  const snapshot = format === undefined ? undefined : log.loadSnapshot(format);
  if (snapshot !== undefined && snapshot.timestamp < before) {
    restoreSnapshot(snapshot, list, byKind, states);
    projection.timestamp = snapshot.timestamp;
  }
  for (const { timestamp, events } of log.read(projection.timestamp, before - 1)) {
    const overlay = new Overlay(states);
    for (const [index, event] of events.entries()) {
      try {
        deciders.apply(event, timestamp, overlay);
      } catch (error) {
        throw placed(error as Error, timestamp, index, event);
      }
    }
    projection.publish(timestamp, events, overlay.touched());
  }
}

function placed(error: Error, timestamp: number, index: number, { type }: LoggedEvent): EvolveError {
  const { message } = (error.cause as Error | undefined) ?? error;
  const text = `the event ${eventRef(timestamp, index)}, ${type}, cannot be applied: ${message}`;
  return new EvolveError(text, { cause: error }, { timestamp, index, type });
}
