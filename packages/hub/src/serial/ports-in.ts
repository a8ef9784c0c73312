import { realpathSync } from "node:fs";

/** How sticks on the network are reached. `esphome`: those of Z-Wave behind a device with ESPHome. */
const schemes = ["tcp", "esphome"] as const;

/** Returns how a stick on the network is reached; undefined for a port of this machine. */
export function schemeOf(port: string): (typeof schemes)[number] | undefined {
  return schemes.find((scheme) => port.startsWith(`${scheme}://`));
}

/** Returns the serial ports and the sticks on the network in the settings of an adapter: every `path`. */
export function portsIn(settings: unknown): readonly string[] {
  if (typeof settings !== "object" || settings === null) return [];
  return Object.entries(settings).flatMap(([key, value]) => {
    if (key !== "path" || typeof value !== "string") return portsIn(value);
    return value.startsWith("/") || schemeOf(value) !== undefined ? [value] : [];
  });
}

/** Returns a key that all paths of one port share: the target of its links, while it exists. */
export function portKey(port: string): string {
  try {
    return realpathSync(port);
  } catch {
    return port;
  }
}
