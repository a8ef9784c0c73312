/**
 * What a Zigbee device is and says, in the hub's words, and the hub's commands as ZCL. Pure: `NodeFacts` and
 * `Message` go in, `Unit`, attributes and actions come out. `known-model.ts` has what is known of models.
 */
export type { DeviceAction, ZclAction, ZclRead } from "./action.ts";
export { attributesOf, propertiesOf, readsAfter } from "./attributes.ts";
export { settingActions, settingItems, settingValues } from "./configuration.ts";
export type { NodeFacts } from "./facts.ts";
export { assumedAfter, framesFor, identifyFrames } from "./frames.ts";
export type { Message } from "./message.ts";
export type { AttributeValues, Unit } from "./unit.ts";
export { factsToRead, unitsOf } from "./units.ts";
