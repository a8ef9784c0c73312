export { Catalogue } from "./catalogue.ts";
export { offeredTemplates, rulesOf } from "./config.ts";
export { compileExpression, type Evaluate, scopeOver } from "./custom/expression.ts";
export { mostPerMinute, triedOn } from "./custom/dry-run.ts";
export { customRules, installing, withLine } from "./custom/installing.ts";
export { tryCustomRule } from "./custom/trial.ts";
export { ruleDiagram } from "./diagram.ts";
export { RuleEngine } from "./engine.ts";
export { withMembers } from "./members.ts";
export { catalogue } from "./templates/index.ts";
export {
  best,
  type Candidate,
  candidates,
  type Proposal,
  proposalOf,
  type ProposalsWanted,
  tried,
} from "./proposals/propose.ts";
export { DraftRules, refusalOf } from "./trying.ts";
export type { OpenTrial } from "./whatif/trial.ts";
export { WhatIf, whatIf } from "./whatif/what-if.ts";
export type { Because, WasCommanded, WhatIfAnswer, WouldCommand } from "./whatif/outcome.ts";
export { Names } from "./why/names.ts";
export { Telling } from "./why/telling.ts";
export { why, type WhyQuestion, type WhyReader } from "./why/why.ts";
export type { Placed, Recorded } from "./why/recorded.ts";
