export type {
  Call,
  Connection,
  HubOptions,
  HubRequest,
  HubUser,
  Method,
  Redirect,
  Stream,
  StreamCall,
  StreamResult,
} from "./api.ts";
export type { Clock } from "./clock.ts";
export { HubError, RefusedError } from "./errors.ts";
export { createHub, type Hub } from "./hub.ts";
export { decodeMessagePack } from "./protocol/decode-messagepack.ts";
export type { Item } from "./protocol/codec.ts";
export { type Serialized, serializeOnce } from "./protocol/serialized.ts";
export { defaultSettings, type HubSettings } from "./settings.ts";
export type { TransportName } from "./transports/transport.ts";
