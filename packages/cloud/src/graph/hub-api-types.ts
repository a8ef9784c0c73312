import type { Right } from "./rights.ts";

/** A type of message that is one row of the hub API. */
export interface HubApiType {
  readonly type: `${string}HubQuery` | `${string}HubCommand`;
  /** The row: method and path (hub-api 4). */
  readonly row: string;
  /** The right that the cloud asks for, where the hub's own word is not enough: R by default. */
  readonly right?: Right;
  /** The field with the row's body, where that is a list; otherwise the body's fields are the message's. */
  readonly list?: string;
}

/** The types that are rows of the hub API. Other rows are called by `CallHubQuery` and `CallHubCommand`. */
export const hubApiTypes: readonly HubApiType[] = [
  { type: "DevicesHubQuery", row: "GET /devices" },
  { type: "GroupsHubQuery", row: "GET /groups" },
  { type: "ScenesHubQuery", row: "GET /scenes" },
  { type: "RulesHubQuery", row: "GET /rules" },
  { type: "RuleTemplatesHubQuery", row: "GET /rules/templates" },
  { type: "RoomsHubQuery", row: "GET /rooms" },
  { type: "ZonesHubQuery", row: "GET /zones" },
  { type: "AlarmsHubQuery", row: "GET /alarms" },
  { type: "UsersHubQuery", row: "GET /hub/users" },
  { type: "MetadataHubQuery", row: "GET /hub" },
  { type: "PollHubQuery", row: "GET /hub/poll" },
  { type: "WhyHubQuery", row: "GET /why" },
  { type: "HistoryHubQuery", row: "GET /devices/history" },
  { type: "AuditHubQuery", row: "GET /audit" },
  { type: "OutcomeHubQuery", row: "GET /scenes/outcome" },
  { type: "ConfigurationHubQuery", row: "GET /devices/configuration" },
  { type: "WhatIfHubQuery", row: "POST /rules/whatif" },
  { type: "ControlDevicesHubCommand", row: "PUT /devices/command", list: "commands" },
  { type: "ControlGroupsHubCommand", row: "PUT /groups/command", list: "commands" },
  { type: "ControlScenesHubCommand", row: "PUT /scenes/command", list: "commands" },
  { type: "ControlRulesHubCommand", row: "PUT /rules/command", list: "commands" },
  { type: "ApplyPresetsHubCommand", row: "PUT /devices/preset", list: "presets" },
  { type: "SaveDevicesHubCommand", row: "PUT /devices", list: "devices" },
  { type: "SaveGroupsHubCommand", row: "PUT /groups", list: "groups" },
  { type: "SaveScenesHubCommand", row: "PUT /scenes", list: "scenes" },
  { type: "SaveRulesHubCommand", row: "PUT /rules" },
  { type: "SaveRoomsHubCommand", row: "PUT /rooms", list: "rooms" },
  { type: "SaveZonesHubCommand", row: "PUT /zones", list: "zones" },
  { type: "OrderRoomsHubCommand", row: "PUT /rooms/order", list: "rooms" },
  { type: "ConfigureHubCommand", row: "PUT /devices/configuration" },
  { type: "RemoveDevicesHubCommand", row: "DELETE /devices", list: "deviceIds" },
  { type: "RemoveGroupHubCommand", row: "DELETE /groups" },
  { type: "RemoveSceneHubCommand", row: "DELETE /scenes" },
  { type: "RemoveRuleHubCommand", row: "DELETE /rules" },
  { type: "RemoveRoomHubCommand", row: "DELETE /rooms" },
  { type: "RemoveAlarmHubCommand", row: "DELETE /alarms" },
  { type: "CloseAlarmHubCommand", row: "PUT /alarms/close" },
  { type: "UndoHubCommand", row: "POST /undo" },
  { type: "SetShareHubCommand", row: "PUT /hub/sharing", right: "O" },
];
