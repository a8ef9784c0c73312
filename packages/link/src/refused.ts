import type { Rejection } from "@ledge/model";

/** A problem of a request. `index` is a place in a list; `field` is a path such as `state.hue`. */
export interface Problem {
  readonly index?: number;
  readonly field: string;
  readonly message: string;
}

/** A refused request: a value that any gate or handler can return. */
export class Refused {
  readonly status: number;
  readonly message: string;
  readonly problems: readonly Problem[];
  readonly retryAfterS: number | undefined;
  /** Further fields of the body, such as a code for programs. */
  readonly more: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    message: string,
    problems: readonly Problem[] = [],
    retryAfterS?: number,
    more: Readonly<Record<string, unknown>> = {},
  ) {
    this.status = status;
    this.message = message;
    this.problems = problems;
    this.retryAfterS = retryAfterS;
    this.more = more;
  }

  /** Returns the body of the answer: JSON with at least `message` (wire-facts 4). */
  body(): string {
    const { message, problems, more } = this;
    return JSON.stringify({ message, ...(problems.length > 0 && { errors: problems }), ...more });
  }
}

const rejectionStatus: Readonly<Record<Rejection["rejected"], number>> = {
  "not-found": 404,
  forbidden: 403,
  invalid: 422,
  "wrong-state": 409,
  taken: 409,
  limit: 409,
};

/**
 * Returns the HTTP answer to a rejection of the domain.
 * @param index the place in the request's list, if it has one
 * @param statuses HTTP status by kind of rejection
 */
export function refusedBy(rejection: Rejection, index?: number, statuses = rejectionStatus): Refused {
  const { rejected, message, field = "" } = rejection;
  const problem = index === undefined ? { field, message } : { index, field, message };
  return new Refused(statuses[rejected], message, [problem]);
}

/** Refuses with 422 for one or more problems; the first one is the message that clients show. */
export function invalid(problems: readonly Problem[]): Refused {
  const [first] = problems;
  const message = first === undefined ? "the request is invalid" : `${first.field} ${first.message}`.trim();
  return new Refused(422, message, problems);
}

/** Refuses with 403. */
export function forbidden(message: string): Refused {
  return new Refused(403, message);
}

/** Refuses with 404. */
export function notFound(message = "there is nothing here", index?: number, field = "id"): Refused {
  return new Refused(404, message, index === undefined ? [] : [{ index, field, message }]);
}
