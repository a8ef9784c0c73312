import Type from "typebox";
import type { Decider, Reader } from "./decider.ts";
import { reject } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";
import { limits } from "./limits.ts";

/** A kind of rule that somebody has installed. The id is its `configType`. */
export interface CustomRule {
  readonly id: string;
  /** As it was sent, to the byte. */
  readonly source: string;
  /** SHA-256 of the source in UTF-8, hexadecimal. */
  readonly hash: string;
  /** 1, and one more each time that another source takes the place of the one before. */
  readonly version: number;
  /** Of the commit (ms). */
  readonly installedAt: number;
}

declare module "./states.ts" {
  interface States {
    customRule: CustomRule;
  }
}

/** Those of a home that CONFIGs are of. */
export function customRulesOf(
  configs: readonly { readonly configType: string }[],
  read: Pick<Reader, "get">,
): readonly CustomRule[] {
  const types = new Set(configs.map(({ configType }) => configType));
  return [...types].flatMap((type) => read.get("customRule", type) ?? []);
}

/** Installs a source, or the next version. */
export interface InstallCustomRule {
  readonly type: "INSTALL_CUSTOM_RULE";
  readonly id: string;
  readonly source: string;
  readonly hash: string;
}

export type CustomRuleCommand =
  | InstallCustomRule
  | { readonly type: "REMOVE_CUSTOM_RULE"; readonly id: string };

const CustomRuleInstalled = defineEvent("CustomRuleInstalled", 1, {
  source: Type.String(),
  hash: Type.String(),
  templateVersion: Type.Integer(),
});
const CustomRuleRemoved = defineEvent("CustomRuleRemoved", 1, {});

export type CustomRuleEvent = EventOf<typeof CustomRuleInstalled> | EventOf<typeof CustomRuleRemoved>;

/** What may be installed the rules' own decider knows: here it is only text. */
export const customRule: Decider<CustomRule, CustomRuleCommand, CustomRuleEvent> = {
  kind: "customRule",
  commands: ["INSTALL_CUSTOM_RULE", "REMOVE_CUSTOM_RULE"],
  events: [CustomRuleInstalled, CustomRuleRemoved],

  target: ({ id }) => id,

  decide(command, state, world) {
    const { id } = command;
    if (command.type === "REMOVE_CUSTOM_RULE") {
      if (state === undefined) return reject("not-found", `no custom rule ${id}`, "type");
      const using = [...world.all("rule")].filter(([, { config }]) => config.configType === id);
      if (using.length === 0) return [{ type: "CustomRuleRemoved", id } satisfies CustomRuleEvent];
      const named = using.slice(0, limits.problems).map(([rule, { config }]) => `${config.name} (${rule})`);
      return reject("wrong-state", `${using.length} rules use it: ${named.join(", ")}`, "type");
    }
    const { source, hash } = command;
    if (state?.hash === hash && state.source === source) return [];
    if (state === undefined && world.size("customRule") >= limits.customRules)
      return reject("invalid", `at most ${limits.customRules} custom rules`);
    const templateVersion = (state?.version ?? 0) + 1;
    return [{ type: "CustomRuleInstalled", id, source, hash, templateVersion } satisfies CustomRuleEvent];
  },

  evolve(state, event, timestamp) {
    if (event.type === "CustomRuleRemoved") return undefined;
    const { id, source, hash, templateVersion: version } = event;
    return { id, source, hash, version, installedAt: timestamp };
  },
};
