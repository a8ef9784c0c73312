import type { AnswerRequest } from "@ledge/port";

/** Protocol commands by which users work on the network: bindings, groups, joining, touchlink. */
export const maintenanceTypes = [
  "ZIGBEE_GET_BINDINGS",
  "ZIGBEE_BIND",
  "ZIGBEE_UNBIND",
  "ZIGBEE_SET_REPORTING",
  "ZIGBEE_REMOVE_REPORTING",
  "ZIGBEE_GET_GROUPS",
  "ZIGBEE_MEND_GROUPS",
  "ZIGBEE_JOIN_THROUGH",
  "ZIGBEE_ADD_INSTALL_CODE",
  "ZIGBEE_CHECK_COORDINATOR",
  "ZIGBEE_GET_AVAILABILITY",
  "ZIGBEE_SET_AVAILABILITY",
  "ZIGBEE_TOUCHLINK_SCAN",
  "ZIGBEE_GET_TOUCHLINK_SCAN",
  "ZIGBEE_TOUCHLINK_IDENTIFY",
  "ZIGBEE_TOUCHLINK_RESET",
] as const;

/** The handlers of all maintenance commands. */
export type MaintenanceTable = Readonly<Record<(typeof maintenanceTypes)[number], AnswerRequest>>;
