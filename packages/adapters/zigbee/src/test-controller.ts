import type { Controller } from "zigbee-herdsman";

/** A controller with only these parts. */
export function controllerOf(parts: Partial<Controller>): Controller {
  return parts as Controller;
}
