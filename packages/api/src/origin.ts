import { forbidden, type Refused } from "./refused.ts";
import type { Call } from "./row.ts";

/**
 * Refuses a request from a page of another origin. Rows without a credential need this check if they change or show
 * private things, because any page open in a browser at home can send them requests.
 * @param what completes "a page of another origin may not …"
 */
export function refusedToPages(call: Call, what: string): Refused | undefined {
  const origin = call.header("origin")?.toLowerCase();
  if (origin === undefined) return undefined;
  const host = call.header("host")?.toLowerCase();
  const isOwn = origin === `http://${host}` || origin === `https://${host}`;
  if (isOwn || call.hub.claim.origins.includes(origin)) return undefined;
  return forbidden(`a page of another origin may not ${what}`);
}
