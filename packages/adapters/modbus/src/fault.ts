import type { AdapterErrorCode } from "@ledge/port";
import { AdapterError } from "@ledge/port";

/**
 * Why a request failed. `timeout`: no answer in time. `closed`: the line is not open or was lost. `garbled`:
 * the answer does not match the request. `exception`: the device or a gateway refused.
 */
export type FaultKind = "timeout" | "closed" | "garbled" | "exception" | "cancelled" | "stopped";

/** The error of a failed request. */
export class Fault extends Error {
  override readonly name = "Fault";
  readonly kind: FaultKind;
  /** The exception code of the answer, 1..255; 0 without one. */
  readonly exception: number;
  constructor(kind: FaultKind, message: string, exception = 0) {
    super(message);
    this.kind = kind;
    this.exception = exception;
  }
}

/**
 * What a fault says about the polled device. `silent`: it may be gone; counts towards unreachable. `misfit`:
 * it is alive but has no such register, so the settings are wrong. `later`: it is alive; ask again.
 */
export type PollVerdict = "silent" | "misfit" | "later";

/** The exception of a device that is present but fails. */
export const deviceFailure = 0x04;

interface ExceptionRule {
  readonly name: string;
  readonly command: AdapterErrorCode;
  readonly poll: PollVerdict;
}

/**
 * Exception codes (application protocol v1.1b3, 7). Gateways answer for devices that they cannot reach: with
 * 0x0A and 0x0B by the specification, but many with 0x04, which therefore counts as silence.
 */
const exceptions: Readonly<Record<number, ExceptionRule>> = {
  0x01: { name: "illegal function", command: "unsupported", poll: "misfit" },
  0x02: { name: "illegal data address", command: "refused", poll: "misfit" },
  0x03: { name: "illegal data value", command: "refused", poll: "misfit" },
  [deviceFailure]: { name: "server device failure", command: "unreachable", poll: "silent" },
  0x05: { name: "acknowledge", command: "busy", poll: "later" },
  0x06: { name: "server device busy", command: "busy", poll: "later" },
  0x08: { name: "memory parity error", command: "busy", poll: "later" },
  0x0a: { name: "gateway path unavailable", command: "unreachable", poll: "silent" },
  0x0b: { name: "gateway target device failed to respond", command: "unreachable", poll: "silent" },
};

const unknownException: ExceptionRule = { name: "unknown exception", command: "refused", poll: "misfit" };
const ruleOf = (code: number): ExceptionRule => exceptions[code] ?? unknownException;

/** Makes the fault of an exception answer. */
export function exceptionFault(code: number): Fault {
  return new Fault("exception", `exception ${code} (${ruleOf(code).name})`, code);
}

/** Returns what a fault says about the polled device. */
export function pollVerdict(fault: Fault): PollVerdict {
  return fault.kind === "exception" ? ruleOf(fault.exception).poll : "silent";
}

const commandCodes: Readonly<Record<Exclude<FaultKind, "exception">, AdapterErrorCode>> = {
  timeout: "timeout",
  closed: "unreachable",
  garbled: "timeout",
  cancelled: "cancelled",
  stopped: "stopped",
};

/** Returns the error that ends a command. An error other than a Fault is returned unchanged. */
export function commandError(error: unknown): unknown {
  if (!(error instanceof Fault)) return error;
  const code = error.kind === "exception" ? ruleOf(error.exception).command : commandCodes[error.kind];
  return new AdapterError(code, error.message, { cause: error });
}
