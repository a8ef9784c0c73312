import { limits } from "@ledge/model";
import Type from "typebox";
import { SessionId } from "../push/pushes.ts";
import type { Thing } from "../push/source.ts";
import type { Session } from "../push/user-watch.ts";
import type { GraphCaller } from "./caller.ts";
import { Failed } from "./errors.ts";
import type { GraphParts } from "./parts.ts";
import { row } from "./row.ts";

/** Over a connection, the connection itself is the session. */
const fields = { sessionId: Type.Optional(SessionId) };

/** Types about what is pushed to the caller (platform-api 3). */
export const subscribeRows = [
  row({
    type: "SubscribeHubCommand",
    summary: "Pushes the presence and the alarms of a hub to the caller",
    scope: "hub",
    right: "R",
    fields,
    handle: ({ target: { hubId: id }, ...call }) => subscribe({ kind: "hub", id }, call),
  }),
  row({
    type: "UnsubscribeHubCommand",
    summary: "Ends the pushes of a hub that this session has subscribed to",
    scope: "hub",
    right: "R",
    fields,
    handle: ({ target: { hubId: id }, ...call }) => unsubscribe({ kind: "hub", id }, call),
  }),
  row({
    type: "SubscribeDeviceRegisterCommand",
    summary: "Pushes the devices of a register to the caller, all of them first",
    scope: "register",
    right: "R",
    fields,
    handle: ({ target: { hubId: id }, ...call }) => subscribe({ kind: "register", id }, call),
  }),
  row({
    type: "UnsubscribeDeviceRegisterCommand",
    summary: "Ends the pushes of a register that this session has subscribed to",
    scope: "register",
    right: "R",
    fields,
    handle: ({ target: { hubId: id }, ...call }) => unsubscribe({ kind: "register", id }, call),
  }),
  row({
    type: "SubscribeOperationCommand",
    summary: "Pushes the state of an operation to the caller",
    scope: "operation",
    right: "R",
    fields,
    handle: ({ target: { id }, ...call }) => subscribe({ kind: "operation", id }, call),
  }),
  row({
    type: "UnsubscribeOperationCommand",
    summary: "Ends the pushes of an operation that this session has subscribed to",
    scope: "operation",
    right: "R",
    fields,
    handle: ({ target: { id }, ...call }) => unsubscribe({ kind: "operation", id }, call),
  }),
];

interface Subscribing {
  readonly caller: GraphCaller;
  readonly fields: { readonly sessionId?: string };
  readonly parts: Pick<GraphParts, "watching">;
}

const tooMany = {
  things: `you watch ${limits.watchedPerUser} things already`,
  readers: "you have too many open streams and fetches",
  sessions: "you have too many sessions",
  snapshots: `you may subscribe ${limits.snapshotsPerMinute} times a minute`,
} as const;

/** Subscribes the caller's session to a thing that the caller may read. */
export function subscribe(thing: Thing, { caller, fields: { sessionId }, parts }: Subscribing): {} | Failed {
  const session = sessionOf(caller, sessionId);
  if (session instanceof Failed) return session;
  const limit = parts.watching.subscribe(caller.account, session, thing);
  return limit === undefined ? {} : new Failed("E_LIMIT", tooMany[limit], { limit });
}

/** Ends the subscription of the caller's session, if there is one. */
export function unsubscribe(
  thing: Thing,
  { caller, fields: { sessionId }, parts }: Subscribing,
): {} | Failed {
  const session = sessionOf(caller, sessionId);
  if (session instanceof Failed) return session;
  parts.watching.unsubscribe(caller.account, session, thing);
  return {};
}

function sessionOf({ connection }: GraphCaller, sessionId: string | undefined): Session | Failed {
  if (connection !== undefined) return { kind: "connection", id: connection };
  if (sessionId !== undefined) return { kind: "fetch", id: sessionId };
  const message = "sessionId must name the session that fetches the pushes";
  return new Failed("E_INVALID", message, { field: "sessionId" });
}
