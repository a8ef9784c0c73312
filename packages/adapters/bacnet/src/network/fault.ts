import type { AdapterErrorCode } from "@ledge/port";
import { AdapterError } from "@ledge/port";

/**
 * Why a request failed. `timeout`: no answer in time. `closed`: the socket is not open. `garbled`: the answer
 * does not match its service. `error`: the device refuses, with a class and code. `reject`: it does not
 * understand the request. `abort`: it cannot answer, such as in one piece.
 */
export type FaultKind =
  | "timeout"
  | "closed"
  | "garbled"
  | "error"
  | "reject"
  | "abort"
  | "cancelled"
  | "stopped";

/** The error of a failed request. */
export class Fault extends Error {
  override readonly name = "Fault";
  readonly kind: FaultKind;
  /** The error code, or the reason to reject or abort. */
  readonly code: number;

  constructor(kind: FaultKind, message: string, code = 0) {
    super(message);
    this.kind = kind;
    this.code = code;
  }

  /** Whether the device has answered. */
  get isAnswer(): boolean {
    return this.kind === "error" || this.kind === "reject" || this.kind === "abort";
  }

  /** Whether the device cannot answer so much at once: it aborts for its buffer or for want of segments. */
  get isTooLong(): boolean {
    return this.kind === "abort" && (this.code === 1 || this.code === 4 || this.code === 11);
  }
}

/** Codes of errors (ASHRAE 135, 18) that a hub meets. */
export const errorCode = {
  invalidDataType: 9,
  serviceRequestDenied: 29,
  unknownObject: 31,
  unknownProperty: 32,
  valueOutOfRange: 37,
  writeAccessDenied: 40,
  invalidArrayIndex: 42,
  covSubscriptionFailed: 43,
  notCovProperty: 44,
  optionalFunctionalityNotSupported: 45,
  propertyIsNotAnArray: 50,
} as const;

const names = new Map(Object.entries(errorCode).map(([name, code]) => [code as number, wordsOf(name)]));

function wordsOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Returns the fault of an error answer. */
export function errorFault(errorClass: number, code: number): Fault {
  const name = names.get(code) ?? `class ${errorClass}`;
  return new Fault("error", `the device refuses: error ${code} (${name})`, code);
}

const commandCodes: Readonly<Record<Exclude<FaultKind, "error">, AdapterErrorCode>> = {
  timeout: "timeout",
  closed: "unreachable",
  garbled: "timeout",
  reject: "unsupported",
  abort: "refused",
  cancelled: "cancelled",
  stopped: "stopped",
};

/** Returns the error that ends a command. An error other than a Fault is returned unchanged. */
export function commandError(error: unknown): unknown {
  if (!(error instanceof Fault)) return error;
  return new AdapterError(error.kind === "error" ? "refused" : commandCodes[error.kind], error.message, {
    cause: error,
  });
}

interface LibraryError extends Error {
  readonly bacnetErrorClass?: number;
  readonly bacnetErrorCode?: number;
  readonly bacnetAbortReason?: number;
}

/** Returns what an error of the library means. @param refusal how the device has refused, which the library does not tell */
export function libraryFault(error: LibraryError, refusal: "reject" | "abort" | undefined): Fault {
  const { bacnetErrorClass, bacnetErrorCode, bacnetAbortReason: reason } = error;
  if (bacnetErrorCode !== undefined) return errorFault(bacnetErrorClass ?? 0, bacnetErrorCode);
  if (reason !== undefined) {
    const kind = refusal ?? "abort";
    return new Fault(kind, `the device ${kind}s the request: reason ${reason}`, reason);
  }
  return error.message === "ERR_TIMEOUT"
    ? new Fault("timeout", "the device does not answer")
    : new Fault("garbled", "the answer cannot be read");
}
