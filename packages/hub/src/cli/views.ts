import { apiPrefix } from "../version.ts";

/** The parts of a home that can be shown as they were: name -> endpoint. */
export const views = {
  devices: `${apiPrefix}/devices`,
  rooms: `${apiPrefix}/rooms`,
  zones: `${apiPrefix}/zones`,
  groups: `${apiPrefix}/groups`,
  scenes: `${apiPrefix}/scenes`,
  rules: `${apiPrefix}/rules`,
  alarms: `${apiPrefix}/alarms`,
  users: `${apiPrefix}/hub/users`,
  prices: `${apiPrefix}/hub/prices`,
  location: `${apiPrefix}/hub/location`,
  hub: "/hub",
} as const;
export type View = keyof typeof views;
export const viewNames = Object.keys(views).join(", ");

export function isView(name: string): name is View {
  return Object.hasOwn(views, name);
}
