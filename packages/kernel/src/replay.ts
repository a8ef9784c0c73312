import type { EventLog, Snapshot } from "@ledge/log";
import { limits } from "@ledge/model";
import { Deciders } from "./decide.ts";
import { Overlay } from "./layer.ts";
import type { KernelOptions } from "./open-kernel.ts";
import { Projection } from "./projection.ts";
import { restoreSnapshot, snapshotFormat, Snapshots } from "./snapshot.ts";

/** Fills an empty projection: from a snapshot if there is one, then from what the log has behind it. */
export function load(
  log: EventLog,
  snapshot: Snapshot | undefined,
  deciders: Deciders,
  projection: Projection,
): void {
  const { states, list, byKind } = projection;
  if (snapshot !== undefined) {
    restoreSnapshot(snapshot, list, byKind, states);
    projection.timestamp = snapshot.timestamp;
  }
  for (const { timestamp, events } of log.read(snapshot?.timestamp ?? 0)) {
    const overlay = new Overlay(states);
    for (const event of events) deciders.apply(event, timestamp, overlay);
    projection.publish(timestamp, events, overlay.touched());
  }
}

/**
 * The projections that a log gives when all of it is read, no snapshot used: what `Kernel.snapshot` of a kernel
 * that had lived through it shows.
 * @throws LogError `damaged`; EvolveError when the log holds an event that nothing knows.
 */
export function replay(
  options: Pick<KernelOptions, "log" | "aggregates" | "categories" | "epochEvent" | "release" | "tombstones">,
): Snapshot {
  const { log, aggregates, categories, epochEvent, release, tombstones = limits.tombstones } = options;
  const deciders = new Deciders(aggregates, [], () => "");
  const projection = new Projection(aggregates, categories, epochEvent, tombstones);
  load(log, undefined, deciders, projection);
  return new Snapshots(log, snapshotFormat(aggregates, release), projection, aggregates).take();
}
