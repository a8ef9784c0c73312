export * from "./bridge.ts";
