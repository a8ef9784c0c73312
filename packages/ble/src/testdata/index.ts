export * from "./examples.ts";
export * from "./mutations.ts";
