import type { Entity, Wanted } from "./entity.ts";
import { onOffOf, valueOf } from "./entity.ts";

type Json = Readonly<Record<string, unknown>>;

/** A value for which the hub has no attribute, as devices describe it. */
interface Extra {
  readonly fieldType?: unknown;
  readonly unit?: unknown;
  readonly writable?: unknown;
  readonly momentary?: unknown;
  readonly minValue?: unknown;
  readonly maxValue?: unknown;
  readonly options?: unknown;
}

/** Returns the entities of what a device shows or takes besides its attributes. */
export function extrasOf({ device, places, takes }: Wanted): readonly Entity[] {
  const extras = Object.entries({
    ...(device.state["extras"] as Readonly<Record<string, Extra>> | undefined),
  });
  return extras.flatMap(([name, extra]): readonly Entity[] => {
    const attribute = `extras.${name}`;
    const isWritable = extra.writable === true && takes(attribute);
    const kind = isWritable ? writable(extra) : readable(extra);
    if (kind === undefined || (!isWritable && extra.momentary === true)) return [];
    const template = (extra.fieldType === "BOOL" ? onOffOf : valueOf)(`extras']['${name}`);
    const config = {
      ...(extra.momentary === true ? {} : { state_topic: places.state, value_template: template }),
      ...(isWritable && { command_topic: places.setOne(attribute), entity_category: "config" }),
      ...kind.config,
    };
    return [{ component: kind.component, key: `extra_${name}`, name: words(name), config }];
  });
}

function writable({
  fieldType,
  options,
  minValue,
  maxValue,
  unit,
}: Extra): Pick<Entity, "component" | "config"> | undefined {
  switch (fieldType) {
    case "BOOL":
      return { component: "switch", config: {} };
    case "NUMBER": {
      const [min, max] = [Number(minValue ?? -1_000_000), Number(maxValue ?? 1_000_000)];
      if (!(min < max)) return undefined;
      const step = Number.isInteger(min) && Number.isInteger(max) && max - min >= 10 ? 1 : 0.1;
      return { component: "number", config: { min, max, step, mode: "box", ...unitOf(unit) } };
    }
    case "OPTION": {
      const all = Array.isArray(options) ? options.map(String) : [];
      return all.length > 0 ? { component: "select", config: { options: all } } : undefined;
    }
    default:
      return { component: "text", config: { max: 255 } };
  }
}

function readable({ fieldType, unit }: Extra): Pick<Entity, "component" | "config"> {
  if (fieldType === "BOOL") return { component: "binary_sensor", config: {} };
  const config = fieldType === "NUMBER" ? { ...unitOf(unit), state_class: "measurement" } : {};
  return { component: "sensor", config };
}

const unitOf = (unit: unknown): Json =>
  typeof unit === "string" && unit !== "" ? { unit_of_measurement: unit } : {};

function words(name: string): string {
  const spaced = name.replaceAll(/[_.-]+/g, " ").trim();
  return spaced === "" ? name : spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
