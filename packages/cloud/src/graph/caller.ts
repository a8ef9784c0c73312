import type { Access } from "../model/oauth-scopes.ts";

/** An account, and the tenant to which it is bound. */
export type Bound = Pick<GraphCaller, "account" | "tenant">;

/** Who sends a message. */
export interface GraphCaller {
  /** Id of the account. */
  readonly account: string;
  /** Where the message comes from (IP). */
  readonly address: string;
  /** Id of the connection on which it came; it replaces any `sessionId` of the message. */
  readonly connection?: string;
  /** Languages that the caller understands, as in `Accept-Language`; hubs answer texts in one of them. */
  readonly language?: string;
  /** The only tenant of which the caller sees anything, where it is bound to one. */
  readonly tenant?: string;
  /** The scopes that narrow what the caller may do; left out, nothing does. */
  readonly scopes?: ReadonlySet<string>;
}

/** Returns how far the access token of a caller reaches; undefined without one. */
export function accessOf({ tenant, scopes }: Pick<GraphCaller, "tenant" | "scopes">): Access | undefined {
  return tenant === undefined || scopes === undefined ? undefined : { tenant, scopes };
}
