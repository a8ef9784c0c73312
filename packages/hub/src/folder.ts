import { join, resolve } from "node:path";

/** Where a hub keeps its data when nobody says otherwise: one folder per profile below the working folder. */
export function defaultFolder(profile: string): string {
  return resolve(".data", profile);
}

/** The log's folder within a data folder. */
export function logFolder(folder: string): string {
  return join(folder, "log");
}

/** The profile that last ran on a data folder, for the `ledge` command. */
export function profileFile(folder: string): string {
  return join(folder, "profile.json");
}
