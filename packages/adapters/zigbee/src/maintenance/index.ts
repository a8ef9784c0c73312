export { availabilityCommands } from "./availability.ts";
export { bindingCommands } from "./bindings.ts";
export { networkCommands } from "./network-commands.ts";
export type { MaintenanceTable } from "./table.ts";
export { maintenanceTypes } from "./table.ts";
export { Touchlink } from "./touchlink.ts";
