export type { BacnetBehaviour, BacnetObject } from "./device.ts";
export { BacnetDevice, objectType, property } from "./device.ts";
export type { PropertyValue } from "./tags.ts";
