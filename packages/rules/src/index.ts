export { Catalogue } from "./catalogue/catalogue.ts";
export { offeredTemplates, rulesOf } from "./catalogue/config.ts";
export { compileExpression, type Evaluate, scopeOver } from "./custom/expression.ts";
export { mostPerMinute, triedOn } from "./custom/dry-run.ts";
export { customRules, installing, withLine } from "./custom/installing.ts";
export { tryCustomRule } from "./custom/trial.ts";
export { type Zone, zoneOf } from "./schedule/zone.ts";
export { ruleDiagram } from "./machine/diagram.ts";
export { RuleEngine } from "./engine.ts";
export { withMembers } from "./engine/members.ts";
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
export { DraftRules, refusalOf } from "./catalogue/draft-rules.ts";
export type { OpenTrial } from "./whatif/trial.ts";
export { WhatIf, whatIf } from "./whatif/what-if.ts";
export type { Because, WasCommanded, WhatIfAnswer, WouldCommand } from "./whatif/outcome.ts";
export { Names } from "./why/names.ts";
export { Telling } from "./why/telling.ts";
export { why, type WhyQuestion, type WhyReader } from "./why/why.ts";
export type { Placed, Recorded } from "./why/recorded.ts";
