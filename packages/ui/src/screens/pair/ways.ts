import type { Kind433 } from "../../api/pairing.ts";

/** Which way somebody has chosen: a search, with what is asked for besides. */
export type Way = { readonly by: "search" | "zwave" } | { readonly by: "433"; readonly kind: Kind433 };
