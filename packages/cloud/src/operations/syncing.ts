import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import { Failed } from "../graph/errors.ts";
import { timeOf } from "../model/submitting.ts";
import type { Cloud } from "../cloud.ts";
import type { Replication } from "../replication/replication.ts";
import type { Work } from "./operations.ts";

export interface SyncingOptions {
  readonly cloud: Pick<Cloud, "kernel">;
  readonly clock: Pick<Clock, "after">;
  readonly replication: Pick<Replication, "sync">;
}

/**
 * Makes the work of replicating a home anew. It is done when the register has all that the hub shares. After a
 * restart of the cloud the hub tells its home once more.
 */
export function syncing({ cloud, clock, replication }: SyncingOptions): Work {
  return async ({ target, createdAt }, { progress, signal }) => {
    const hubId = target["hubId"] ?? "";
    const deadline = new AbortController();
    const leftMs = createdAt + limits.hubSyncMs - timeOf(cloud.kernel);
    const cancel = clock.after(Math.max(0, leftMs), () => deadline.abort());
    try {
      await progress(0);
      const isDone = await replication.sync(hubId, AbortSignal.any([signal, deadline.signal]));
      return isDone ? { hubId } : new Failed("E_HUB_TIMEOUT", "the hub has not told all of its home in time");
    } finally {
      cancel();
    }
  };
}
