export * from "./activation-code.ts";
export * from "./token.ts";
