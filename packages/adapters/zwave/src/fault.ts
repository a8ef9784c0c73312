import type { AdapterErrorCode } from "@ledge/port";
import { AdapterError } from "@ledge/port";

/** What the library's errors mean, by their codes (ZWaveErrorCodes); the numbers never change. */
const meanings: Readonly<Record<number, AdapterErrorCode>> = {
  101: "unreachable",
  102: "unreachable",
  103: "unreachable",
  200: "timeout",
  201: "timeout",
  202: "unreachable",
  203: "busy",
  204: "unreachable",
  211: "unreachable",
  213: "unreachable",
  215: "timeout",
  302: "unsupported",
  303: "unsupported",
};

/** What a device said to a command, by `SetValueStatus`; the others are success. */
const refusals: Readonly<Record<number, AdapterErrorCode>> = {
  0: "unsupported",
  2: "refused",
  3: "unsupported",
  4: "unsupported",
  5: "refused",
};

/** The library's error of what it did when it started the stick anew, or when the stick was pulled out. */
const taskRemoved = 111;

/** Returns whether an error says that the library gave up what it did because the stick was gone or started anew. */
export function isCutOff(error: unknown): boolean {
  return (error as { readonly code?: unknown } | undefined)?.code === taskRemoved;
}

/** Returns the error that ends a command, a request or a pairing. An error of the port stays unchanged. */
export function faultOf(error: unknown): AdapterError {
  if (error instanceof AdapterError) return error;
  const { message = String(error), code } = (error ?? {}) as {
    readonly message?: string;
    readonly code?: unknown;
  };
  const meaning = typeof code === "number" ? meanings[code] : undefined;
  return new AdapterError(meaning ?? "refused", message, { cause: error });
}

/**
 * Checks what a device said to a command.
 * @throws AdapterError when it has not carried it out
 */
export function checkOutcome({
  status,
  message,
}: {
  readonly status: number;
  readonly message?: string | undefined;
}): void {
  const code = refusals[status];
  if (code !== undefined) throw new AdapterError(code, message ?? "the device did not take the value");
}
