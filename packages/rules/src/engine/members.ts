import type { Device, Reader, RuleConfig, RuleState } from "@ledge/model";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { DeviceField } from "../catalogue/field.ts";
import { ruleOf } from "./scheduled.ts";
import type { Template } from "../catalogue/template.ts";

type Fields = RuleConfig["inputs"];
type Read = Pick<Reader, "get">;

/** A rule as its machines work with it: groups are replaced by their members. */
export interface WorkingRule extends RuleState {
  /** By device: the group that brought it into an output. */
  readonly groups?: ReadonlyMap<string, string>;
}

/** Returns a rule with the present members of its groups, also one that the hub makes of time ranges. */
export function workingRule(id: string, read: Read, catalogue: Catalogue): WorkingRule | undefined {
  const rule = ruleOf(id, read);
  return rule && atWork(rule, read, catalogue);
}

/** Returns a rule with the members that its groups have in `read`; the rule itself when it names no group. */
export function atWork(rule: RuleState, read: Read, catalogue: Catalogue): WorkingRule {
  const { config } = rule;
  if (groupless.has(config)) return rule;
  const template = catalogue.template(config.configType, read);
  const resolved = withMembers(config, template, read);
  if (resolved === config) return rule;
  // The same object as long as the members are the same, for caches that use the CONFIG as their key.
  const known = resolutions.get(rule);
  const groups = outputGroups(config, resolved, read);
  if (known !== undefined && isSame(known.config, resolved) && isSameMap(known.groups, groups)) return known;
  const working = { ...rule, config: resolved, groups };
  resolutions.set(rule, working);
  return working;
}

/**
 * Returns a CONFIG with groups replaced by their members: those that fit the field, each once, as many as it
 * takes. Returns the CONFIG itself when it names no group.
 * @param template left out: all members are taken
 */
export function withMembers<Config extends Pick<RuleConfig, "inputs" | "outputs">>(
  config: Config,
  template: Pick<Template, "inputs" | "outputs"> | undefined,
  read: Read,
): Config {
  const ids = namedBy(config);
  if (!ids.some((id) => read.get("group", id) !== undefined)) {
    // An unknown id may become a group's.
    if (ids.every((id) => read.get("device", id) !== undefined)) groupless.add(config);
    return config;
  }
  const resolve = (fields: Fields, declared: Readonly<Record<string, DeviceField>> = {}): Fields =>
    Object.fromEntries(
      Object.entries(fields).map(([name, given]) => [name, filled(given, declared[name], read)]),
    );
  return {
    ...config,
    inputs: resolve(config.inputs, template?.inputs),
    outputs: resolve(config.outputs, template?.outputs),
  };
}

/** Returns the devices that ids of devices and groups stand for, whatever they can do. */
export function devicesBehind(ids: readonly string[], read: Read): readonly string[] {
  return ids.flatMap((id) => read.get("group", id)?.members ?? id);
}

/** Returns the groups that a CONFIG names. */
export function groupsIn(config: Pick<RuleConfig, "inputs" | "outputs">, read: Read): readonly string[] {
  if (groupless.has(config)) return [];
  return [...new Set(namedBy(config))].filter((id) => read.get("group", id) !== undefined);
}

/** Returns whether a device has a capability that a field asks for. */
export function fits({ capabilities }: Pick<Device, "capabilities">, field: DeviceField): boolean {
  return field.capabilities.some((capability) => capabilities.values.includes(capability));
}

/** CONFIGs that name only devices. */
const groupless = new WeakSet<object>();
const resolutions = new WeakMap<RuleState, WorkingRule & { readonly groups: ReadonlyMap<string, string> }>();

function namedBy({ inputs, outputs }: Pick<RuleConfig, "inputs" | "outputs">): readonly string[] {
  return [...Object.values(inputs), ...Object.values(outputs)].flat();
}

function filled(given: readonly string[], field: DeviceField | undefined, read: Read): string[] {
  if (!given.some((id) => read.get("group", id) !== undefined)) return [...given];
  const found = new Set<string>();
  for (const id of given) {
    const group = read.get("group", id);
    if (group === undefined) found.add(id);
    for (const member of group?.members ?? []) {
      const device = read.get("device", member);
      if (device !== undefined && (field === undefined || fits(device, field))) found.add(member);
    }
  }
  return [...found].slice(0, field?.max ?? Infinity);
}

/** A device that the CONFIG also names directly is commanded directly. */
function outputGroups(named: RuleConfig, resolved: RuleConfig, read: Read): ReadonlyMap<string, string> {
  const own = new Set(Object.values(named.outputs).flat());
  const driven = new Set(Object.values(resolved.outputs).flat());
  const found = new Map<string, string>();
  for (const id of own) {
    for (const member of read.get("group", id)?.members ?? [])
      if (driven.has(member) && !own.has(member) && !found.has(member)) found.set(member, id);
  }
  return found;
}

function isSame(one: RuleConfig, other: RuleConfig): boolean {
  return JSON.stringify([one.inputs, one.outputs]) === JSON.stringify([other.inputs, other.outputs]);
}

function isSameMap(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one].every(([key, value]) => other.get(key) === value);
}
