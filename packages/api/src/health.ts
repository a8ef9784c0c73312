import type { KernelHealth } from "@ledge/kernel";
import Type from "typebox";
import { respondAs } from "./json.ts";

/** What `GET /healthz` answers in every state, with 200 while the hub answers from its log and with 503 else. */
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

type Shown = Pick<KernelHealth, "reason" | "clockTrusted" | "quotaExceeded"> & {
  readonly state: KernelHealth["state"] | "starting";
};

const answering: ReadonlySet<string> = new Set(["serving", "read-only"]);

/** How a hub fares, as the answer to `GET /healthz`. */
export function respondHealth({ state: status, reason, clockTrusted, quotaExceeded }: Shown): Response {
  const message = reason === null ? status : `${status}: ${reason}`;
  const body = JSON.stringify({ status, reason, message, clockTrusted, quotaExceeded });
  return respondAs("application/json", body, answering.has(status) ? 200 : 503);
}

/** The answer to `GET /healthz` while the hub opens its log; undefined for any other request, which waits. */
export function startingHealth({ method, url }: Request): Response | undefined {
  if ((method !== "GET" && method !== "HEAD") || new URL(url).pathname !== "/healthz") return undefined;
  const reason = "the hub opens its log";
  return respondHealth({ state: "starting", reason, clockTrusted: false, quotaExceeded: false });
}
