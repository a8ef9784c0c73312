/** A status of hub-api 2.10, as clients know them. */
export type InclusionStatus = "NOT_PAIRING" | "IDLE" | "RUNNING" | "TIMEOUT" | "SUCCESS" | "CANCEL" | "ERROR";

/**
 * How the last inclusion went, and the node that joined; `reason`: why it has not got its keys; `waitsFor`: what must
 * come before a device can join.
 */
export interface InclusionState {
  readonly status: InclusionStatus;
  readonly nodeId: number | null;
  readonly reason?: string;
  readonly waitsFor?: "NETWORK";
}
