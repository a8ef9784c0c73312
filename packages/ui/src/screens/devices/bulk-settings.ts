import type { CfgItem, ConfigurationObject } from "@ledge/model";
import { type Fate, fatesOf } from "../../parts/settings.ts";

/** What of a device says whether many share their settings. */
export interface Configurable {
  readonly manufacturer: string | null;
  readonly model: string | null;
  readonly capabilities: { readonly values: readonly string[] };
}

/** Returns the model that devices share; undefined if they differ, it is not known, or one has no settings. */
export function modelOf(devices: readonly Configurable[]): string | undefined {
  const [first] = devices;
  if (first?.model === undefined || first.model === null) return undefined;
  const isSame = devices.every(
    ({ manufacturer, model, capabilities }) =>
      manufacturer === first.manufacturer &&
      model === first.model &&
      capabilities.values.includes("CONFIGURABLE"),
  );
  return isSame ? first.model : undefined;
}

/** Returns the settings that many devices may take at once: a secret cannot be put back. */
export function sharedItems({ template }: Pick<ConfigurationObject, "template">): readonly CfgItem[] {
  return (template?.parameters ?? []).filter(({ readOnly, secret }) => !readOnly && secret !== true);
}

/** What became of a setting at one of many devices. */
export type Taken = { readonly status: "taken" } | Fate;

/** Returns what became of a setting at a device. */
export function takenBy(of: ConfigurationObject, name: string): Taken {
  const { of: fates, message } = fatesOf(of, [{ name }]);
  const fate = fates.get(name);
  if (fate === undefined) return { status: "taken" };
  return fate.status === "missed" && message !== "" ? { status: "refused", message } : fate;
}
