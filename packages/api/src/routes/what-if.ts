import type { RuleConfig } from "@ledge/model";
import { customRulesOf, Id, limits, orNull, RuleConfigRequest } from "@ledge/model";
import Type from "typebox";
import { askerOf, refusedAhead } from "../past.ts";
import { invalid, refusedBy } from "../refused.ts";
import { row } from "../row.ts";

const Time = Type.Integer({ minimum: 0, description: "ms since the epoch" });
const WhatIf = Type.Object({
  /** CONFIGs as PUT /rules takes them. */
  rules: Type.Array(RuleConfigRequest, { minItems: 1, maxItems: limits.whatIfRules }),
  replaces: Type.Optional(Type.Array(Id, { maxItems: limits.whatIfRules })),
  from: Time,
  to: Time,
  on: Type.Optional(Type.Enum(["always", "recorded"])),
});
type WhatIf = Type.Static<typeof WhatIf>;

const Attributes = Type.Record(Type.String(), Type.Unknown());
const told = { at: Time, device: Id, attributes: Attributes, rule: Type.String() };
const WouldCommand = Type.Object({
  ...told,
  because: Type.Object({
    ref: orNull(Type.String()),
    event: Type.String(),
    timer: Type.Optional(Type.String()),
    device: Type.Optional(Id),
    attribute: Type.Optional(Type.String()),
    value: Type.Optional(Type.Unknown()),
  }),
});
const Count = Type.Integer({ minimum: 0 });
/** As `WhatIfAnswer` of the rules says. */
const WhatIfAnswer = Type.Object({
  openLoop: Type.Literal(true),
  from: Time,
  to: Time,
  firings: Count,
  commands: Type.Array(WouldCommand),
  commandCount: Count,
  suppressed: Count,
  diff: Type.Object({
    onlyNew: Type.Array(WouldCommand),
    onlyOld: Type.Array(Type.Object(told)),
    onlyNewCount: Count,
    onlyOldCount: Count,
  }),
  faults: Type.Array(Type.Object({ at: Time, rule: Type.String(), reason: Type.String() })),
  alarms: Type.Array(
    Type.Object({ at: Time, rule: Type.String(), kind: Type.String(), sourceId: Type.String() }),
  ),
  onTimeMs: Type.Record(Id, Count),
  truncated: Type.Optional(Time),
});

export const whatIf = [
  row({
    method: "POST",
    path: "/rules/whatif",
    summary: "What rules would have done in a span of the log, open loop: recorded devices do not hear of it",
    // As PUT /rules: whoever may save a rule may try it.
    access: "IDENTIFIED_USER",
    body: WhatIf,
    result: WhatIfAnswer,
    async handle(call) {
      const { body, hub, signal } = call;
      const { from, to, on = "always" } = body;
      if (from >= to) return invalid([{ field: "to", message: "must be after from" }]);
      const ahead = refusedAhead("to", to, hub);
      if (ahead !== undefined) return ahead;
      const rules = withIds(body.rules);
      const own = new Set(rules.map(({ id }) => id));
      if (own.size < rules.length) return invalid([{ field: "rules", message: "names a rule twice" }]);
      const replaces = [...new Set(body.replaces)].filter((id) => !own.has(id));
      const refusal = hub.ruleRefusal(body.rules, replaces);
      if (refusal !== undefined) return refusedBy(refusal);
      const customRules = customRulesOf(rules, hub.kernel);
      const how = { budgetMs: limits.whatIfBudgetMs, signal };
      return hub.past.ask("whatif", { rules, replaces, from, to, on, customRules }, askerOf(call), how);
    },
  }),
];

function withIds(configs: WhatIf["rules"]): readonly RuleConfig[] {
  return configs.map(({ id, name, configType, inputs, outputs, extras }, index) => {
    const config = { name, configType, inputs, outputs, extras };
    return { type: "CONFIG", id: id ?? `tried-${index + 1}`, ...config };
  });
}
