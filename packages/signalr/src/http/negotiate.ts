import type { Negotiated } from "./token.ts";

const transports = [
  { transport: "WebSockets", transferFormats: ["Text", "Binary"] },
  { transport: "ServerSentEvents", transferFormats: ["Text"] },
  { transport: "LongPolling", transferFormats: ["Text", "Binary"] },
];

/** The version of negotiation that a client asks for, as far as it is known. */
export function negotiateVersion(url: URL): 0 | 1 {
  return Number(url.searchParams.get("negotiateVersion")) >= 1 ? 1 : 0;
}

/** Whether the client asks to keep its connection over lost sockets. */
export function asksForStateful(url: URL): boolean {
  return url.searchParams.get("useStatefulReconnect") === "true";
}

/**
 * The answer to a negotiation. In version 0, clients know the token by the name connectionId.
 * Source: TransportProtocols.md.
 */
export function negotiateAnswer(version: 0 | 1, negotiated: Negotiated, token: string): object {
  const { connectionId, isStateful } = negotiated;
  return {
    negotiateVersion: version,
    ...(version === 0 ? { connectionId: token } : { connectionId, connectionToken: token }),
    ...(isStateful && { useStatefulReconnect: true }),
    availableTransports: transports,
  };
}
