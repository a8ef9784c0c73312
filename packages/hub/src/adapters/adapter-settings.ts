import { mkdirSync } from "node:fs";
import { modelsFolder } from "../folder/folder.ts";

/** Adapters that connect to addresses which users name. */
const guarded = ["onvif", "upnp"] as const;

/**
 * Returns the settings of the adapters of a profile, with the folders in which users describe devices, and with what
 * addresses they may ask. Makes those folders. A profile may name another.
 * @param folder the data folder
 */
export function adapterSettings(
  adapters: Readonly<Record<string, unknown>>,
  { localTargets }: { readonly localTargets?: boolean },
  folder: string,
): Record<string, unknown> {
  const settings = { ...adapters };
  if (isObject(settings["modbus"])) {
    const models = modelsFolder(folder, "modbus");
    mkdirSync(models, { recursive: true });
    settings["modbus"] = { modelsFolder: models, ...settings["modbus"] };
  }
  for (const name of guarded)
    if (localTargets === true && isObject(settings[name]))
      settings[name] = { localTargets, ...settings[name] };
  return settings;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
