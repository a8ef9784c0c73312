export { applyChanges } from "./applying.ts";
export { Asking } from "./asking.ts";
export { readChanges } from "./read-changes.ts";
export { gatewayRow } from "./rows.ts";
