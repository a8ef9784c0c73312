export * from "./schedule/index.ts";
