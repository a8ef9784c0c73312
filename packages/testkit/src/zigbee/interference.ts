import type { Ieee } from "./air.ts";
import type { LoggedFrame } from "./frame-log.ts";

/** The status of a sent frame: see frame-status.ts. */
export type Status = number;

/**
 * Stops frames: returns the status for the sender's radio, or undefined to let a frame through. A frame of a
 * device is lost with any status.
 */
export type Interference = (frame: LoggedFrame) => Status | undefined;

/** Fails the next unicasts of the coordinator with a status. */
export function failing(status: Status, times: number = Infinity, to?: Ieee): Interference {
  let left = times;
  return (frame) => {
    if (frame.from !== null || frame.kind !== "unicast" || left <= 0) return undefined;
    if (to !== undefined && frame.to !== to) return undefined;
    left -= 1;
    return status;
  };
}
