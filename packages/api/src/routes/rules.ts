import {
  type Command,
  Id,
  limits,
  Rule,
  RuleConfigRequest,
  RuleOffCommand,
  RuleOnCommand,
  RuleOnConfig,
  type RuleState,
  ruleTimerOf,
  RuleTemplate,
} from "@ledge/model";
import Type from "typebox";
import { decidedAccess } from "../access.ts";
import { notFound, Refused } from "../refused.ts";
import { row } from "../row.ts";
import { customRules } from "./custom-rules.ts";
import { submit, submitFor, submitForObjects } from "../submit.ts";
import { proposals } from "./proposals.ts";

type ShownRule = Type.Static<typeof Rule>;

const PutRules = Type.Object({
  rules: Type.Array(RuleConfigRequest, { maxItems: limits.listItems }),
  onConfiguration: Type.Optional(Type.Union([RuleOnConfig, Type.Null()])),
});

/** Names of the rule commands that some clients use. */
const aliases = { CMD_RULE_ON: "RULE_ON_COMMAND", CMD_RULE_OFF: "RULE_OFF_COMMAND" } as const;
const CmdRuleOn = Type.Object({ type: Type.Literal("CMD_RULE_ON"), id: Id });
const CmdRuleOff = Type.Object({ type: Type.Literal("CMD_RULE_OFF"), id: Id });

const SetRuleOn = Type.Object({ ...RuleOnConfig.properties, id: Id });
/** RULE_ON_CFG of hub-api 2.8 with the rule that it is of. */
const ShownOnConfig = Type.Object({
  type: Type.Literal("RULE_ON_CFG"),
  id: Id,
  scenes: Type.Array(Id),
  timers: Type.Array(Type.Object({ type: Type.String() }, { additionalProperties: true })),
});

export const rules = [
  row({
    method: "GET",
    path: "/rules",
    summary: "Rules by id, all or one",
    access: "GUEST",
    past: "IDENTIFIED_USER",
    query: Type.Object({ ruleId: Type.Optional(Type.String()) }),
    result: Type.Record(Type.String(), Rule),
    handle({ caller, query: { ruleId }, language, hub: { kernel } }) {
      if (ruleId === undefined) return kernel.dictionary("rule", caller, language);
      if (!kernel.readable("rule", ruleId, caller)) return notFound(`no rule ${ruleId}`);
      return kernel.dictionary("rule", caller, language, [ruleId]);
    },
  }),
  row({
    method: "PUT",
    path: "/rules",
    summary: "Creates and changes rules, and says when they are on",
    access: "IDENTIFIED_USER",
    body: PutRules,
    result: Type.Array(Rule),
    handle: (call) => {
      const { rules: configs, onConfiguration: on = null } = call.body;
      const commands = configs.map((config) => ({ type: "SET_RULE", config, ...(on && { on }) }) as Command);
      return submitForObjects<ShownRule>(call, commands, "rule", pathIn);
    },
  }),
  row({
    method: "PUT",
    path: "/rules/command",
    summary: "Turns rules on and off",
    access: "IDENTIFIED_USER",
    body: Type.Union([RuleOnCommand, RuleOffCommand, CmdRuleOn, CmdRuleOff]),
    list: true,
    result: Type.Array(Rule),
    handle: (call) => {
      const commands = call.body.map((command): Command & { id: string } => {
        const { type, id } = command;
        return { type: type in aliases ? aliases[type as keyof typeof aliases] : type, id };
      });
      return submitForObjects<ShownRule>(call, commands, "rule");
    },
  }),
  row({
    method: "DELETE",
    path: "/rules",
    summary: "Removes a rule",
    access: "IDENTIFIED_USER",
    query: Type.Object({ ruleId: Id }),
    result: Type.Literal(true),
    handle: (call) =>
      submitFor(call, [{ type: "REMOVE_RULE", id: call.query.ruleId } as Command], true as const),
  }),
  row({
    method: "GET",
    path: "/rules/templates",
    summary: "What rules can be made of, in the reader's language",
    access: "GUEST",
    result: Type.Array(RuleTemplate),
    handle: ({ language, hub }) => [...hub.ruleTemplates(language)],
  }),
  ...customRules,
  row({
    method: "PUT",
    path: "/rules/onConfiguration",
    summary: "Says when a rule is on",
    ...decidedAccess["PUT /rules/onConfiguration"],
    body: SetRuleOn,
    result: ShownOnConfig,
    async handle(call) {
      const { id } = call.body;
      const done = await submit(call, [{ type: "SET_RULE_ON", id, on: call.body } as Command]);
      if (done instanceof Refused) return done;
      const state = call.hub.kernel.get("rule", id);
      return state === undefined ? notFound(`no rule ${id}`) : shownOnConfig(state);
    },
  }),
  proposals,
];

/** When a rule is on stands once in the body, for all of its rules, and its CRONDEFs are bare. */
function pathIn(index: number, field: string): string {
  if (/^(?:scenes|timers)\b/.test(field)) return `onConfiguration.${field.replace(".cronDef.", ".")}`;
  return field === "" ? `rules.${index}` : `rules.${index}.${field}`;
}

function shownOnConfig({ id, scenes, timers }: RuleState): Type.Static<typeof ShownOnConfig> {
  return { type: "RULE_ON_CFG", id, scenes: [...scenes], timers: timers.map(ruleTimerOf) };
}
