import type { Snapshot } from "@ledge/log";
import { limits, type States } from "@ledge/model";
import { Deciders } from "./decide.ts";
import { load } from "./load.ts";
import type { KernelOptions } from "./open-kernel.ts";
import { Projection } from "./projection.ts";
import { snapshotFormat, Snapshots } from "./snapshot.ts";

/**
 * Returns the projections that replaying the whole log gives, without any snapshot. They equal the
 * `Kernel.snapshot` of a kernel that lived through the log.
 * @throws LogError `damaged`; EvolveError when the log holds an unknown event.
 */
export function replay<Kinds extends object = States>(
  options: Pick<
    KernelOptions<Kinds>,
    "log" | "aggregates" | "categories" | "epochEvent" | "release" | "tombstones"
  >,
): Snapshot {
  const { log, categories, epochEvent, release, tombstones = limits.tombstones } = options;
  // Internally kinds are plain names.
  const aggregates = options.aggregates as unknown as KernelOptions["aggregates"];
  const deciders = new Deciders(aggregates, [], () => "");
  const projection = new Projection(aggregates, categories, epochEvent, tombstones);
  load(log, undefined, deciders, projection);
  return new Snapshots(log, snapshotFormat(aggregates, release), projection, aggregates).take();
}
