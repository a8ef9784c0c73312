import Type from "typebox";
import type { Decider, Reader } from "./decider.ts";
import { reject } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";
import { limits } from "./limits.ts";

/** A kind of rule that a user has installed. Its id is its `configType`. */
export interface CustomRule {
  readonly id: string;
  /** The source as it was sent, byte for byte. */
  readonly source: string;
  /** SHA-256 of the source in UTF-8, hexadecimal. */
  readonly hash: string;
  /** Starts at 1 and increases with each new source. */
  readonly version: number;
  /** The timestamp of the commit (ms). */
  readonly installedAt: number;
}

declare module "./states.ts" {
  interface States {
    customRule: CustomRule;
  }
}

/** Returns the custom rules that CONFIGs belong to. */
export function customRulesOf(
  configs: readonly { readonly configType: string }[],
  read: Pick<Reader, "get">,
): readonly CustomRule[] {
  const types = new Set(configs.map(({ configType }) => configType));
  return [...types].flatMap((type) => read.get("customRule", type) ?? []);
}

/** Installs a source, or its next version. */
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

/** Installed custom rules. The decider in `@ledge/rules` checks sources; here a source is only text. */
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
