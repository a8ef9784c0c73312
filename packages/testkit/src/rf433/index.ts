export { SimulatedRflink } from "./rflink.ts";
export { type SerialStick, servePty } from "../serial/pty.ts";
export { type ServedStick, serveStick } from "../serial/serve.ts";
