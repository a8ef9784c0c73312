/**
 * Maps Zigbee devices and messages to the hub, and commands to ZCL. Pure: takes `NodeFacts` and `Message`,
 * returns `Unit`, attributes and actions. `known-model.ts` holds what definitions know about models.
 */
export type { DeviceAction, ZclAction, ZclRead } from "./action.ts";
export { attributesOf, propertiesOf, readsAfter } from "./attributes.ts";
export type { Corrections } from "./corrections.ts";
export { corrected, correctionsIn, correctionsOf, correctionValues } from "./corrections.ts";
export {
  keptSettings,
  readBacksOf,
  settingActions,
  settingItems,
  settingProblem,
  settingsSaid,
  settingValues,
  withoutEmptyDays,
} from "./configuration.ts";
export type { NodeFacts } from "./facts.ts";
export { assumedAfter, framesFor, identifyFrames } from "./frames.ts";
export type { Message } from "./message.ts";
export { scheduleQuestions } from "./thermostat-schedule.ts";
export type { Unit } from "./unit.ts";
export type { AttributeValues } from "@ledge/exposes";
export { factsToRead, partName, unitsOf } from "./units.ts";
export { unread, unreadOptions } from "./unread.ts";
