import { realpathSync } from "node:fs";

/** Returns the serial ports, and sticks at `tcp://host:port`, in the settings of an adapter: every `path`. */
export function portsIn(settings: unknown): readonly string[] {
  if (typeof settings !== "object" || settings === null) return [];
  return Object.entries(settings).flatMap(([key, value]) => {
    if (key !== "path" || typeof value !== "string") return portsIn(value);
    return /^(?:\/|tcp:\/\/)/.test(value) ? [value] : [];
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
