import type { ConfigurationItem, ConfigurationValue, ConfigurationValues } from "@ledge/model";
import { limits } from "@ledge/model";
import type { DeviceAction, ZclRead } from "./action.ts";
import { clusterNamed } from "./attributes.ts";
import { correctionItems } from "./corrections.ts";
import { partOf, wholeOf } from "./exposes/leaf.ts";
import type { ExposedSetting } from "./exposes/settings.ts";
import { codeActions, codeItems, codeValues } from "./lock-codes.ts";
import type { ClusterSetting } from "./setting.ts";
import { actionOf } from "./cluster.ts";
import type { Unit } from "./unit.ts";
import { isRecord, type Values, valuesOf } from "./values.ts";

/** Returns the settings of a unit with CONFIGURABLE, in display order. */
export function settingItems(unit: Unit): readonly ConfigurationItem[] {
  const own = unit.known?.settings.map(({ item }) => item);
  const items = own ?? standardSettings(unit).map(({ setting }) => setting.item);
  return [...items, ...codeItems(unit), ...correctionItems(unit)].slice(0, limits.configurationItems);
}

/**
 * Returns the known values of settings, without those of corrections: standard ones from what was read of the device, others from what its
 * definition's converters made of messages.
 */
export function settingValues(unit: Unit, properties: Values = {}): ConfigurationValues {
  const values = unit.known
    ? unit.known.settings.map(
        (each) => [each.item.name, each.from(partOf(each, properties[each.property]))] as const,
      )
    : standardSettings(unit).map(({ setting, value }) => [setting.item.name, setting.from(value)] as const);
  const known = Object.fromEntries(
    values.filter((entry): entry is readonly [string, ConfigurationValue] => entry[1] !== undefined),
  );
  return { ...known, ...codeValues(unit, properties) };
}

/**
 * Returns the reads of settings of standard clusters that the device has not reported, for units without a
 * definition.
 */
export function settingFactsToRead(units: readonly Unit[]): readonly ZclRead[] {
  return units
    .filter(({ known }) => known === undefined)
    .flatMap(({ served }) =>
      served.flatMap(({ endpoint, cluster }): readonly ZclRead[] => {
        const names = (clusterNamed(cluster)?.settings ?? []).map(({ attribute }) => attribute);
        const attributes = names.filter((name) => valuesOf(endpoint.values, cluster)[name] === undefined);
        return attributes.length === 0 ? [] : [{ kind: "read", endpoint: endpoint.id, cluster, attributes }];
      }),
    );
}

/**
 * Returns the actions that set the settings; ignores settings that the unit does not have.
 * @param properties the known values: a property with parts is set as a whole
 */
export function settingActions(
  unit: Unit,
  parameters: ConfigurationValues,
  properties: Values = {},
): readonly DeviceAction[] {
  return [...ownActions(unit, parameters, properties), ...codeActions(unit, parameters)];
}

function ownActions(
  unit: Unit,
  parameters: ConfigurationValues,
  properties: Values,
): readonly DeviceAction[] {
  const wanted = (name: string): ConfigurationValue | undefined =>
    Object.hasOwn(parameters, name) ? parameters[name] : undefined;
  if (unit.known) {
    const given = unit.known.settings.flatMap((setting) => {
      const value = wanted(setting.item.name);
      return value === undefined ? [] : [{ setting, value }];
    });
    const names = new Set(given.map(({ setting }) => setting.property));
    return [...names].flatMap((property) => {
      const parts = given.filter(({ setting }) => setting.property === property);
      const [alone, together] = [true, undefined].map((one) =>
        parts.filter(({ setting }) => setting.alone === one),
      );
      return [
        ...(alone ?? []).flatMap((part) => settingAction([part], undefined)),
        ...settingAction(together ?? [], properties[property]),
      ];
    });
  }
  return standardSettings(unit).flatMap(({ setting, endpoint, cluster }) => {
    const value = wanted(setting.item.name);
    if (value === undefined) return [];
    const values = { [setting.attribute]: setting.to(value) };
    return [actionOf({ kind: "write", values }, endpoint, cluster)];
  });
}

interface Given {
  readonly setting: ExposedSetting;
  readonly value: ConfigurationValue;
}

/** Returns the action that sets parts of one property. */
function settingAction(given: readonly Given[], known: unknown): readonly DeviceAction[] {
  const [first] = given;
  if (first === undefined) return [];
  const { key, endpoint } = first.setting;
  const parts = given.map(({ setting, value }) => ({ path: setting.path, value: setting.to(value) }));
  if (parts.some(({ value }) => value === undefined)) return [];
  const whole = isRecord(known) ? wholeOf([{ path: [], value: known }, ...parts]) : wholeOf(parts);
  return [{ kind: "convert", key, endpointName: endpoint, value: whole }];
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
