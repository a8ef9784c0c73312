import { KernelError, type KernelErrorCode } from "@ledge/kernel";
import { Refused } from "@ledge/link";

export { forbidden, invalid, notFound, type Problem, Refused, refusedBy } from "@ledge/link";

const kernelAnswers: Readonly<Record<KernelErrorCode, (reason: string | null) => Refused>> = {
  "read-only": (reason) => new Refused(507, `the hub takes no changes now: ${reason ?? "the disk is full"}`),
  failed: () => new Refused(500, "the change could not be written to disk; nothing of it was applied"),
  busy: () => new Refused(503, "too much is waiting; try again", [], 1),
  closed: () => new Refused(503, "the hub is shutting down", [], 5),
};

/**
 * What an exception is over HTTP, when it is one that a handler may meet; undefined for a fault of ours.
 * @param reason why the kernel does not serve, in its own words
 */
export function refusedByKernel(error: unknown, reason: string | null): Refused | undefined {
  return error instanceof KernelError ? kernelAnswers[error.code](reason) : undefined;
}
