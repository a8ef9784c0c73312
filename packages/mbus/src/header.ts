import { manufacturerCode } from "./manufacturer.ts";

/** Which meter sent a telegram. */
export interface Identity {
  /** Eight digits. Meters outside the standard have letters A to F among them. */
  readonly id: string;
  /** Three letters. */
  readonly manufacturer: string;
  readonly version: number;
  /** The device type; `mediumName` has its name. */
  readonly medium: number;
}

/** What a telegram says of itself besides the identity. */
export interface Status {
  readonly accessNumber: number;
  readonly status: number;
  /** Configuration field; older meters call it signature. */
  readonly signature: number;
}

/** Reads the identity of a long header: id, manufacturer, version, medium. @param bytes at least 8 */
export function readIdentity(bytes: Uint8Array, isHighFirst = false): Identity {
  const number = isHighFirst ? bytes.slice(0, 4).toReversed() : bytes.subarray(0, 4);
  const [low = 0, high = 0] = isHighFirst ? bytes.slice(4, 6).toReversed() : bytes.subarray(4, 6);
  return {
    id: idOf(number),
    manufacturer: manufacturerCode(low | (high << 8)),
    version: bytes[6] as number,
    medium: bytes[7] as number,
  };
}

/** Returns the digits of an id. @param bytes four, lowest first */
export function idOf(bytes: Uint8Array): string {
  let id = "";
  for (let i = 3; i >= 0; i--) id += (bytes[i] as number).toString(16).padStart(2, "0");
  return id.toUpperCase();
}

/** Reads access number, status and configuration field. @param bytes at least 4 */
export function readStatus(bytes: Uint8Array, isHighFirst = false): Status {
  const [accessNumber = 0, status = 0, first = 0, second = 0] = bytes;
  const signature = isHighFirst ? (first << 8) | second : first | (second << 8);
  return { accessNumber, status, signature };
}
