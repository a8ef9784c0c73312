/**
 * Why an exchange with meters failed. `silent`: none answered. `collision`: the answer was no frame, as when several meters
 * answer at once or the line is disturbed. `foreign`: another meter answered. `application`: the meter reports an error.
 * `refused`: the answer was not one to this request. `cancelled`: nobody waits for it any more. `closed`: the line is.
 */
export type FaultCode =
  | "silent"
  | "collision"
  | "foreign"
  | "application"
  | "refused"
  | "cancelled"
  | "closed";

/** A failed exchange with meters. */
export class MasterFault extends Error {
  override readonly name = "MasterFault";
  readonly code: FaultCode;

  constructor(code: FaultCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
