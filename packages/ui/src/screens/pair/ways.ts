import type { Kind433 } from "../../api/pairing.ts";

/** Which search somebody has chosen, and what is asked for besides. */
export type Way =
  | { readonly by: "search" | "zwave" | "mbus" }
  | { readonly by: "433"; readonly kind: Kind433 };

/** Which way a device comes in: by a search, or by what somebody types or looks for on a bus. */
export type Entrance = Way | { readonly by: "modbus" | "bacnet" };
