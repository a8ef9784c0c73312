export * as plans from "./plans.ts";
export type { NodePlan } from "./node-plan.ts";
export { rawCommand, reports } from "./reports.ts";
export { longRangeKeyOf, pinOf, timesSaid } from "./key-exchange.ts";
export { networkIn, type StickNetwork } from "./memory.ts";
export { behindProxy } from "./esphome-proxy.ts";
export { ZWaveStick } from "./stick.ts";
export { servePty } from "../serial/pty.ts";
export { serveStick, type ServedStick } from "../serial/serve.ts";
