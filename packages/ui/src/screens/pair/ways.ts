import type { Answer } from "../../api/call.ts";
import { type Kind433, kinds433 } from "../../api/pairing.ts";

/** How devices come into this home besides a search. */
export interface Ways {
  readonly kinds433: readonly Kind433[];
}

/** Which way somebody has chosen: a search, with what is asked for besides. */
export type Way = { readonly by: "search" } | { readonly by: "433"; readonly kind: Kind433 };

/** Returns the ways that this hub has. */
export async function waysOf(signal: AbortSignal): Promise<Answer<Ways>> {
  const kinds = await kinds433(signal);
  return kinds.ok ? { ok: true, value: { kinds433: kinds.value } } : kinds;
}
