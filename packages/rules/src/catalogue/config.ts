import type {
  Decider,
  Language,
  Rejection,
  RuleTemplate,
  RuleCommand,
  RuleConfig,
  RuleEvent,
  RuleState,
  World,
} from "@ledge/model";
import { hasFeature, isRejection, reject, rule } from "@ledge/model";
import type { Catalogue } from "./catalogue.ts";
import type { DeviceField, ValueField } from "./field.ts";
import { devicesBehind, fits, withMembers } from "../engine/members.ts";
import type { Template } from "./template.ts";
import { describeTemplate } from "./descriptor.ts";
import { understood, valueProblem } from "./value.ts";

/** A CONFIG as clients send it; without an id it creates a rule. */
type Wanted = Pick<RuleConfig, "configType" | "inputs" | "outputs" | "extras">;

/** The decider of rules when the hub's templates are known: a CONFIG has to fit its template. */
export function rulesOf(catalogue: Catalogue): Decider<RuleState, RuleCommand, RuleEvent> {
  return {
    ...rule,
    decide(command, state, world) {
      const decision = rule.decide(command, state, world);
      if (command.type !== "SET_RULE" || isRejection(decision)) return decision;
      return configProblem(command.config, state, catalogue, world) ?? decision;
    },
  };
}

/**
 * Returns why a CONFIG does not fit its template; undefined when it does. Every field of the template must be
 * present. Values of unknown types, and fields that the template does not have, are kept as they are.
 */
function configProblem(
  config: Wanted,
  state: RuleState | undefined,
  catalogue: Catalogue,
  world: World,
): Rejection | undefined {
  const { configType } = config;
  const template = catalogue.template(configType, world);
  if (template === undefined || template.internal) {
    return reject("invalid", `there is no template ${configType}`, "configType");
  }
  const { feature } = template;
  if (feature !== undefined && !hasFeature(feature, world)) {
    return reject("forbidden", `the hub has no ${feature}`, "configType");
  }
  if (state !== undefined && state.config.configType !== configType) {
    return reject("invalid", `the rule is a ${state.config.configType} and stays one`, "configType");
  }
  const resolved = withMembers({ ...config, ...idOf(state) }, template, world);
  return misfit(template, config, world) ?? template.check?.(resolved, world);
}

/** Returns which field of a CONFIG does not fit a template. */
export function misfit(template: Template, config: Wanted, world: World): Rejection | undefined {
  for (const part of ["inputs", "outputs"] as const) {
    const problem = devicesProblem(part, template[part], config, world);
    if (problem !== undefined) return problem;
  }
  return extrasProblem(template, config, world);
}

/** Returns the templates that a hub offers with its features, as clients get them. */
export function offeredTemplates(
  catalogue: Catalogue,
  read: Pick<World, "all" | "get">,
  language: Language,
): readonly RuleTemplate[] {
  return [...catalogue.templates, ...catalogue.installed(read)]
    .filter(({ internal, feature }) => !internal && (feature === undefined || hasFeature(feature, read)))
    .map((template) => describeTemplate(template, language));
}

function idOf(state: RuleState | undefined): Pick<RuleConfig, "type" | "id" | "name"> {
  return { type: "CONFIG", id: state?.id ?? "", name: state?.config.name ?? "" };
}

function devicesProblem(
  part: "inputs" | "outputs",
  fields: Template["inputs"],
  config: Wanted,
  world: World,
): Rejection | undefined {
  for (const [name, field] of Object.entries(fields)) {
    const path = `${part}.${name}`;
    const ids = Object.hasOwn(config[part], name) ? config[part][name] : undefined;
    if (ids === undefined) return reject("invalid", `${name} is missing: give an empty list for none`, path);
    const count = countProblem(ids.length, field, path);
    if (count !== undefined) return count;
    if (new Set(ids).size < ids.length) return reject("invalid", `${name} names a device twice`, path);
    for (const [index, id] of ids.entries()) {
      const device = world.get("device", id);
      const group = world.get("group", id);
      if (device === undefined && group === undefined)
        return reject("invalid", `no device ${id}`, `${path}.${index}`);
      const members = (group?.members ?? []).flatMap((member) => world.get("device", member) ?? []);
      if (![...members, device ?? []].flat().some((one) => fits(one, field))) {
        const wanted = field.capabilities.join(" or ");
        const lacking = device?.name ?? `the group ${group?.name}`;
        return reject("invalid", `${lacking} has no ${wanted}`, `${path}.${index}`);
      }
    }
    const all = new Set(devicesBehind(ids, world));
    const fitting = [...all].filter((id) => {
      const device = world.get("device", id);
      return device !== undefined && fits(device, field);
    });
    if (fitting.length > field.max)
      return reject("invalid", `at most ${field.max} wanted, members of groups included`, path);
  }
  return undefined;
}

function extrasProblem({ extras }: Template, config: Wanted, world: World): Rejection | undefined {
  for (const [name, field] of Object.entries(extras)) {
    const path = `extras.${name}`;
    const values = (Object.hasOwn(config.extras, name) ? config.extras[name] : undefined) ?? [];
    const count = countProblem(values.length, field, path);
    if (count !== undefined) return count;
    if (understood(values, field).length < field.min)
      return reject("invalid", `a ${field.fieldType} is wanted`, `${path}.0`);
    for (const [index, value] of values.entries()) {
      const problem = valueProblem(value, field, world);
      if (problem !== undefined) return reject("invalid", `${name}: ${problem}`, `${path}.${index}`);
    }
  }
  return undefined;
}

function countProblem(
  count: number,
  { min, max }: DeviceField | ValueField,
  path: string,
): Rejection | undefined {
  if (count < min) return reject("invalid", `at least ${min} wanted`, path);
  return count > max ? reject("invalid", `at most ${max} wanted`, path) : undefined;
}
