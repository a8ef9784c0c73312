import { RuleConfig } from "@ledge/model";
import Type from "typebox";

const { id: _, ...proposed } = RuleConfig.properties;
/** RULE_PROPOSAL: a CONFIG that PUT /rules takes as it stands, what its template does, why it is proposed, and that in words. */
export const RuleProposal = Type.Object({
  type: Type.Literal("RULE_PROPOSAL"),
  score: Type.Integer(),
  config: Type.Object({ ...proposed, id: Type.Null() }),
  summary: Type.String(),
  reasons: Type.Array(Type.String()),
  texts: Type.Array(Type.String()),
});
export type RuleProposal = Type.Static<typeof RuleProposal>;
