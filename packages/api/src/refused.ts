import { KernelError, type KernelErrorCode } from "@ledge/kernel";
import { Refused, refusedBy as refusedByKind } from "@ledge/link";
import type { Rejection } from "@ledge/model";

export { forbidden, invalid, notFound, type Problem, Refused } from "@ledge/link";

/** Clients in the field know no 409 (hub-api 7), so a command that the hub's state forbids gets 422. */
const statuses = {
  "not-found": 404,
  forbidden: 403,
  invalid: 422,
  "wrong-state": 422,
  taken: 422,
  limit: 422,
} as const;

/** Turns a rejection into an HTTP refusal. @param index the item's index in the request's list, if it has one */
export function refusedBy(rejection: Rejection, index?: number): Refused {
  return refusedByKind(rejection, index, statuses);
}

/** Refuses a HubKey whose time is over, or whose issuer is not trusted any more. */
export function expired(): Refused {
  return new Refused(401, "the HubKey has expired");
}

type KernelAnswer = (reason: string | null, waitS: number) => Refused;

const kernelAnswers: Readonly<Record<KernelErrorCode, KernelAnswer>> = {
  "read-only": (reason) => new Refused(507, `the hub takes no changes now: ${reason ?? "the disk is full"}`),
  failed: () => new Refused(500, "the change could not be written to disk; nothing of it was applied"),
  spent: (_, waitS) =>
    new Refused(
      429,
      `you have added as much to the hub's log as one user may in a day; try again in ${waitS} s`,
      [],
      waitS,
    ),
  busy: () => new Refused(503, "too much is waiting; try again", [], 1),
  closed: () => new Refused(503, "the hub is shutting down", [], 5),
};

/**
 * What an exception is over HTTP, when it is one that a handler may meet; undefined for a fault of ours.
 * @param reason why the kernel does not serve, in its own words
 */
export function refusedByKernel(error: unknown, reason: string | null): Refused | undefined {
  if (!(error instanceof KernelError)) return undefined;
  return kernelAnswers[error.code](reason, Math.ceil((error.waitMs ?? 1000) / 1000));
}
