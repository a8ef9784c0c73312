// Commands for a Z-Wave stick in the network of another controller.
import type { Answer } from "./call.ts";
import { protocol } from "./protocol.ts";

/** ZWAVE_LEAVING_STATUS */
export interface Leaving {
  readonly status: "IDLE" | "RUNNING" | "SUCCESS" | "ERROR" | "TIMEOUT" | "CANCEL" | "NO_ZWAVE";
  readonly network: string | null;
  /** Whether the stick is in the network of another controller; null while it is not up. */
  readonly isMember: boolean | null;
}

/** ZWAVE_START_LEAVING */
export interface LeavingAsked {
  readonly done: boolean;
  /** The word with which the command is sent again; null once it is done. */
  readonly confirm: string | null;
  readonly network: string | null;
}

export function leaving(signal: AbortSignal): Promise<Answer<Leaving>> {
  return protocol("GET_ZWAVE_LEAVING_STATUS", {}, signal);
}

/** @param confirm the word of an earlier answer; without it the stick does nothing */
export function leave(confirm?: string): Promise<Answer<LeavingAsked>> {
  return protocol("ZWAVE_START_LEAVING", confirm === undefined ? {} : { confirm });
}

export function cancelLeaving(): Promise<Answer<Leaving>> {
  return protocol("ZWAVE_CANCEL_LEAVING");
}

/** Whether a state is followed by another without anybody's doing. */
export function mayEnd({ status, isMember }: Leaving): boolean {
  return status === "RUNNING" || (isMember === null && status !== "NO_ZWAVE");
}
