import type { Clock } from "@ledge/kernel";
import { limits, lazyValidator } from "@ledge/model";
import Type from "typebox";
import type { Cloud } from "../cloud.ts";
import { Failed } from "../graph/errors.ts";
import type { HubCalls } from "../graph/hub-calls.ts";
import { hubTarget } from "../graph/hub-target.ts";
import { traceOf, traceparentOf } from "../graph/trace.ts";
import { timeOf } from "../model/submitting.ts";
import { pause } from "../process/pause.ts";
import { Slots } from "../process/slots.ts";
import type { Relay } from "../relay/relay.ts";
import type { Work } from "./operations.ts";
import { untilTunnels } from "./until-tunnels.ts";

export interface TrackingOptions {
  readonly cloud: Pick<Cloud, "kernel" | "sharing">;
  readonly clock: Pick<Clock, "after">;
  readonly relay: Pick<Relay, "tunnels">;
  readonly hubCalls: Pick<HubCalls, "call">;
  readonly random: (size: number) => Uint8Array;
}

/** As hubs answer `PUT /devices/execute`. */
const executes = lazyValidator(
  Type.Object({
    value: Type.Unknown(),
    track: Type.Union([Type.String({ maxLength: limits.idChars }), Type.Null()]),
  }),
);

/** As hubs answer `GET /devices/outcome`. */
const outcomes = lazyValidator(
  Type.Object({
    outcome: Type.Enum(["pending", "done", "failed", "expired", "unknown"]),
    at: Type.Union([Type.Integer(), Type.Null()]),
    code: Type.Union([Type.String(), Type.Null()]),
    message: Type.Union([Type.String(), Type.Null()]),
  }),
);

/** Reads the answer of a hub that has executed a command. One that cannot be read has nothing to follow. */
export function executed(answer: unknown): { readonly value: unknown; readonly track: string | null } {
  return executes.Check(answer) ? answer : { value: null, track: null };
}

const passing: ReadonlySet<string> = new Set(["E_HUB_OFFLINE", "E_HUB_TIMEOUT", "E_BUSY"]);

/** Whether a call that failed may succeed later. */
function isPassing({ error: { code, details } }: Failed): boolean {
  return passing.has(code) || details?.["status"] === "503" || details?.["status"] === "429";
}

/**
 * Makes the work of following a command to its device: it asks the hub what became of it until the hub knows. A hub
 * that is away is asked when it is back.
 */
export function tracking({ cloud, clock, relay, hubCalls, random }: TrackingOptions): Work {
  // A hub holds few questions of one user at a time, and the user has others.
  const slots = new Map<string, Slots>();
  const asking = async (name: string): Promise<() => void> => {
    const own = slots.get(name) ?? new Slots(limits.executeTrackedAtOnce);
    slots.set(name, own);
    const leave = await own.enter();
    return () => {
      leave();
      if (own.isIdle) slots.delete(name);
    };
  };
  return async ({ owner, target, input, createdAt }, { progress, signal }) => {
    // Operations of former releases name the register alone, which was the hub's.
    const { deviceRegisterId = "", hubId = deviceRegisterId, deviceId = "" } = target;
    const late = new Failed("E_HUB_TIMEOUT", "the hub has not said in time what became of it", { deviceId });
    const deadline = new AbortController();
    const leftMs = createdAt + limits.executeTrackMs - timeOf(cloud.kernel);
    const cancel = clock.after(Math.max(0, leftMs), () => deadline.abort());
    const given = AbortSignal.any([signal, deadline.signal]);
    const query = { track: input["track"], wait: limits.executeWaitS };
    try {
      await progress(0);
      const isThere = (): boolean => relay.tunnels.reach(hubId) === "open";
      while (!given.aborted && (await untilTunnels(isThere, relay, given))) {
        const caller = { account: owner, address: "cloud" };
        const hub = hubTarget(hubId, "C", caller, cloud);
        if (hub instanceof Failed) return hub;
        const traceparent = traceparentOf(traceOf(undefined, random), random);
        const leave = await asking(`${owner} ${hubId}`);
        const answer = await hubCalls
          .call(
            { method: "GET", path: "/devices/outcome", query },
            { caller, target: hub, traceparent, signal: given },
          )
          .finally(leave);
        if (answer instanceof Failed && !isPassing(answer)) return answer;
        const end = answer instanceof Failed ? undefined : endIn(answer.value, deviceId);
        if (end !== undefined) return end;
        await pause(limits.executeRetryMs, clock, given);
      }
      return late;
    } finally {
      cancel();
    }
  };
}

/** Returns how an operation ends by what the hub says; undefined while the command is pending. */
function endIn(answer: unknown, deviceId: string): object | Failed | undefined {
  if (!outcomes.Check(answer))
    return new Failed("E_HUB_REFUSED", "the hub's answer is not one that can be read", { deviceId });
  const { outcome, at, code, message } = answer;
  const details = { deviceId, outcome };
  switch (outcome) {
    case "pending":
      return undefined;
    case "done":
      return { deviceId, outcome, at };
    case "failed": {
      const said = { ...details, ...(code !== null && { code: code.slice(0, limits.idChars) }) };
      const text = message?.slice(0, limits.hubMessageChars) ?? "the device has not carried it out";
      return new Failed("E_HUB_REFUSED", text, said);
    }
    case "expired":
      return new Failed("E_HUB_TIMEOUT", "the hub was down; nobody knows whether the device got it", details);
    case "unknown":
      return new Failed("E_UNKNOWN", "the hub does not know any more what became of it", details);
  }
}
