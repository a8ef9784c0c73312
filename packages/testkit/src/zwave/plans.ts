export * from "./configurable.ts";
export * from "./devices.ts";
export { firmwareImage } from "./gecko-image.ts";
export { upgradablePlug, upgradableValve } from "./upgradable.ts";
