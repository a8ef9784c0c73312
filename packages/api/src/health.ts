import {
  type Health as HealthShown,
  type HealthAnswer,
  healthAnswer,
  startingHealth as startingAnswer,
} from "@ledge/link";
import Type from "typebox";
import { respondAs } from "./json.ts";

/** The answer of `GET /healthz`: with status 200 while the hub answers from its log, otherwise 503. */
export const Health = Type.Object({
  status: Type.Union(
    ["serving", "read-only", "rescue", "safe-mode", "failed", "closed", "starting"].map((state) =>
      Type.Literal(state),
    ),
  ),
  reason: Type.Union([Type.String(), Type.Null()], { description: "why it is not serving" }),
  /** Status and reason in words: every error has this field. */
  message: Type.String(),
  clockTrusted: Type.Boolean(),
  quotaExceeded: Type.Boolean(),
});

/** Answers `GET /healthz`. */
export function respondHealth(health: HealthShown): Response {
  return responseOf(healthAnswer(health));
}

/** The answer to `GET /healthz` while the hub opens its log; undefined for any other request, which waits. */
export function startingHealth(request: Request): Response | undefined {
  const answer = startingAnswer(request, "hub");
  return answer && responseOf(answer);
}

function responseOf({ code, body }: HealthAnswer): Response {
  return respondAs("application/json", JSON.stringify(body), code);
}
