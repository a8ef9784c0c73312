export * from "./cloud-process.ts";
export * from "./full-client.ts";
