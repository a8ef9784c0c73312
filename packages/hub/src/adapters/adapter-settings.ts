import { mkdirSync } from "node:fs";
import { modelsFolder } from "../folder/folder.ts";

/**
 * Returns the settings of the adapters of a profile, with the folders in which users describe devices. Makes those
 * folders. A profile may name another.
 * @param folder the data folder
 */
export function adapterSettings(
  adapters: Readonly<Record<string, unknown>>,
  folder: string,
): Record<string, unknown> {
  const { modbus, ...others } = adapters;
  if (typeof modbus !== "object" || modbus === null || Array.isArray(modbus)) return { ...adapters };
  const models = modelsFolder(folder, "modbus");
  mkdirSync(models, { recursive: true });
  return { ...others, modbus: { modelsFolder: models, ...modbus } };
}
