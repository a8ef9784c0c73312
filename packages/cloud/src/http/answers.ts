import { STATUS_CODES } from "node:http";
import { type KernelErrorCode, KernelError } from "@ledge/kernel";
import { type HealthAnswer, openHeaders, preflightHeaders, Refused, refusedBy } from "@ledge/link";
import { isRejection } from "@ledge/model";
import { errorStatuses, type GraphError } from "../graph/errors.ts";
import { BusyError } from "../accounts/password-hashes.ts";
import type { Answer } from "./row.ts";
import { securityHeaders } from "./security-headers.ts";

/** Headers of every answer. */
const common = {
  ...openHeaders,
  "access-control-expose-headers": "retry-after, location, operation-location, deprecation, sunset, link",
  ...securityHeaders,
} as const;

const methods = "GET, PUT, POST, PATCH, DELETE";

/** Answers a preflight (wire-facts 4). */
export function preflight(): Response {
  const headers = { ...preflightHeaders, ...securityHeaders, "access-control-allow-methods": methods };
  return new Response(null, { status: 204, headers });
}

/** Makes a response of an answer; the body is never empty. */
export function respond(answer: Answer): Response {
  if (answer instanceof Response) return answer;
  const refused = refusedIn(answer);
  if (refused !== undefined) return respondRefused(refused);
  return respondAs("application/json", JSON.stringify(answer));
}

/** Like `respond`, with refusals as problem details (RFC 9457). @param instance path of the request */
export function respondOrProblem(answer: Answer, instance: string): Response {
  const refused = refusedIn(answer);
  if (refused === undefined) return respond(answer);
  const { status, message: detail, problems, retryAfterS, more } = refused;
  const body = {
    type: "about:blank",
    title: STATUS_CODES[status] ?? "Failed",
    status,
    detail,
    instance,
    ...(problems.length > 0 && { errors: problems }),
    ...more,
  };
  const response = respondAs(problemType, JSON.stringify(body), status);
  if (retryAfterS !== undefined) response.headers.set("retry-after", String(retryAfterS));
  return response;
}

/** The media type of problem details (RFC 9457). */
export const problemType = "application/problem+json";

/** Returns the refusal for an error of Graph: with its HTTP status, and a type that names its code. */
export function refusedByFailure({ code, message, details, errors }: GraphError): Refused {
  const problems = (errors ?? [{ message, details }]).flatMap((each) => {
    const field = each.details?.["field"];
    return field === undefined ? [] : [{ field, message: each.message }];
  });
  const type = `/problems/${code.slice("E_".length).toLowerCase()}`;
  return new Refused(errorStatuses[code], message, problems, undefined, { type });
}

function refusedIn(answer: Answer): Refused | undefined {
  if (answer instanceof Refused) return answer;
  const isRejected = typeof answer === "object" && answer !== null && isRejection(answer);
  return isRejected ? refusedBy(answer) : undefined;
}

/** The text exposition format of Prometheus. */
export const metricsType = "text/plain; version=0.0.4; charset=utf-8";

/** Makes a response that is not JSON, such as a token. */
export function respondAs(contentType: string, body: string, status = 200): Response {
  return new Response(body, { status, headers: { ...common, "content-type": contentType } });
}

/** Makes the response of `GET /healthz`. */
export function respondHealth({ code, body }: HealthAnswer): Response {
  return respondAs("application/json", JSON.stringify(body), code);
}

function respondRefused(refused: Refused): Response {
  const { status, retryAfterS } = refused;
  const retry = retryAfterS === undefined ? {} : { "retry-after": String(retryAfterS) };
  const headers = { ...common, ...retry, "content-type": "application/json" };
  return new Response(refused.body(), { status, headers });
}

const kernelAnswers: Readonly<Record<KernelErrorCode, () => Refused>> = {
  "read-only": () => new Refused(507, "the cloud is read-only and accepts no changes now"),
  failed: () => new Refused(500, "the change could not be written to disk; nothing of it was applied"),
  spent: () => new Refused(429, "too many changes; try again later", [], 60),
  busy: () => new Refused(503, "the cloud is busy; try again", [], 1),
  closed: () => new Refused(503, "the cloud is shutting down", [], 5),
};

/** Returns the refusal for an expected error of a handler; undefined for a bug. */
export function refusedByError(error: unknown): Refused | undefined {
  if (error instanceof KernelError) return kernelAnswers[error.code]();
  return error instanceof BusyError ? kernelAnswers.busy() : undefined;
}
