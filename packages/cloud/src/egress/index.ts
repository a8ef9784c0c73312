export type { EgressSettings } from "../model/egress-state.ts";
export { type Egress, openEgress } from "./open-egress.ts";
export { Receivers } from "./receivers.ts";
