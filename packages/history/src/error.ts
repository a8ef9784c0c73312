/**
 * `damaged`: what is there is none of ours, or not what was written. `full`: the disk, or the index's share of it.
 * `busy`: another process writes it.
 */
export type HistoryErrorCode = "damaged" | "full" | "busy";

export class HistoryError extends Error {
  override readonly name = "HistoryError";
  readonly code: HistoryErrorCode;
  constructor(code: HistoryErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
