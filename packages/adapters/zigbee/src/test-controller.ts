import type { Controller } from "zigbee-herdsman";

/** A controller that has these parts, and nothing else. */
export function controllerOf(parts: Partial<Controller>): Controller {
  return parts as Controller;
}
