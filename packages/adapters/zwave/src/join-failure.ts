import type { InclusionStatus } from "./inclusion-state.ts";
import type { Unanswered } from "./key-exchange.ts";

/** How a device joined that has not got its keys. */
export interface JoinFailure {
  readonly status: Extract<InclusionStatus, "ERROR" | "TIMEOUT" | "CANCEL">;
  /** For programs. */
  readonly reason: string;
  /** The id of a text of the hub. */
  readonly help: string;
}

const noKeys = "pairing.zwave-no-keys";

/** By what the user said, or did not say. */
const unansweredFailures: Readonly<Record<Unanswered, JoinFailure>> = {
  refused: { status: "CANCEL", reason: "REFUSED", help: noKeys },
  late: { status: "TIMEOUT", reason: "NOT_ANSWERED", help: "pairing.zwave-late" },
};

/** By the library's SecurityBootstrapFailure. */
const failures: Readonly<Record<number, JoinFailure>> = {
  3: { status: "ERROR", reason: "DEVICE_SILENT", help: noKeys },
  4: { status: "ERROR", reason: "NO_COMMON_KEYS", help: noKeys },
  5: { status: "ERROR", reason: "DEVICE_REFUSED", help: noKeys },
  6: { status: "ERROR", reason: "WRONG_PIN", help: "pairing.zwave-wrong-pin" },
  7: { status: "ERROR", reason: "WRONG_KEYS", help: noKeys },
  8: { status: "ERROR", reason: "S0_INSTEAD_OF_S2", help: noKeys },
};
const other: JoinFailure = { status: "ERROR", reason: "FAILED", help: noKeys };

/**
 * Returns how a join went wrong.
 * @param code the library's reason
 * @param unanswered why the user's part was missing
 */
export function joinFailureOf(code: number | undefined, unanswered: Unanswered | undefined): JoinFailure {
  if (unanswered !== undefined) return unansweredFailures[unanswered];
  return (code === undefined ? undefined : failures[code]) ?? other;
}
