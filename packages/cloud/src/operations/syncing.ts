import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import { Failed } from "../graph/errors.ts";
import { timeOf } from "../model/submitting.ts";
import type { Cloud } from "../cloud.ts";
import type { Replication } from "../replication/replication.ts";
import { pause } from "../process/pause.ts";
import type { Tunnels } from "../relay/tunnels.ts";
import type { Work } from "./operations.ts";

export interface SyncingOptions {
  readonly cloud: Pick<Cloud, "kernel" | "cluster">;
  readonly clock: Pick<Clock, "after">;
  readonly replication: Pick<Replication, "sync">;
  readonly relay?: { readonly tunnels: Pick<Tunnels, "elsewhere"> };
}

/**
 * Makes the work of replicating a home anew. It is done when the register has all that the hub shares. After a
 * restart of the cloud the hub tells its home once more.
 */
export function syncing({ cloud, clock, replication, relay }: SyncingOptions): Work {
  const { cluster } = cloud;
  /** Syncs where the hub's tunnel ends, which may change meanwhile. */
  const sync = async (hubId: string, signal: AbortSignal): Promise<boolean> => {
    while (!signal.aborted) {
      const address = relay?.tunnels.elsewhere(hubId);
      if (cluster === undefined || address === undefined) return replication.sync(hubId, signal);
      try {
        const options = { timeoutMs: limits.hubSyncMs, signal };
        return (await cluster.link.call(address, "sync", { hubId }, options)) === true;
      } catch {
        await pause(limits.peerRetryMs, clock, signal);
      }
    }
    return false;
  };
  return async ({ target, createdAt }, { progress, signal }) => {
    const hubId = target["hubId"] ?? "";
    const deadline = new AbortController();
    const leftMs = createdAt + limits.hubSyncMs - timeOf(cloud.kernel);
    const cancel = clock.after(Math.max(0, leftMs), () => deadline.abort());
    try {
      await progress(0);
      const isDone = await sync(hubId, AbortSignal.any([signal, deadline.signal]));
      return isDone ? { hubId } : new Failed("E_HUB_TIMEOUT", "the hub has not told all of its home in time");
    } finally {
      cancel();
    }
  };
}
