import type { Snapshot } from "@ledge/log";
import { limits, type States } from "@ledge/model";
import { Deciders } from "./decide.ts";
import { load } from "./load.ts";
import type { KernelOptions } from "./open-kernel.ts";
import { Projection } from "./projection.ts";
import { snapshotFormat, Snapshots } from "./snapshot.ts";

/**
 * The projections that a log gives when all of it is read, no snapshot used: what `Kernel.snapshot` of a kernel
 * that had lived through it shows.
 * @throws LogError `damaged`; EvolveError when the log holds an event that nothing knows.
 */
export function replay<Kinds extends object = States>(
  options: Pick<
    KernelOptions<Kinds>,
    "log" | "aggregates" | "categories" | "epochEvent" | "release" | "tombstones"
  >,
): Snapshot {
  const { log, categories, epochEvent, release, tombstones = limits.tombstones } = options;
  // Within, kinds are names.
  const aggregates = options.aggregates as unknown as KernelOptions["aggregates"];
  const deciders = new Deciders(aggregates, [], () => "");
  const projection = new Projection(aggregates, categories, epochEvent, tombstones);
  load(log, undefined, deciders, projection);
  return new Snapshots(log, snapshotFormat(aggregates, release), projection, aggregates).take();
}
