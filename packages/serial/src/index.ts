export { describePort } from "./describe.ts";
export type { KnownStick, RadioDriver, RadioProtocol } from "./known-sticks.ts";
export { drivers, knownSticks } from "./known-sticks.ts";
export type { SerialPort } from "./list.ts";
export { listPorts } from "./list.ts";
export type { Certainty, StickMatch } from "./match.ts";
export { matchStick } from "./match.ts";
export { udevRules } from "./udev-rules.ts";
export { PortWatch } from "./watch.ts";
