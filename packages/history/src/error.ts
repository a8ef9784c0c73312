/**
 * `damaged`: the files are not an index, or not as they were written. `full`: the disk, or the index's share of
 * it, is full. `busy`: another process writes the index.
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
