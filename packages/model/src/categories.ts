/** The ten categories of the poll delta in the order of hub-api 2.2; `cursor` is the legacy parameter of 4.1. */
export const categories = [
  { type: "DEVICE_DELTA", field: "devices", cursor: "deviceTs" },
  { type: "GROUP_DELTA", field: "groups", cursor: "groupTs" },
  { type: "SCENE_DELTA", field: "scenes", cursor: "sceneTs" },
  { type: "RULE_DELTA", field: "rules", cursor: "ruleTs" },
  { type: "USER_DELTA", field: "users", cursor: "userTs" },
  { type: "USER_ALERTS", field: "alerts", cursor: "alertTs" },
  { type: "ROOM_DELTA", field: "rooms", cursor: "roomTs" },
  { type: "ZONE_DELTA", field: "zones", cursor: "zoneTs" },
  { type: "ALARM_DELTA", field: "alarms", cursor: "alarmTs" },
  { type: "ACTIVATOR_DELTA", field: "activators", cursor: "activatorTs" },
] as const;

/** The type of a delta object, such as `ROOM_DELTA`. */
export type CategoryType = (typeof categories)[number]["type"];
