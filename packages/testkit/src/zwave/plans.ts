export * from "./configurable.ts";
export * from "./devices.ts";
export { firmwareImage, upgradablePlug, upgradableValve } from "./upgradable.ts";
