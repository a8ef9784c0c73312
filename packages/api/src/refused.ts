import { KernelError, type KernelErrorCode } from "@ledge/kernel";
import type { Rejection } from "@ledge/model";

/** One thing wrong with a request. `index` counts in a list; `field` is a path such as `state.hue`. */
export interface Problem {
  readonly index?: number;
  readonly field: string;
  readonly message: string;
}

/** A request that is not carried out: a value that any gate or handler answers with. */
export class Refused {
  readonly status: number;
  readonly message: string;
  readonly problems: readonly Problem[];
  readonly retryAfterS: number | undefined;

  constructor(status: number, message: string, problems: readonly Problem[] = [], retryAfterS?: number) {
    this.status = status;
    this.message = message;
    this.problems = problems;
    this.retryAfterS = retryAfterS;
  }

  /** The body of the answer: JSON with at least `message` (wire-facts 4). */
  body(): string {
    const { message, problems } = this;
    return JSON.stringify(problems.length === 0 ? { message } : { message, errors: problems });
  }
}

const rejectionStatus: Readonly<Record<Rejection["rejected"], number>> = {
  "not-found": 404,
  forbidden: 403,
  invalid: 422,
  "wrong-state": 409,
};

const kernelAnswers: Readonly<Record<KernelErrorCode, (reason: string | null) => Refused>> = {
  "read-only": (reason) => new Refused(507, `the hub takes no changes now: ${reason ?? "the disk is full"}`),
  failed: () => new Refused(500, "the change could not be written to disk; nothing of it was applied"),
  busy: () => new Refused(503, "too much is waiting; try again", [], 1),
  closed: () => new Refused(503, "the hub is shutting down", [], 5),
};

/** What a rejection of the domain is over HTTP. `index` is the place in the request's list, if it has one. */
export function refusedBy(rejection: Rejection, index?: number): Refused {
  const { rejected, message, field = "" } = rejection;
  const problem = index === undefined ? { field, message } : { index, field, message };
  return new Refused(rejectionStatus[rejected], message, [problem]);
}

/**
 * What an exception is over HTTP, when it is one that a handler may meet; undefined for a fault of ours.
 * @param reason why the kernel does not serve, in its own words
 */
export function refusedByKernel(error: unknown, reason: string | null): Refused | undefined {
  return error instanceof KernelError ? kernelAnswers[error.code](reason) : undefined;
}

/** 422 for one or more problems; the first one is the message that clients show. */
export function invalid(problems: readonly Problem[]): Refused {
  const [first] = problems;
  const message = first === undefined ? "the request is invalid" : `${first.field} ${first.message}`.trim();
  return new Refused(422, message, problems);
}

export function forbidden(message: string): Refused {
  return new Refused(403, message);
}

export function notFound(message = "there is nothing here", index?: number, field = "id"): Refused {
  return new Refused(404, message, index === undefined ? [] : [{ index, field, message }]);
}
