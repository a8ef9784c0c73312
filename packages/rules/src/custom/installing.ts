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
import { misfit } from "../config.ts";
import type { Template } from "../template.ts";
import { lineIn } from "./json-source.ts";
import { checkCustomRule } from "./trial.ts";

/** SHA-256 of a text in UTF-8, hexadecimal. */
export type Hash = (text: string) => string;

/** The command that installs a source, or why it cannot be installed, with the line that is wrong. */
export function installing(source: string, hash: Hash): InstallCustomRule | Rejection {
  const checked = checkCustomRule(source);
  if (isRejection(checked)) return withLine(checked, source);
  const { configType: id } = checked.template;
  return { type: "INSTALL_CUSTOM_RULE", id, source, hash: hash(source) };
}

/** What is wrong with a source, with the line on which it is. */
export function withLine(rejection: Rejection, source: string): Rejection {
  const line = rejection.field === undefined ? undefined : lineIn(source, rejection.field);
  return line === undefined ? rejection : { ...rejection, message: `${rejection.message} (line ${line})` };
}

/** The custom rules of a hub: nothing gets into its log that could not be read again. */
export function customRules(hash: Hash): Decider<CustomRule, CustomRuleCommand, CustomRuleEvent> {
  return {
    ...customRule,
    decide(command, state, world) {
      if (command.type === "REMOVE_CUSTOM_RULE") return customRule.decide(command, state, world);
      const checked = checkCustomRule(command.source);
      if (isRejection(checked)) return checked;
      const { template } = checked;
      if (template.configType !== command.id)
        return reject("invalid", `it is ${template.configType}`, "configType");
      return (
        outgrown(template, world) ??
        customRule.decide({ ...command, hash: hash(command.source) }, state, world)
      );
    },
  };
}

/** Why the rules that are of a template cannot be of its next version. */
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
