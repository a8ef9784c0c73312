import { applicationError } from "./application-error.ts";
import { decrypt, encryptedPart, type Encryption, type KeyOf } from "./encryption.ts";
import { MbusError } from "./error.ts";
import { type FixedTelegram, readFixed } from "./fixed.ts";
import { type Frame, readFrame } from "./frame.ts";
import { type Identity, readIdentity, readStatus, type Status } from "./header.ts";
import { hexByte } from "./hex.ts";
import { readRecords, type Records } from "./records.ts";

/** Data of variable structure. */
export interface VariableTelegram extends Records {
  readonly kind: "variable";
  /** Absent if the telegram has no header, or a short one and no address of a link layer. */
  readonly meter?: Identity;
  /** Absent if the telegram has no header. */
  readonly status?: Status;
  /** Absent if nothing is encrypted. What is encrypted and was not decrypted is not among the records. */
  readonly encryption?: Encryption;
}

export type Telegram = VariableTelegram | FixedTelegram;

export interface DecodeOptions {
  /** Finds the key of a meter whose payload is encrypted. */
  readonly keyOf?: KeyOf;
}

/** Header lengths by CI field; the bit 04h says that the highest byte of numbers comes first. */
const headers: Readonly<Record<number, "long" | "short" | "none">> = {
  0x51: "none",
  0x72: "long",
  0x76: "long",
  0x78: "none",
  0x7a: "short",
};
const errorHeaders: Readonly<Record<number, number>> = { 0x70: 0, 0x6e: 4, 0x6f: 12 };
const headerLengths = { long: 12, short: 4, none: 0 } as const;

/**
 * Decodes a frame of the wired bus with data of a meter.
 * @throws MbusError: with code `application` if the meter reports an error, `frame` if the frame carries no data
 */
export function decode(bytes: Uint8Array, options: DecodeOptions = {}): Telegram {
  return decodeFrame(readFrame(bytes), options);
}

/** Decodes the data of a frame that has been read. Throws as `decode`. */
export function decodeFrame(frame: Frame, options: DecodeOptions = {}): Telegram {
  if (frame.type === "ack" || frame.type === "short")
    throw new MbusError("frame", `this is a frame without data: ${frame.type}`);
  const data = frame.type === "long" ? frame.data : new Uint8Array(0);
  return decodeApplication(frame.information, data, undefined, options);
}

/**
 * Decodes an application layer.
 * @param information the CI field
 * @param link the address of a wireless link layer, for telegrams without a long header
 */
export function decodeApplication(
  information: number,
  data: Uint8Array,
  link: Identity | undefined,
  options: DecodeOptions = {},
): Telegram {
  const errorHeader = errorHeaders[information];
  if (errorHeader !== undefined) throw new MbusError("application", applicationError(data[errorHeader]));
  if (information === 0x71) throw new MbusError("unsupported", `the meter reports an alarm: ${shown(data)}`);
  if (information === 0x73 || information === 0x77) return readFixed(data, information === 0x77);
  const header = headers[information];
  if (header === undefined)
    throw new MbusError("unsupported", `the CI field ${hexByte(information)} is not one of meter data`);
  const length = headerLengths[header];
  if (data.length < length)
    throw new MbusError("truncated", `the header has ${length} bytes, not ${data.length}`);
  const isHighFirst = information === 0x76;
  const meter = header === "long" ? readIdentity(data, isHighFirst) : link;
  const status = length === 0 ? undefined : readStatus(data.subarray(length - 4), isHighFirst);
  const payload = data.subarray(length);
  return { kind: "variable", ...readPayload(payload, meter, status, isHighFirst, options) };
}

function readPayload(
  payload: Uint8Array,
  meter: Identity | undefined,
  status: Status | undefined,
  isHighFirst: boolean,
  options: DecodeOptions,
): Omit<VariableTelegram, "kind"> {
  const told = { ...(meter && { meter }), ...(status && { status }) };
  const part = status && encryptedPart(status, payload);
  if (status === undefined || part === undefined) return { ...told, ...readRecords(payload, isHighFirst) };
  const { mode, name, bytes, rest } = part;
  const key = mode === 5 && meter !== undefined ? options.keyOf?.(meter) : undefined;
  if (key === undefined || meter === undefined) {
    const encryption = { mode, name, isDecrypted: false, bytes };
    return { ...told, ...readRecords(rest, isHighFirst), encryption };
  }
  const plain = decrypt(bytes, key, meter, status.accessNumber);
  const whole = Uint8Array.from([...plain, ...rest]);
  return {
    ...told,
    ...readRecords(whole, isHighFirst),
    encryption: { mode, name, isDecrypted: true, bytes },
  };
}

function shown(data: Uint8Array): string {
  return data.length === 0 ? "no details" : [...data].map(hexByte).join(" ");
}
