export * from "./advertisement.ts";
export * from "./error.ts";
export * from "./measurement.ts";
export { addressOf, fromHex, toHex } from "./bytes.ts";
export { mibeaconAddress } from "./mibeacon.ts";
export { ruuviAddress } from "./ruuvi.ts";
