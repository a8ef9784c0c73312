import type { ConfigurationItem, ConfigurationValue, ConfigurationValues } from "@ledge/model";
import type { DeviceAction } from "./action.ts";
import { clusterNamed } from "./attributes.ts";
import type { ClusterSetting } from "./setting.ts";
import { actionOf } from "./cluster.ts";
import type { Unit } from "./unit.ts";
import { type Values, valuesOf } from "./values.ts";

/** Returns the settings of a unit with CONFIGURABLE, in display order. */
export function settingItems(unit: Unit): readonly ConfigurationItem[] {
  if (unit.known) return unit.known.settings.map(({ item }) => item);
  return standardSettings(unit).map(({ setting }) => setting.item);
}

/**
 * Returns the known values of settings: standard ones from what was read of the device, others from what its
 * definition's converters made of messages.
 */
export function settingValues(unit: Unit, properties: Values = {}): ConfigurationValues {
  const values = unit.known
    ? unit.known.settings.map(({ item, property, from }) => [item.name, from(properties[property])] as const)
    : standardSettings(unit).map(({ setting, value }) => [setting.item.name, setting.from(value)] as const);
  return Object.fromEntries(
    values.filter((entry): entry is readonly [string, ConfigurationValue] => entry[1] !== undefined),
  );
}

/** Returns the actions that set the settings; ignores settings that the unit does not have. */
export function settingActions(unit: Unit, parameters: ConfigurationValues): readonly DeviceAction[] {
  const wanted = (name: string): ConfigurationValue | undefined =>
    Object.hasOwn(parameters, name) ? parameters[name] : undefined;
  if (unit.known)
    return unit.known.settings.flatMap(({ item, key, endpoint, to }): DeviceAction[] => {
      const value = wanted(item.name);
      return value === undefined ? [] : [{ kind: "convert", key, endpointName: endpoint, value: to(value) }];
    });
  return standardSettings(unit).flatMap(({ setting, endpoint, cluster }) => {
    const value = wanted(setting.item.name);
    if (value === undefined) return [];
    const values = { [setting.attribute]: setting.to(value) };
    return [actionOf({ kind: "write", values }, endpoint, cluster)];
  });
}

interface StandardSetting {
  readonly setting: ClusterSetting;
  readonly endpoint: number;
  readonly cluster: string;
  readonly value: unknown;
}

/** The settings that the device has reported; it does not have the others. */
function standardSettings({ served }: Unit): readonly StandardSetting[] {
  return served.flatMap(({ endpoint, cluster }) =>
    (clusterNamed(cluster)?.settings ?? []).flatMap((setting) => {
      const value = valuesOf(endpoint.values, cluster)[setting.attribute];
      return value === undefined ? [] : [{ setting, endpoint: endpoint.id, cluster, value }];
    }),
  );
}
