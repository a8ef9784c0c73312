import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import type { Cloud } from "../cloud.ts";
import { Failed } from "../graph/errors.ts";
import type { HubCalls } from "../graph/hub-calls.ts";
import { hubTarget } from "../graph/hub-target.ts";
import { traceOf, traceparentOf } from "../graph/trace.ts";
import { timeOf } from "../model/submitting.ts";
import type { Relay } from "../relay/relay.ts";
import { untilTunnels } from "./until-tunnels.ts";
import type { Work } from "./operations.ts";

export interface RestartingOptions {
  readonly cloud: Cloud;
  readonly clock: Pick<Clock, "after">;
  readonly relay: Pick<Relay, "tunnels">;
  readonly hubCalls: HubCalls;
  readonly random: (size: number) => Uint8Array;
}

/** What tells one run of a hub's process from the next. */
export function instanceOf(hubId: string, { tunnels }: Pick<Relay, "tunnels">): string | undefined {
  return tunnels.processOf(hubId)?.instance;
}

/**
 * Makes the work of restarting a hub: it asks the hub, and is done when another run of the hub has dialled. A
 * hub that was not asked before the cloud itself restarted is asked then.
 * @param path the row of the hub API
 */
export function restarting(path: "/hub/restart" | "/hub/reboot", options: RestartingOptions): Work {
  const { cloud, clock, relay, hubCalls, random } = options;
  return async ({ owner, target, input, createdAt }, { progress, signal }) => {
    const hubId = target["hubId"] ?? target["deviceRegisterId"] ?? "";
    const leftMs = createdAt + limits.hubRestartMs - timeOf(cloud.kernel);
    const deadline = new AbortController();
    const cancel = clock.after(Math.max(0, leftMs), () => deadline.abort());
    const given = AbortSignal.any([signal, deadline.signal]);
    const late = new Failed("E_HUB_TIMEOUT", "the hub has not come back in time");
    const session = relay.tunnels.of(hubId);
    const isAnew = (): boolean => {
      const instance = instanceOf(hubId, relay);
      if (instance === undefined) return false;
      // Hubs of former releases do not name their runs.
      return instance === "" ? relay.tunnels.of(hubId) !== session : instance !== input["instance"];
    };
    try {
      if (!(await untilTunnels(() => instanceOf(hubId, relay) !== undefined, relay, given))) return late;
      if (!isAnew()) {
        const caller = { account: owner, address: "cloud" };
        const hub = hubTarget(hubId, "A", caller, cloud);
        if (hub instanceof Failed) return hub;
        const traceparent = traceparentOf(traceOf(undefined, random), random);
        const asked = { caller, target: hub, traceparent, signal: given };
        const answer = await hubCalls.call({ method: "GET", path }, asked);
        // A hub that is quick is gone before its answer has arrived.
        if (answer instanceof Failed && answer.error.code !== "E_HUB_OFFLINE") return answer;
        await progress(50);
      }
      return (await untilTunnels(isAnew, relay, given)) ? { hubId } : late;
    } finally {
      cancel();
    }
  };
}
