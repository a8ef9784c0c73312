import type {
  CustomRule,
  CustomRuleCommand,
  CustomRuleEvent,
  Decider,
  InstallCustomRule,
  Rejection,
  World,
} from "@ledge/model";
import { customRule, isRejection, reject } from "@ledge/model";
import { misfit } from "../catalogue/config.ts";
import type { Template } from "../catalogue/template.ts";
import { lineIn } from "./json-source.ts";
import { checkCustomRule } from "./trial.ts";

/** Returns the SHA-256 of a text in UTF-8, hexadecimal. */
export type Hash = (text: string) => string;

/** Returns the command that installs a source, or why it cannot be installed, with the line of the mistake. */
export function installing(source: string, hash: Hash): InstallCustomRule | Rejection {
  const checked = checkCustomRule(source);
  if (isRejection(checked)) return withLine(checked, source);
  const { configType: id } = checked.template;
  return { type: "INSTALL_CUSTOM_RULE", id, source, hash: hash(source) };
}

/** Adds the line of the mistake to a rejection of a source. */
export function withLine(rejection: Rejection, source: string): Rejection {
  const line = rejection.field === undefined ? undefined : lineIn(source, rejection.field);
  return line === undefined ? rejection : { ...rejection, message: `${rejection.message} (line ${line})` };
}

/**
 * The decider of custom rules, which checks every source again, so that the log holds none that it cannot
 * read back.
 */
export function customRules(hash: Hash): Decider<CustomRule, CustomRuleCommand, CustomRuleEvent> {
  return {
    ...customRule,
    decide(command, state, world) {
      if (command.type === "REMOVE_CUSTOM_RULE") return customRule.decide(command, state, world);
      const checked = checkCustomRule(command.source);
      if (isRejection(checked)) return checked;
      const { template } = checked;
      if (template.configType !== command.id)
        return reject("invalid", `must be ${template.configType}`, "configType");
      return (
        outgrown(template, world) ??
        customRule.decide({ ...command, hash: hash(command.source) }, state, world)
      );
    },
  };
}

/** Returns why the rules of a template do not fit its next version. */
function outgrown(template: Template, world: World): Rejection | undefined {
  for (const [id, { config }] of world.all("rule")) {
    if (config.configType !== template.configType) continue;
    const problem = misfit(template, config, world);
    if (problem === undefined) continue;
    const { field = "", message } = problem;
    return reject(
      "wrong-state",
      `the rule ${config.name} (${id}) would not fit: ${field}: ${message}`,
      "template",
    );
  }
  return undefined;
}
