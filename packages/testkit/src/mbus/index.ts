export { MbusBus, type SimulatedMeter } from "./bus.ts";
export { type ServedStick, serveStick } from "../serial/serve.ts";
export { type SerialStick, servePty } from "../serial/pty.ts";
