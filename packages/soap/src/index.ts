export * from "./address.ts";
export * from "./envelope.ts";
export * from "./exchange.ts";
export * from "./http-digest.ts";
export * from "./pin.ts";
export * from "./security.ts";
export * from "./udp-search.ts";
export * from "./xml.ts";
