import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Logger } from "@ledge/host/logger";
import type { Before, Fetch } from "@ledge/host/server";
import { Refused, type RequestFigures, startingHealth } from "@ledge/link";
import { refuseUpgrade, tunnelPath } from "@ledge/link/tunnel";
import type { Hono } from "hono";
import { isOAuth, type OAuth } from "../oauth/oauth.ts";
import { connectionPath, type Connections } from "../push/connections.ts";
import type { Relay } from "../relay/relay.ts";
import { type Target, targetOf } from "../relay/target.ts";
import { metricsType, respond, respondAs, respondHealth } from "./answers.ts";
import { type Origin, trustIn } from "./caller-address.ts";
import type { CloudEnv } from "./mount.ts";
import { securityHeaders, strictTransport } from "./security-headers.ts";

/** Options of `createFront`. */
export interface FrontOptions {
  readonly app: Hono<CloudEnv>;
  readonly relay: Relay;
  readonly connections: {
    handle(...asked: Parameters<Connections["handle"]>): unknown;
    upgrade(...asked: Parameters<Connections["upgrade"]>): unknown;
  };
  readonly oauth: Pick<OAuth, "handle">;
  /** As in `CloudAppOptions`. */
  readonly trustedProxies?: readonly string[];
  /** Counts requests. */
  readonly requests: RequestFigures;
  /** Answers `GET /metrics` with the right token; without a configured token never. */
  readonly metrics: { readonly token: string | undefined; render(): string };
  readonly logger: Logger;
  /** As in `Gates`, for what the app does not see; the app waits by itself. */
  readonly fresh?: () => Promise<void>;
}

/** Handles the event `upgrade` of a server of node:http, for one path. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** The entry point of a cloud and its relay. */
export interface Front {
  /** Answers requests for the cloud itself. */
  readonly fetch: Fetch;
  /** Answers requests for a hub. */
  relay(incoming: IncomingMessage, outgoing: ServerResponse, target: Target): void;
  /** Answers requests for a connection of the platform. */
  connection(incoming: IncomingMessage, outgoing: ServerResponse): void;
  /** Answers requests for the OAuth2 server. */
  oauth(incoming: IncomingMessage, outgoing: ServerResponse): void;
  /** Handles the event `upgrade` of a server of node:http. */
  readonly upgrade: Upgrade;
}

const plain = "use https to call this cloud";

/**
 * Makes the entry point. It refuses callers that come over a network without TLS.
 * @throws Error when a trusted proxy is not an address
 */
export function createFront(options: FrontOptions): Front {
  const { app, relay, connections, oauth, trustedProxies = [], metrics } = options;
  const upgradeOf: ReadonlyMap<string, Upgrade> = new Map([
    [tunnelPath, (...asked: Parameters<Upgrade>) => relay.upgrade(...asked)],
    [connectionPath, (...asked: Parameters<Upgrade>) => void connections.upgrade(...asked)],
  ]);
  const originOf = trustIn(trustedProxies);
  /** Without other processes, nothing waits for a promise. */
  const whenFresh = options.fresh === undefined ? atOnce : after(options.fresh);
  const begin = (served: Served): ReturnType<typeof originOf> => {
    noteAnswer(options, served.incoming.method ?? "", served);
    return originOf(served.incoming);
  };
  const beginOwn = (served: Served): ReturnType<typeof originOf> => {
    const origin = begin(served);
    // Headers of the answer itself override these.
    for (const [name, value] of Object.entries(headersFor(origin))) served.outgoing.setHeader(name, value);
    return origin;
  };
  return {
    fetch(request, env) {
      const served = env as Served;
      const { way } = beginOwn(served);
      if (way === "plain") return respond(new Refused(403, plain));
      const { pathname } = new URL(request.url);
      if (pathname === "/metrics" && metrics.token !== undefined) {
        served.route = pathname;
        return isToken(request.headers.get("authorization"), metrics.token)
          ? respondAs(metricsType, metrics.render())
          : respond(new Refused(401, "the metrics token is required"));
      }
      return app.fetch(request, env);
    },
    relay(incoming, outgoing, target) {
      const origin = begin({ incoming, outgoing, route: "relay" });
      const { address, way } = origin;
      // The relay writes a head in one piece: node:http is slower with headers that were set before.
      const headers = headersFor(origin);
      if (way === "plain") refusePlain(outgoing, headers);
      else whenFresh(() => void relay.answer({ incoming, outgoing, target, address, headers }));
    },
    connection(incoming, outgoing) {
      const { way } = beginOwn({ incoming, outgoing, route: connectionPath });
      if (way === "plain") refusePlain(outgoing);
      else whenFresh(() => void connections.handle(incoming, outgoing));
    },
    oauth(incoming, outgoing) {
      const origin = beginOwn({ incoming, outgoing, route: "oauth2" });
      if (origin.way === "plain") refusePlain(outgoing);
      else whenFresh(() => void oauth.handle(incoming, outgoing, origin));
    },
    upgrade(request, socket, head) {
      if (originOf(request).way === "plain") return refuseUpgrade(socket, 403, plain);
      const upgrade = upgradeOf.get(pathOf(request.url));
      if (upgrade === undefined) refuseUpgrade(socket, 404, "there is no such path");
      else whenFresh(() => upgrade(request, socket, head));
    },
  };
}

const atOnce = (act: () => void): void => act();

function after(ready: () => Promise<void>): (act: () => void) => void {
  return (act) => void ready().then(act);
}

const headersOverTls = { ...securityHeaders, ...strictTransport } as const;

/** Returns the headers of every answer to a client. */
function headersFor({ way }: Origin): Readonly<Record<string, string>> {
  return way === "tls" ? headersOverTls : securityHeaders;
}

function refusePlain(outgoing: ServerResponse, headers: Readonly<Record<string, string>> = {}): void {
  outgoing.writeHead(403, { ...headers, "content-type": "application/json" });
  outgoing.end(JSON.stringify({ message: plain }));
}

/** Answers health requests while the cloud opens its log; returns undefined for others, which wait. */
export function whileStarting(request: Request): Response | undefined {
  const answer = startingHealth(request, "cloud");
  return answer && respondHealth(answer);
}

/**
 * Passes requests for a hub to the relay, those for a connection of the platform to it, and those for the OAuth2
 * server to that. Requests that arrive before these exist wait for them.
 */
export function streamsFirst(opening: Promise<Streams>): Before {
  let front: Streams | undefined;
  const opened = opening.then((ready) => (front = ready));
  // When opening fails, the closing server tells those that wait.
  opened.catch(() => {});
  return (incoming, outgoing) => {
    const { url = "" } = incoming;
    if (isConnection(url)) {
      void opened.then((ready) => ready.connection(incoming, outgoing));
      return true;
    }
    if (isOAuth(url)) {
      void opened.then((ready) => ready.oauth(incoming, outgoing));
      return true;
    }
    const target = targetOf(url);
    if (target === undefined) return false;
    if (front === undefined) void opened.then((ready) => ready.relay(incoming, outgoing, target));
    else front.relay(incoming, outgoing, target);
    return true;
  };
}

/** What answers requests that the app does not see. */
type Streams = Pick<Front, "relay" | "connection" | "oauth">;

function pathOf(url = ""): string {
  return url.split("?", 1)[0] ?? "";
}

function isConnection(url: string): boolean {
  const path = pathOf(url);
  return path === connectionPath || path === `${connectionPath}/negotiate`;
}

/** What the server passes along with a request, and the path of the row that answers. */
interface Served {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  route?: string;
}

/**
 * Counts and logs an answer once it is sent, or its client is gone. Logs the row's path, since real paths may
 * hold secrets.
 */
function noteAnswer(
  { requests, logger }: Pick<FrontOptions, "requests" | "logger">,
  method: string,
  served: Served,
): void {
  const begun = performance.now();
  const { outgoing } = served;
  outgoing.once("close", () => {
    const { route = "other" } = served;
    const ms = performance.now() - begun;
    const status = outgoing.statusCode;
    requests.of(route.startsWith("/") ? `${method} ${route}` : route).observe(status, ms);
    const isCut = !outgoing.writableFinished;
    logger.info({ method, route, status, ms: Math.round(ms), ...(isCut && { isCut }) }, "a request");
  });
}

function isToken(header: string | null, token: string): boolean {
  const given = (header ?? "").replace(/^bearer /i, "").trim();
  return timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", token, "buffer"));
}
