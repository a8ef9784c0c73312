import type { DeviceDescription, NativeId } from "@ledge/port";
import type { ZWaveController, ZWaveNode } from "zwave-js";
import type { NodeSetting } from "./configuration/item.ts";
import { configurationOf, settingsOf } from "./configuration/node-settings.ts";
import { factsOf } from "./facts.ts";
import { isUpgradable } from "./firmware/upgrades.ts";
import { type Unit, unitsOf } from "./map/units.ts";
import { setpoint } from "./map/climate.ts";
import { commandClass } from "./map/command-class.ts";
import { coveringOf } from "./map/covers.ts";
import type { NodeValue } from "./map/value.ts";
import { type KeptUnit, type KnownUnit, unitNative } from "./member.ts";

export const radio = "zwave";

/** Returns the units of an interviewed node, as the hub may have them. */
export function keptUnitsOf(
  node: ZWaveNode,
  native: NativeId,
  controller: ZWaveController,
): readonly KeptUnit[] {
  const facts = factsOf(node);
  const settings = settingsOf(node, controller);
  const types: ReadonlySet<unknown> = new Set(Object.values(setpoint));
  const units = unitsOf(facts);
  return units.map((unit, index) => {
    const values = facts.values.filter(({ endpoint }) => unit.endpoints.includes(endpoint));
    const known: KnownUnit = {
      ...unit,
      native: unitNative(native, unit, index),
      commandClasses: [...new Set(values.map((value) => value.commandClass))],
      setpoints: values
        .filter((value) => value.commandClass === commandClass.setpoint && types.has(value.propertyKey))
        .map(({ propertyKey }) => Number(propertyKey)),
      coverings: values.filter((value) => isCovering(value)).map(({ propertyKey }) => Number(propertyKey)),
    };
    const own = settingsFor(index, units, settings);
    const isUpgraded = index === 0 && isUpgradable(node);
    return { unit: known, description: descriptionOf(known, facts, own, isUpgraded) };
  });
}

function isCovering({ commandClass: of, property, propertyKey }: NodeValue): boolean {
  const isCurrent = of === commandClass.windowCovering && property === "currentValue";
  return isCurrent && coveringOf(propertyKey) !== undefined;
}

/** Returns the settings of a unit of an interviewed node. */
export function settingsOfUnit(
  node: ZWaveNode,
  member: NativeId,
  native: NativeId,
  controller: ZWaveController,
): readonly NodeSetting[] {
  const units = unitsOf(factsOf(node));
  const index = units.findIndex((unit, position) => unitNative(member, unit, position) === native);
  return settingsFor(index, units, settingsOf(node, controller));
}

/** Returns the settings of a unit, by its position. Those of endpoints without a unit are the first one's. */
function settingsFor(
  index: number,
  units: readonly Unit[],
  settings: readonly NodeSetting[],
): readonly NodeSetting[] {
  const ownerOf = ({ endpoint }: NodeSetting): number =>
    Math.max(
      units.findIndex(({ endpoints }) => endpoint !== 0 && endpoints.includes(endpoint)),
      0,
    );
  return settings.filter((setting) => ownerOf(setting) === index);
}

function descriptionOf(
  unit: KnownUnit,
  { manufacturer, model }: Pick<DeviceDescription, "manufacturer" | "model">,
  settings: readonly NodeSetting[],
  isUpgraded: boolean,
): DeviceDescription {
  const { native, name, buttons } = unit;
  const configuration = configurationOf(settings);
  const capabilities = [
    ...unit.capabilities,
    ...(configuration ? (["CONFIGURABLE"] as const) : []),
    ...(isUpgraded ? (["UPGRADE"] as const) : []),
  ];
  const extras = buttons.length > 0 && { extras: { buttons } };
  return {
    native,
    radio,
    class: unit.class,
    capabilities,
    name,
    manufacturer,
    model,
    ...extras,
    ...(configuration && { configuration }),
  };
}
