import { forbidden, type Refused } from "./refused.ts";
import type { Call } from "./row.ts";

/**
 * Refuses a request that a page of another origin sends. Rows that ask for no credential need it where what they do or
 * show is not everybody's: any page that somebody at home has open can send them requests.
 * @param what such a page may not do
 */
export function refusedToPages(call: Call, what: string): Refused | undefined {
  const origin = call.header("origin")?.toLowerCase();
  if (origin === undefined) return undefined;
  const host = call.header("host")?.toLowerCase();
  const isOwn = origin === `http://${host}` || origin === `https://${host}`;
  if (isOwn || call.hub.claim.origins.includes(origin)) return undefined;
  return forbidden(`a page of another origin may not ${what}`);
}
