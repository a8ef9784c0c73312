import type { AdapterErrorCode } from "@ledge/port";
import { AdapterError } from "@ledge/port";

/** TRANSACTION_OVERFLOW of IEEE 802.15.4. The library has no name for it with deconz. */
const heldFull = /TRANSACTION_OVERFLOW|confirm status: unknown \(0xf1\)/;

/**
 * Maps the library's errors by the names of statuses in their texts: of the stick (ZNP, EZSP and others), of
 * ZDO and of ZCL (specification 2.6.3). The errors share no codes, but equal names mean the same; those of deconz
 * have no underscores.
 */
const meanings: readonly (readonly [pattern: RegExp, code: AdapterErrorCode])[] = [
  [/UNSUP|NOT_SUPPORTED|UNREPORTABLE|READ_ONLY|WRITE_ONLY/, "unsupported"],
  [
    /Inter-PAN|BUSY|BUFFER_FULL|MEM_ERROR|NO_RESOURCES|NO_TIME|CHANNEL_ACCESS|CCA|TABLE_FULL|OVERFLOW|ALLOCATION_FAILED|LIMIT_REACHED|NoChannelAccess|TableFull|status: Busy/,
    "busy",
  ],
  [heldFull, "busy"],
  [
    /NO_ACK|NO_ROUTE|UNKNOWN_DEVICE|TRANSACTION_EXPIRED|NO_SHORT_ADDR|DEVICE_NOT_FOUND|Delivery failed|DELIVERY_FAILED|NETWORK_DOWN|NoAck|NwkRoute|TransactionExpired|NoNetwork/,
    "unreachable",
  ],
  [/TIMEOUT|after \d+ms/i, "timeout"],
];

/** Returns the reason of an error without its frame: `ZCL command ... failed (reason)`. */
function reasonOf(message: string): string {
  return /failed \((.*)\)$/s.exec(message)?.[1] ?? message;
}

/** Returns the error that ends a command, a request or a pairing. An error of the port stays unchanged. */
export function faultOf(error: unknown): AdapterError {
  if (error instanceof AdapterError) return error;
  const reason = reasonOf(error instanceof Error ? error.message : String(error));
  const code = meanings.find(([pattern]) => pattern.test(reason))?.[1] ?? "refused";
  return new AdapterError(code, reason, { cause: error });
}

/** Whether a stick refused a frame because its buffers are full, so that nothing of it was sent. */
export function isWithoutRoom(error: unknown): boolean {
  const reason = reasonOf(error instanceof Error ? error.message : String(error));
  return /BUFFER_FULL|MEM_ERROR|NO_RESOURCES|NO_BUFFERS|MAX_MESSAGE_LIMIT|ALLOCATION_FAILED/.test(reason);
}

/** Whether a stick had no room for a frame, or none for another route: it needs fewer frames at once. */
export function isCrowded(error: unknown): boolean {
  const reason = reasonOf(error instanceof Error ? error.message : String(error));
  return isWithoutRoom(error) || /TABLE_FULL|TableFull/.test(reason);
}

/** Whether the parent of a sleeping device holds as many frames for it as it can, until the device fetches them. */
export function isHeldFull({ message }: Error): boolean {
  return heldFull.test(reasonOf(message));
}

/** Whether the device has refused, so that a retry would fail again. */
export function isFinal({ code }: AdapterError): boolean {
  return code === "unsupported" || code === "refused";
}
