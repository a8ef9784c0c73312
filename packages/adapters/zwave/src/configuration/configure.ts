import type { ConfigurationValue } from "@ledge/model";
import { AdapterError } from "@ledge/port";
import { faultOf } from "../fault.ts";
import type { NodeSetting } from "./item.ts";

/**
 * Sets the settings of a device, one after another, and checks that it keeps them. Nothing is set when one cannot be.
 * @throws AdapterError
 */
export async function configure(
  settings: readonly NodeSetting[],
  wanted: Readonly<Record<string, ConfigurationValue>>,
): Promise<void> {
  const named = new Map(settings.map((setting) => [setting.item.name, setting] as const));
  const changes = Object.entries(wanted).flatMap(([name, value]) => {
    const setting = named.get(name);
    return setting === undefined ? [] : [{ name, value, setting }];
  });
  if (changes.length === 0) throw new AdapterError("unsupported", "the device has none of these settings");
  for (const { name, value, setting } of changes) {
    const problem = setting.item.readOnly ? "cannot be changed" : setting.problem(value);
    if (problem !== undefined) throw new AdapterError("refused", `${name} ${problem}`);
  }
  for (const { name, value, setting } of changes) {
    const kept = await setting.set(value).catch((error: unknown) => {
      const { code, message } = faultOf(error);
      throw new AdapterError(code, `${name}: ${message}`, { cause: error });
    });
    if (kept !== undefined && !isKept(setting, value, kept))
      throw new AdapterError("refused", `${name}: the device keeps ${JSON.stringify(kept)}`);
  }
}

/** A list of nodes may come back in another order, each node once. */
function isKept({ item }: NodeSetting, value: ConfigurationValue, kept: ConfigurationValue): boolean {
  return item.fieldType === "TEXT" ? sorted(value) === sorted(kept) : value === kept;
}

function sorted(list: ConfigurationValue): string {
  const parts = String(list)
    .split(/[\s,]+/)
    .filter((part) => part !== "");
  return [...new Set(parts)].toSorted().join(" ");
}
