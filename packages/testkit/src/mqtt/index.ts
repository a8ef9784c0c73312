export { makeSelfSigned } from "@ledge/host/self-signed";
export * from "./mosquitto.ts";
export * from "./broker-client.ts";
export * from "./home-assistant.ts";
