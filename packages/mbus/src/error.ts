/**
 * What was wrong: `frame` with the link layer, `checksum` with a checksum or CRC, `truncated` if bytes are missing,
 * `record` with the data of a meter, `application` if the meter itself reports an error, `unsupported` for what the
 * codec does not read, `key` if a key does not decrypt the payload.
 */
export type MbusErrorCode =
  | "frame"
  | "checksum"
  | "truncated"
  | "record"
  | "application"
  | "unsupported"
  | "key";

/** The only error that the codec throws, whatever the bytes. */
export class MbusError extends Error {
  override readonly name = "MbusError";
  readonly code: MbusErrorCode;

  constructor(code: MbusErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
