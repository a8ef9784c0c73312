export { Catalogue } from "./catalogue.ts";
export { offeredTemplates, rulesOf } from "./config.ts";
export { RuleEngine } from "./engine.ts";
export { catalogue } from "./templates/index.ts";
