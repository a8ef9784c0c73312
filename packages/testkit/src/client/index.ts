export * from "./cloud-process.ts";
export * from "./full-client.ts";
export * from "./hub-at-cloud.ts";
