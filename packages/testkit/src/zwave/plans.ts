export * from "./configurable.ts";
export * from "./devices.ts";
export { firmwareImage, upgradablePlug } from "./upgradable.ts";
