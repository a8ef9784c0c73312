export * from "./advertisement.ts";
export * from "./error.ts";
export * from "./measurement.ts";
export { addressOf, fromHex, toHex } from "./bytes.ts";
