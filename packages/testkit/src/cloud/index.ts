export * from "./simulated-cloud.ts";
