export * from "./mutated.ts";
