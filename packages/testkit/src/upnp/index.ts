export * from "./renderer.ts";
