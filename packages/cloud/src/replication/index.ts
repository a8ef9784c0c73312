export { applyChanges } from "./applying.ts";
export { readChanges } from "./read-changes.ts";
export { gatewayRow } from "./rows.ts";
