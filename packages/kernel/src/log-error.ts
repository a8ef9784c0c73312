import type { LogErrorCode } from "@ledge/log";

/* What a log raises, told without its classes: what fails in a commit may be of anything else. */

/** As `LogError.isFinal`; an error of anything else leaves the log as it is. */
export function isFinal(error: Error): boolean {
  return (error as { isFinal?: boolean }).isFinal === true;
}

/** Whether an error of the log says that the disk was full and nothing was written. */
export function isNoRoom(error: Error): boolean {
  return codeOf(error) === "full" && !isFinal(error);
}

/** Whether an error of the log says that what is stored is not what was. */
export function isDamage(error: Error): boolean {
  return codeOf(error) === "damaged";
}

export function codeOf(error: Error): LogErrorCode | undefined {
  return (error as { code?: LogErrorCode }).code;
}
