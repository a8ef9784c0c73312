import { accessSync, constants, existsSync } from "node:fs";
import { profileFile } from "../folder/folder.ts";
import { readProfile } from "../profile.ts";
import type { Check } from "./log-checks.ts";

/** Checks that the ports in the folder's profile exist and that this user may open them. */
export function portChecks(folder: string): Check[] {
  if (!existsSync(profileFile(folder))) return [];
  try {
    const { adapters } = readProfile(profileFile(folder));
    return [...new Set(devicePaths(adapters))].map((path) => ({ name: "port", ...found(path) }));
  } catch (error) {
    return [{ name: "profile", ok: false, detail: (error as Error).message }];
  }
}

/** Returns every device path in an adapter's settings, at any depth. */
function devicePaths(settings: unknown): string[] {
  if (typeof settings === "string") return settings.startsWith("/dev/") ? [settings] : [];
  if (typeof settings !== "object" || settings === null) return [];
  return Object.values(settings).flatMap(devicePaths);
}

function found(path: string): Omit<Check, "name"> {
  if (!existsSync(path)) return { ok: false, detail: `there is no ${path}: is it plugged in?` };
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return { ok: true, detail: path };
  } catch {
    return { ok: false, detail: `${path} may not be used: put the user of the hub into its group` };
  }
}
