export type { BacnetBehaviour } from "./device.ts";
export { BacnetDevice } from "./device.ts";
export type { BacnetObject } from "./object.ts";
export { objectType, property } from "./object.ts";
export type { PropertyValue } from "./tags.ts";
