import type { Device, RuleConfig } from "@ledge/model";
import type { DeviceField, ValueField } from "../catalogue/field.ts";
import type { Template } from "../catalogue/template.ts";

/** A template whose fields are filled with devices. */
export interface Filled {
  readonly inputs: RuleConfig["inputs"];
  readonly outputs: RuleConfig["outputs"];
  readonly used: readonly Device[];
  /** The optional fields that found devices. */
  readonly optional: readonly string[];
}

/**
 * Fills the fields of a template with suitable devices, in their order and each device once; undefined when a
 * field finds too few.
 */
export function filledBy({ inputs, outputs }: Template, pool: readonly Device[]): Filled | undefined {
  const used = new Map<string, Device>();
  const optional: string[] = [];
  const filled: Record<string, string[]>[] = [];
  for (const fields of [inputs, outputs]) {
    const part: Record<string, string[]> = {};
    for (const [name, field] of Object.entries(fields)) {
      const found = pool.filter((device) => !used.has(device.id) && fits(device, field)).slice(0, field.max);
      if (found.length < field.min) return undefined;
      if (field.min === 0 && found.length > 0) optional.push(name);
      for (const device of found) used.set(device.id, device);
      part[name] = found.map(({ id }) => id);
    }
    filled.push(part);
  }
  const [first = {}, second = {}] = filled;
  return { inputs: first, outputs: second, used: [...used.values()], optional };
}

function fits({ capabilities: { values } }: Device, { capabilities }: DeviceField): boolean {
  return capabilities.some((capability) => values.includes(capability));
}

/** Returns the default values of a template's extras, as a CONFIG has them. */
export function standardsOf({ extras }: Template): RuleConfig["extras"] {
  return Object.fromEntries(Object.entries(extras).map(([name, field]) => [name, standardOf(field)]));
}

function standardOf({ fieldType, standard }: ValueField): RuleConfig["extras"][string] {
  if (standard === null || standard === undefined) return [];
  const isList = Array.isArray(standard) && fieldType !== "WEEKDAYS";
  const values: readonly unknown[] = isList ? standard : [standard];
  if (fieldType === "TIME_RANGE") return values as RuleConfig["extras"][string];
  return values.map((value) => ({ type: fieldType, value }));
}
