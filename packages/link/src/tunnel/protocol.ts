import { limits } from "@ledge/model";
import type { Settings } from "node:http2";

/** Where hubs dial, what they upgrade to, and the name of the same within a WebSocket. */
export const tunnelPath = "/hub/tunnel";
export const tunnelProtocol = "ledge-tunnel/1";
export const tunnelSubprotocol = "ledge-tunnel.1";

/** What the cloud asks through the tunnel of the hub itself; clients get nowhere below it. */
export const privatePrefix = "/.ledge/";
export const privatePaths = {
  ping: "/.ledge/ping",
  authorizations: "/.ledge/authorizations",
  clone: "/.ledge/clone",
} as const;

/** How a tunnel is dialled: a proxy on the way may let only one of them through. */
export type Transport = "upgrade" | "websocket";

/** Settings of HTTP/2 that both ends announce: what one stream may have on its way before its reader has taken it. */
export const sessionSettings: Settings = {
  enablePush: false,
  initialWindowSize: limits.tunnelStreamBytes,
  maxConcurrentStreams: 2 * limits.tunnelStreams,
};

/**
 * Options of a session at both ends. In MB of 10^6 bytes, as node:http2 counts.
 *
 * A hub takes more requests at once than the cloud sends: what the cloud has cancelled counts at the hub until it has
 * read of it, so clients who leave at once would have it refuse streams, and end the tunnel of everybody.
 */
export const sessionOptions = {
  settings: sessionSettings,
  peerMaxConcurrentStreams: limits.tunnelStreams,
  maxSessionMemory: Math.ceil(limits.tunnelBytes / 1e6),
  // A server of node:http2 ends a session in which more requests are cancelled: here anybody's clients cancel.
  maxSessionInvalidFrames: limits.tunnelCancels,
  maxSessionRejectedStreams: limits.tunnelCancels,
  streamResetBurst: limits.tunnelCancels,
  streamResetRate: limits.tunnelCancels,
} as const;
