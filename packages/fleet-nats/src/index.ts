export { connectNatsBus, type NatsBusOptions } from "./nats-bus.ts";
