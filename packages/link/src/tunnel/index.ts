export * from "./accept.ts";
export * from "./clone.ts";
export * from "./dial.ts";
export * from "./headers.ts";
export * from "./liveness.ts";
export * from "./protocol.ts";
export { TunnelDuplex } from "./tunnel-duplex.ts";
export * from "./frames.ts";
