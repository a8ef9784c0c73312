export * from "./phone-server.ts";
