import { reject, type Rejection } from "@ledge/model";

/** Rejects a command that would add one more than there may be of something, such as `roles`. */
export function atMost(most: number, what: string): Rejection {
  return reject("limit", `at most ${most} ${what}`, "limit");
}
