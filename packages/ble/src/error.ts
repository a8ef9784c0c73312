/**
 * What is wrong: `truncated` if bytes are missing, `format` if they break the format, `unsupported` for a version or a
 * kind that the codec does not read, `locked` if they are encrypted and no key is known, `key` if the key does not fit.
 */
export type BleErrorCode = "truncated" | "format" | "unsupported" | "locked" | "key";

/** The only error that the codec throws, whatever the bytes. */
export class BleError extends Error {
  override readonly name = "BleError";
  readonly code: BleErrorCode;

  constructor(code: BleErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
