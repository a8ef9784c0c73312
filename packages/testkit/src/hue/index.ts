export * from "./bridge.ts";
export * from "./sensors.ts";
