export { Catalogue } from "./catalogue.ts";
export { offeredTemplates, rulesOf } from "./config.ts";
export { compileExpression, type Evaluate, scopeOver } from "./custom/expression.ts";
export { customRules, installing } from "./custom/installing.ts";
export { RuleEngine } from "./engine.ts";
export { catalogue } from "./templates/index.ts";
export { type Trial, whatIf, type WhatIfOf } from "./whatif/what-if.ts";
export type { Because, WasCommanded, WhatIfAnswer, WouldCommand } from "./whatif/outcome.ts";
