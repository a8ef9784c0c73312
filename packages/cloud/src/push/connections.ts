import type { Bus, RegisterStore } from "@ledge/fleet";
import { keyShown } from "@ledge/host/server";
import type { Logger } from "@ledge/host/logger";
import type { Clock } from "@ledge/kernel";
import { Refused } from "@ledge/link";
import { limits } from "@ledge/model";
import {
  type Call,
  createHub,
  type Hub,
  HubError,
  type HubRequest,
  type HubUser,
  RefusedError,
  type StreamCall,
} from "@ledge/signalr";
import type { Homes } from "../cluster/homes.ts";
import type { Nodes } from "../cluster/nodes.ts";
import { passedFor } from "../cluster/passing.ts";
import type { Bearer, Bearers } from "../oauth/bearers.ts";
import type { Graph, GraphResponse } from "../graph/graph.ts";
import type { Kind } from "../graph/row.ts";
import type { Allowances } from "../http/allowances.ts";
import type { Addressed, Origin } from "../http/caller-address.ts";
import { every } from "../process/every.ts";
import { DeviceEventMethods } from "./device-event-methods.ts";
import type { Session } from "./user-watch.ts";
import type { Watching } from "./watching.ts";

/** Where the connections of the platform are (platform-api 4.2). */
export const connectionPath = "/hub/v1";

export interface ConnectionsOptions {
  readonly graph: Pick<Graph, "answer" | "count">;
  readonly watching: Watching;
  readonly registers: Pick<RegisterStore, "get">;
  readonly bus: Pick<Bus, "subscribe">;
  readonly bearers: Pick<Bearers, "of">;
  readonly allowances: Pick<Allowances, "verify">;
  readonly originOf: (asked: Addressed) => Origin;
  readonly clock: Clock;
  readonly random: (size: number) => Uint8Array;
  readonly logger: Logger;
  /** Where the pushes of users are, and when that may have changed; absent for a cloud of one process. */
  readonly homes?: Pick<Homes, "elsewhere">;
  readonly nodes?: Pick<Nodes, "onChanged">;
}

/** The account at the other end of a connection. */
interface PlatformUser extends HubUser {
  readonly token: string;
  readonly address: string;
  readonly language: string | undefined;
  readonly access: Bearer["access"];
}

type PlatformHub = Hub<PlatformUser>;

/** The connections of the platform. */
export type Connections = Pick<PlatformHub, "handle" | "upgrade" | "drain"> & {
  /** Ends all connections at once. */
  stop(): void;
};

/**
 * Serves the streaming connection: commands and queries as over HTTP, and the pushes of what the user watches. A
 * connection ends soon after its token or session.
 */
export function openConnections(options: ConnectionsOptions): Connections {
  const { graph, watching, clock, random, logger, homes, nodes } = options;
  const events = new DeviceEventMethods<PlatformUser>({
    ...options,
    reads: ({ user }, id) => watching.reads(user.id, user, { kind: "register", id }),
    count: ({ id }) => graph.count(id),
  });
  const hub: PlatformHub = createHub<PlatformUser>({
    path: connectionPath,
    authenticate: (request) => userOf(request, options),
    redirect: (_request, { id, token }) => {
      const url = homes?.elsewhere(id)?.url ?? "";
      return url === "" ? undefined : { url: url + connectionPath, accessToken: token };
    },
    // Requests carry a token, and cookies say nothing here.
    allowOrigin: () => true,
    methods: {
      ...events.methods,
      Command: (call, request) => answered(graph, call, request, "command"),
      Query: (call, request) => answered(graph, call, request, "query"),
    },
    streams: { ...events.streams, Push: (call) => push(watching, call) },
    onDisconnected: (connection) => {
      watching.endSession(connection.user.id, sessionOf(connection));
      events.end(connection.id);
    },
    onError: (error) => logger.error({ error }, "a connection failed"),
    clock: { now: () => clock.monotonic(), after: (ms, callback) => clock.after(ms, callback) },
    randomBytes: random,
  });
  const stopMoving = nodes?.onChanged(() => {
    for (const connection of hub.connections.values())
      if (homes?.elsewhere(connection.user.id) !== undefined) connection.close({ allowReconnect: true });
  });
  const stopEnding = every(limits.pushSessionCheckMs, clock, () => endStale(hub, options));
  const stopChecks = (): void => {
    stopEnding();
    stopMoving?.();
  };
  return {
    handle: (...asked) => hub.handle(...asked),
    upgrade: (...asked) => hub.upgrade(...asked),
    async drain() {
      stopChecks();
      await hub.drain();
    },
    stop() {
      stopChecks();
      hub.abort();
    },
  };
}

async function userOf(
  request: HubRequest,
  { bearers, allowances, originOf, clock }: ConnectionsOptions,
): Promise<PlatformUser | undefined> {
  const { remoteAddress, raw } = request;
  // Raw too, as everywhere on the platform.
  const token = request.token ?? request.header("authorization")?.trim() ?? "";
  const forwarded = { "x-forwarded-for": request.header("x-forwarded-for") };
  const address = passedFor(raw) ?? originOf({ headers: forwarded, socket: { remoteAddress } }).address;
  const session = await allowances.verify(address, clock.monotonic(), async () => {
    const isToken = token !== "" && token.length <= limits.tokenChars;
    const found = isToken ? await bearers.of(token) : "missing";
    return typeof found === "string" ? new Refused(401, found) : found;
  });
  const isOurs = !(session instanceof Refused);
  // Sockets count as those of their user, and not among the strangers of an address.
  if (!(raw instanceof Request)) keyShown(raw, isOurs ? session.account.id : undefined);
  if (isOurs) {
    const language = request.header("accept-language");
    return { id: session.account.id, token, address, language, access: session.access };
  }
  const { status, message, retryAfterS = 1 } = session;
  if (status === 401) return undefined;
  throw new RefusedError(status, message, { "retry-after": String(retryAfterS) });
}

/** Answers a command or a query as over HTTP. Refuses what HTTP answers with an error status. */
async function answered(
  graph: Pick<Graph, "answer">,
  { connection: { id, user }, signal }: Call<PlatformUser>,
  request: unknown,
  kind: Kind,
): Promise<GraphResponse> {
  const { id: account, address, language, access } = user;
  const spoken = language !== undefined && { language };
  const caller = { account, address, connection: id, ...access, ...spoken };
  const answer = await graph.answer(request, caller, kind, { signal });
  if (answer instanceof Refused) throw new HubError(answer.message);
  return answer;
}

/** Writes what the user watches, as fast as the connection takes it. */
async function push(watching: Watching, call: StreamCall<PlatformUser>): Promise<void> {
  const { connection, signal } = call;
  const session = sessionOf(connection);
  const reader = watching.openStream(connection.user.id, session);
  if (typeof reader === "string") throw new HubError("you have too many open streams and fetches");
  try {
    while (!signal.aborted) {
      // What changes until then waits once, in its newest state.
      await call.ready();
      const messages = await reader.next(signal);
      if (messages.length === 0) return;
      for (const { item } of messages) call.write(item);
    }
  } finally {
    watching.closeStream(connection.user.id, session, reader);
  }
}

/** Ends the connections whose token has expired or whose session has ended. */
async function endStale(hub: PlatformHub, { bearers, logger }: ConnectionsOptions): Promise<void> {
  try {
    for (const connection of hub.connections.values()) {
      const session = await bearers.of(connection.user.token);
      if (typeof session === "string") connection.close({ allowReconnect: true });
    }
  } catch (error) {
    logger.error({ error }, "could not check the sessions of connections");
  }
}

function sessionOf({ id, user }: { readonly id: string; readonly user: PlatformUser }): Session {
  return { kind: "connection", id, access: user.access };
}
