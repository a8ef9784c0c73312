import { limits } from "@ledge/model";
import type { Settings } from "node:http2";

/** The path that hubs dial, the protocol to upgrade to, and its name as a WebSocket subprotocol. */
export const tunnelPath = "/hub/tunnel";
export const tunnelProtocol = "ledge-tunnel/1";
export const tunnelSubprotocol = "ledge-tunnel.1";

/** Paths for the cloud's own requests to the hub; clients cannot reach anything below the prefix. */
export const privatePrefix = "/.ledge/";
export const privatePaths = {
  ping: "/.ledge/ping",
  authorizations: "/.ledge/authorizations",
  clone: "/.ledge/clone",
  changes: "/.ledge/changes",
} as const;

/** How a tunnel is dialled; a proxy on the way may let only one of them through. */
export type Transport = "upgrade" | "websocket";

/** HTTP/2 settings of both ends: how many unread bytes one stream may have under way. */
export const sessionSettings: Settings = {
  enablePush: false,
  initialWindowSize: limits.tunnelStreamBytes,
  maxConcurrentStreams: 2 * limits.tunnelStreams,
};

/**
 * Options of a session at both ends, in MB of 10^6 bytes, as node:http2 counts.
 *
 * A hub accepts more requests at once than the cloud sends: a request that the cloud has cancelled counts at
 * the hub until the hub has read of it. Clients that leave at once would otherwise make the hub refuse
 * streams and end the tunnel for everybody.
 */
export const sessionOptions = {
  settings: sessionSettings,
  peerMaxConcurrentStreams: limits.tunnelStreams,
  maxSessionMemory: Math.ceil(limits.tunnelBytes / 1e6),
  // A server of node:http2 ends a session with more cancelled requests than this; here anybody's clients cancel.
  maxSessionInvalidFrames: limits.tunnelCancels,
  maxSessionRejectedStreams: limits.tunnelCancels,
  streamResetBurst: limits.tunnelCancels,
  streamResetRate: limits.tunnelCancels,
} as const;
