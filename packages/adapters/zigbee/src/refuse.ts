import { AdapterError } from "@ledge/port";

/** @throws AdapterError `settings`, always; the message starts with the path of the field. */
export function refuseSetting(path: string, reason: string): never {
  throw new AdapterError("settings", `${path}: ${reason}`);
}
