import type { Snapshot } from "@ledge/log";
import type { AnyDecider, Commit, EventRef, LoggedEvent, Telemetry } from "@ledge/model";
import { eventRef, indexIn } from "@ledge/model";
import type { Deciders } from "../decide.ts";
import { Overlay } from "../layer.ts";
import type { Projection } from "../projection.ts";
import { restoreRows, snapshotRows } from "../snapshot.ts";
import { LastEvents, type LastEventsRow } from "./last-events.ts";

/** The parts to rebuild a past. `newProjection` returns an empty projection. */
export interface PastParts {
  readonly aggregates: readonly AnyDecider[];
  readonly deciders: Deciders;
  readonly newProjection: () => Projection;
  /** The format of snapshots. The format of bases is derived from it. */
  readonly format: string;
}

/** An applied event. */
export interface Applied {
  readonly ref: EventRef;
  readonly event: LoggedEvent;
  readonly kind: string;
  readonly isTelemetry: boolean;
  /** Whether its object exists after it. */
  readonly exists: boolean;
}

/** First row of a base. This many rows of the last-events table follow, then the rows of a snapshot. */
interface BaseHead {
  readonly lastEvents: number;
}

/** Returns the format of bases. */
export function baseFormat(snapshotFormat: string): string {
  return `base ${snapshotFormat}`;
}

/** Yields the rows of a base that form a snapshot. */
export function* snapshotRowsOf({ rows }: Snapshot): Generator {
  const iterator = rows[Symbol.iterator]();
  const { lastEvents } = iterator.next().value as BaseHead;
  for (let left = lastEvents; left > 0; left--) iterator.next();
  for (let next = iterator.next(); next.done !== true; next = iterator.next()) yield next.value;
}

/** The projections as they were at a timestamp, with the table of last events. Advances commit by commit. */
export class Past {
  readonly projection: Projection;
  readonly lastEvents = new LastEvents();
  readonly #parts: PastParts;
  readonly #kinds = new Map<string, { readonly kind: string; readonly telemetry: Telemetry | undefined }>();

  /** @param base the base to start from; without it the past starts empty */
  constructor(parts: PastParts, base?: Snapshot) {
    this.#parts = parts;
    this.projection = parts.newProjection();
    for (const { kind, events } of parts.aggregates) {
      for (const { type, telemetry } of events) this.#kinds.set(type, { kind, telemetry });
    }
    if (base === undefined) return;
    const rows = base.rows[Symbol.iterator]();
    const { lastEvents } = rows.next().value as BaseHead;
    for (let left = lastEvents; left > 0; left--) this.lastEvents.restore(rows.next().value as LastEventsRow);
    restoreRows(rows, this.projection);
    this.projection.timestamp = base.timestamp;
  }

  /**
   * Applies one commit.
   * @throws EvolveError when an event cannot be applied
   * @param onApplied called for each event
   */
  apply(commit: Commit, onApplied: (applied: Applied) => void = () => {}): void {
    const { timestamp, events } = commit;
    const { projection } = this;
    const overlay = new Overlay(projection.states);
    for (const [place, event] of events.entries()) {
      const { kind = "", telemetry } = this.#kinds.get(event.type) ?? {};
      const before = overlay.get(kind, event.id);
      this.#parts.deciders.apply(event, timestamp, overlay);
      const exists = overlay.get(kind, event.id) !== undefined;
      const ref = eventRef(timestamp, indexIn(commit, place));
      if (exists) this.lastEvents.note(kind, event.id, telemetry?.(event, before) ?? [], ref);
      else this.lastEvents.drop(kind, event.id);
      onApplied({ ref, event, kind, isTelemetry: telemetry !== undefined, exists });
    }
    projection.publish(timestamp, events, overlay.touched());
  }

  /** Returns a base as of the newest applied commit. Do not advance the past before reading its rows. */
  base(timestamp: number = this.projection.timestamp): Snapshot {
    const { lastEvents, projection } = this;
    const { aggregates, format } = this.#parts;
    const plainKinds = aggregates.map(({ kind }) => kind).filter((kind) => !projection.byKind.has(kind));
    const head: BaseHead = { lastEvents: lastEvents.size };
    const rows = function* (): Generator {
      yield head;
      yield* lastEvents.rows();
      yield* snapshotRows(projection.list, plainKinds, projection.states);
    };
    return { timestamp, format: baseFormat(format), rows: { [Symbol.iterator]: rows } };
  }
}
