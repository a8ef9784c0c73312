import type { HubRequest } from "../api.ts";

type AllowOrigin = ((origin: string) => boolean) | undefined;

/** The request of a page of another origin that may not use the hub. */
export function isForeign(request: HubRequest, allowOrigin: AllowOrigin): boolean {
  const origin = request.header("origin");
  return origin !== undefined && !isOwn(origin, request) && allowOrigin?.(origin) !== true;
}

/** What lets a page of another origin read an answer. Clients in browsers send credentials by default. */
export function corsHeaders(request: HubRequest, allowOrigin: AllowOrigin): Readonly<Record<string, string>> {
  const origin = request.header("origin");
  if (allowOrigin === undefined) return {};
  if (origin === undefined || !allowOrigin(origin)) return { vary: "Origin" };
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-credentials": "true",
    vary: "Origin",
  };
}

/** What a browser asks for before it sends a request with the headers of the client. */
export const preflightHeaders: Readonly<Record<string, string>> = {
  "access-control-allow-methods": "GET, POST, DELETE",
  "access-control-allow-headers": "x-requested-with, x-signalr-user-agent, authorization, content-type",
  "access-control-max-age": "600",
};

/** A page that came from the host that it calls. The scheme may differ: a proxy may end TLS. */
function isOwn(origin: string, request: HubRequest): boolean {
  return URL.canParse(origin) && new URL(origin).host === request.header("host");
}
