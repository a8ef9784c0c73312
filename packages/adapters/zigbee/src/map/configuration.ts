import type { ConfigurationItem, ConfigurationValue, ConfigurationValues } from "@ledge/model";
import { limits } from "@ledge/model";
import { type ExposedSetting, type Values, isRecord, partOf, wholeOf } from "@ledge/exposes";
import type { DeviceAction, ZclAction } from "./action.ts";
import { clusterNamed } from "./attributes.ts";
import { correctionItems } from "./corrections.ts";
import { codeActions, codeItems, codeProblem, codesSaid, codeValues } from "./lock-codes.ts";
import type { Message } from "./message.ts";
import type { ClusterSetting } from "./setting.ts";
import { actionOf } from "./cluster.ts";
import {
  scheduleActions,
  scheduleItems,
  scheduleProblem,
  scheduleReadBack,
  scheduleSaid,
  scheduleValues,
} from "./thermostat-schedule.ts";
import type { Unit } from "./unit.ts";
import { valuesOf } from "./values.ts";

/** Returns the settings of a unit with CONFIGURABLE, in display order. */
export function settingItems(unit: Unit): readonly ConfigurationItem[] {
  const own = unit.known?.settings.map(({ item }) => item);
  const items = own ?? standardSettings(unit).map(({ setting }) => setting.item);
  return [...items, ...codeItems(unit), ...scheduleItems(unit), ...correctionItems(unit)].slice(
    0,
    limits.configurationItems,
  );
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
  return { ...known, ...codeValues(unit, properties), ...scheduleValues(unit, properties) };
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
  return [
    ...ownActions(unit, parameters, properties),
    ...codeActions(unit, parameters),
    ...scheduleActions(unit, parameters),
  ];
}

/** Returns why a device cannot take these settings; undefined when it can. */
export function settingProblem(unit: Unit, parameters: ConfigurationValues): string | undefined {
  return codeProblem(unit, parameters) ?? scheduleProblem(unit, parameters);
}

/**
 * Returns the wanted settings without the days of a weekly schedule that are empty and stay so: no frame empties a day.
 * @param properties the known values
 */
export function withoutEmptyDays(
  unit: Unit,
  parameters: ConfigurationValues,
  properties: Values,
): ConfigurationValues {
  const known = settingValues(unit, properties);
  const ofModel = (unit.known?.settings ?? []).filter(({ alone }) => alone).map(({ item }) => item);
  const days = new Set([...ofModel, ...scheduleItems(unit)].map(({ name }) => name));
  const isLeft = (name: string, value: unknown): boolean =>
    days.has(name) && value === "" && known[name] === "";
  return Object.fromEntries(Object.entries(parameters).filter((entry) => !isLeft(...entry)));
}

/** Returns the actions that show what a device keeps after `settingActions`. */
export function readBacksOf(actions: readonly DeviceAction[]): readonly ZclAction[] {
  return actions.flatMap((action): readonly ZclAction[] => {
    if (action.kind === "convert") return [];
    if (action.kind !== "write") return scheduleReadBack(action);
    const { endpoint, cluster, values } = action;
    return [{ kind: "read", endpoint, cluster, attributes: Object.keys(values) }];
  });
}

/** Returns what a message says about settings that are no attributes, by their names. */
export function settingsSaid(unit: Unit, message: Message): Values {
  return { ...codesSaid(unit, message), ...scheduleSaid(unit, message) };
}

/** Returns the names of settings whose last values count until the device says others, also after a restart. */
export function keptSettings(unit: Unit): ReadonlySet<string> {
  const own = (unit.known?.settings ?? []).map(({ item }) => item.name);
  return new Set([...own, ...scheduleItems(unit).map(({ name }) => name)]);
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
  const given = standardSettings(unit).flatMap((each) => {
    const value = wanted(each.setting.item.name);
    return value === undefined ? [] : [{ ...each, wanted: value }];
  });
  return writesOf(given);
}

/** Returns the writes of standard settings, one for each attribute: some hold several settings. */
function writesOf(
  given: readonly (StandardSetting & { readonly wanted: ConfigurationValue })[],
): readonly DeviceAction[] {
  const writes = new Map<string, { endpoint: number; cluster: string; attribute: string; value: unknown }>();
  for (const { setting, endpoint, cluster, value, wanted } of given) {
    const { attribute } = setting;
    const key = `${endpoint} ${cluster} ${attribute}`;
    const now = writes.get(key)?.value ?? value;
    writes.set(key, { endpoint, cluster, attribute, value: setting.to(wanted, now) });
  }
  return [...writes.values()].map(({ endpoint, cluster, attribute, value }) =>
    actionOf({ kind: "write", values: { [attribute]: value } }, endpoint, cluster),
  );
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
      const isThere = value !== undefined && (setting.suits?.(endpoint) ?? true);
      return isThere ? [{ setting, endpoint: endpoint.id, cluster, value }] : [];
    }),
  );
}
