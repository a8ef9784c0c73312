import type { DeviceDescription, NativeId } from "@ledge/port";
import type { ZWaveNode } from "zwave-js";
import { factsOf } from "./facts.ts";
import { unitsOf } from "./map/units.ts";
import { setpoint } from "./map/climate.ts";
import { commandClass } from "./map/command-class.ts";
import { type KeptUnit, type KnownUnit, unitNative } from "./member.ts";

export const radio = "zwave";

/** Returns the units of an interviewed node, as the hub may have them. */
export function keptUnitsOf(node: ZWaveNode, native: NativeId): readonly KeptUnit[] {
  const facts = factsOf(node);
  const types: ReadonlySet<unknown> = new Set(Object.values(setpoint));
  return unitsOf(facts).map((unit, index) => {
    const values = facts.values.filter(({ endpoint }) => unit.endpoints.includes(endpoint));
    const known: KnownUnit = {
      ...unit,
      native: unitNative(native, unit, index),
      commandClasses: [...new Set(values.map((value) => value.commandClass))],
      setpoints: values
        .filter((value) => value.commandClass === commandClass.setpoint && types.has(value.propertyKey))
        .map(({ propertyKey }) => Number(propertyKey)),
    };
    return { unit: known, description: descriptionOf(known, facts) };
  });
}

function descriptionOf(
  unit: KnownUnit,
  { manufacturer, model }: Pick<DeviceDescription, "manufacturer" | "model">,
): DeviceDescription {
  const { native, capabilities, name, buttons } = unit;
  const extras = buttons.length > 0 && { extras: { buttons } };
  return { native, radio, class: unit.class, capabilities, name, manufacturer, model, ...extras };
}
