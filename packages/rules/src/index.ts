export * from "./catalogue.ts";
export * from "./engine.ts";
export * from "./template.ts";
export * from "./templates/index.ts";
