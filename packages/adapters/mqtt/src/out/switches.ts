import type { Entity, Wanted } from "./entity.ts";
import { can, has, onOffOf } from "./entity.ts";
import { isLight } from "./light.ts";

/** What only goes on and off, and is no lamp. */
export function switchesOf({ device, places, takes }: Wanted): readonly Entity[] {
  if (can(device, "GENERATE_ALERT") || !can(device, "ON_OFF", "SIGNAL")) return [];
  if (isLight(device) || !has(device, "isOn") || !takes("isOn")) return [];
  const config = {
    state_topic: places.state,
    value_template: onOffOf("isOn"),
    command_topic: places.setOne("isOn"),
    ...(device.class === "POWER_SOCKET" && { device_class: "outlet" }),
  };
  return [{ component: "switch", key: "isOn", name: null, config }];
}
