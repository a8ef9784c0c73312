import type { LogErrorCode } from "@ledge/log";

/* Classifies errors of the log without its classes, because a commit may fail with any error. */

/** Like `LogError.isFinal`. Any other error leaves the log usable. */
export function isFinal(error: Error): boolean {
  return (error as { isFinal?: boolean }).isFinal === true;
}

/** Whether an error of the log means that the disk was full and nothing was written. */
export function isNoRoom(error: Error): boolean {
  return codeOf(error) === "full" && !isFinal(error);
}

/** Whether an error of the log means that stored data is damaged. */
export function isDamage(error: Error): boolean {
  return codeOf(error) === "damaged";
}

export function codeOf(error: Error): LogErrorCode | undefined {
  return (error as { code?: LogErrorCode }).code;
}
