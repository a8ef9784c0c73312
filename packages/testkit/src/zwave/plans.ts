export * from "./configurable.ts";
export * from "./devices.ts";
