import type { Ieee } from "./air.ts";
import type { LoggedFrame } from "./frame-log.ts";

/** What a radio says of a frame: see `status` in znp.ts. */
export type Status = number;

/**
 * Keeps frames from those they are for: answers the status that the sender's radio gets, or undefined for a
 * frame that goes through. Of frames of devices any status loses the frame.
 */
export type Interference = (frame: LoggedFrame) => Status | undefined;

/** The next frames of the coordinator alone to a device end with a status. */
export function failing(status: Status, times: number = Infinity, to?: Ieee): Interference {
  let left = times;
  return (frame) => {
    if (frame.from !== null || frame.kind !== "unicast" || left <= 0) return undefined;
    if (to !== undefined && frame.to !== to) return undefined;
    left -= 1;
    return status;
  };
}
