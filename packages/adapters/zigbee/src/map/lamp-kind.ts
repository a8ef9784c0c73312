import type { EndpointFacts } from "./facts.ts";

const lightLink = 0xc05e;
const levelControl = 0x0008;
const colorControl = 0x0300;

/** Device ids of lights (ZHA, ZLL and Zigbee 3.0 lighting device specifications). */
const lamps: ReadonlySet<number> = new Set([0x0100, 0x0101, 0x0102, 0x010c, 0x010d, 0x0210, 0x0220]);
/** Device ids of outlets, smart plugs and plug-in units, and the plug-in units of ZLL. */
const sockets: ReadonlySet<number> = new Set([0x0009, 0x0051, 0x010a, 0x010b]);
const lightLinkSockets: ReadonlySet<number> = new Set([0x0010, 0x0110]);

/**
 * Whether an endpoint switches a lamp or a socket. One with an unclear device id is a lamp when it can dim.
 */
export function lampKind({ profile, device, input }: EndpointFacts): "lamp" | "socket" {
  if (profile === lightLink) return lightLinkSockets.has(device) ? "socket" : "lamp";
  if (lamps.has(device)) return "lamp";
  if (sockets.has(device)) return "socket";
  return input.includes(levelControl) || input.includes(colorControl) ? "lamp" : "socket";
}
