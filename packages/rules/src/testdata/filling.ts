import type { Device } from "@ledge/model";
import { isSettable } from "@ledge/model";
import type { Random } from "@ledge/testkit";
import type { DeviceField, ValueField } from "../catalogue/field.ts";
import type { Template } from "../catalogue/template.ts";
import type { RuleOf } from "./house.ts";

const most = 4;

/**
 * Fills the fields of a template with existing devices and scenes; undefined when a field finds too few.
 * Outputs are never inputs, so most rules do not hear themselves.
 */
export function filledIn(
  { inputs, outputs, extras }: Template,
  devices: readonly Device[],
  scenes: readonly string[],
  random: Random,
): RuleOf | undefined {
  const used = new Set<string>();
  const chosen = (fields: Readonly<Record<string, DeviceField>>): RuleOf["inputs"] => {
    const found = Object.entries(fields).map(([name, { capabilities, min, max }]) => {
      const fitting = devices.filter(
        ({ id, capabilities: { values } }) =>
          !used.has(id) && capabilities.some((capability) => values.includes(capability)),
      );
      const count = Math.min(max, fitting.length, Math.max(min, random(most)));
      const ids = some(fitting, count, random).map(({ id }) => id);
      for (const id of ids) used.add(id);
      return ids.length < min ? undefined : ([name, ids] as const);
    });
    return found.some((field) => field === undefined)
      ? undefined
      : Object.fromEntries(found.flatMap((field) => (field === undefined ? [] : [field])));
  };
  const given = chosen(inputs);
  const driven = chosen(outputs);
  if (given === undefined || driven === undefined) return undefined;
  const values = Object.entries(extras).map(([name, field]) => [name, valuesOf(field, scenes, random)]);
  return { inputs: given, outputs: driven, extras: Object.fromEntries(values) };
}

/** An attribute that many devices show, for each kind of field. */
const shownAs = { number: "temperature", boolean: "isOn", text: "mode" } as const;

/** Returns values for fields without a default, and now and then another value than the default. */
function valuesOf(field: ValueField, scenes: readonly string[], random: Random): readonly object[] {
  const { fieldType, min, max, minValue, maxValue, standard } = field;
  if (fieldType === "SCENE") {
    return some(scenes, Math.min(max, scenes.length, Math.max(min, 1)), random).map((value) => ({
      type: fieldType,
      value,
    }));
  }
  if (fieldType === "TIME_RANGE") return min > 0 || random(2) === 0 ? [someRange(random)] : [];
  if (fieldType === "ATTRIBUTE") return [{ type: fieldType, value: shownAs[field.shows ?? "number"] }];
  if (fieldType === "BOOLEAN") return [{ type: fieldType, value: random(2) === 0 }];
  if (fieldType === "TIME_DELTA_MS" && typeof standard === "number") {
    const value = Math.round(Math.max(minValue ?? 0, standard / (1 + random(4))));
    return [{ type: fieldType, value }];
  }
  if (min === 0) return [];
  return [
    { type: fieldType, value: minValue === null ? "" : Math.round((minValue + (maxValue ?? minValue)) / 2) },
  ];
}

function someRange(random: Random): object {
  const start = random(1440);
  return {
    type: "TIME_RANGE",
    enabled: true,
    weekdays: [],
    start: { type: "TIME_OF_DAY", value: start },
    end: { type: "TIME_OF_DAY", value: (start + 60 + random(600)) % 1440 },
    validFrom: null,
    validTo: null,
  };
}

/** Returns a random next state of a device. */
export function somethingShown(device: Device, random: Random): Readonly<Record<string, unknown>> {
  const shown = Object.entries(device.state).filter(
    ([name, value]) =>
      !/^(?:reachable|last.*|.*At)$/.test(name) && (typeof value === "boolean" || typeof value === "number"),
  );
  const [name, value] = shown[random(shown.length)] ?? ["reachable", false];
  if (typeof value === "boolean") return { [name]: !value };
  return { [name]: name === "brightness" ? (1 + random(10)) / 10 : 1 + random(60) };
}

/** Whether people can switch a device. */
export const isSwitched = (device: Device): boolean => isSettable(device, "isOn");

function some<Of>(of: readonly Of[], count: number, random: Random): readonly Of[] {
  const left = [...of];
  return Array.from({ length: count }, () => left.splice(random(left.length), 1)).flat();
}
