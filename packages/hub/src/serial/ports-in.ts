import { realpathSync } from "node:fs";

/** The serial ports, and sticks at `tcp://host:port`, that the settings of an adapter name: each `path` in them. */
export function portsIn(settings: unknown): readonly string[] {
  if (typeof settings !== "object" || settings === null) return [];
  return Object.entries(settings).flatMap(([key, value]) => {
    if (key !== "path" || typeof value !== "string") return portsIn(value);
    return /^(?:\/|tcp:\/\/)/.test(value) ? [value] : [];
  });
}

/** What two paths of one port have in common: where its links lead to, as long as it is there. */
export function portKey(port: string): string {
  try {
    return realpathSync(port);
  } catch {
    return port;
  }
}
