import { limits } from "@ledge/model";
import Type from "typebox";
import { SessionId } from "../push/pushes.ts";
import type { Operation } from "../model/operation.ts";
import type { Thing, ThingKind } from "../push/source.ts";
import type { Session } from "../push/user-watch.ts";
import { accessOf, type GraphCaller } from "./caller.ts";
import { Failed } from "./errors.ts";
import type { GraphParts } from "./parts.ts";
import { row, type Row } from "./row.ts";
import type { HubTarget } from "./hub-target.ts";
import type { RegisterTarget } from "./register-target.ts";
import type { SiteTarget } from "./tenancy-targets.ts";

/** Over a connection, the connection itself is the session. */
const fields = { sessionId: Type.Optional(SessionId) };

/** Types about what is pushed to the caller (platform-api 3). */
export const subscribeRows = [
  ...rowsOf("Hub", "hub", "Pushes the presence and the alarms of a hub to the caller"),
  ...rowsOf(
    "DeviceRegister",
    "register",
    "Pushes the devices of a register to the caller, all of them first",
  ),
  ...rowsOf("Site", "site", "Pushes the entities of a site to the caller, all of them first"),
  ...rowsOf("Operation", "operation", "Pushes the state of an operation to the caller"),
];

/** Returns the type that subscribes to a kind of thing, and the one that unsubscribes. */
function rowsOf(
  name: "Hub" | "DeviceRegister" | "Site" | "Operation",
  kind: ThingKind,
  summary: string,
): Row[] {
  const of = { scope: kind, right: "R", fields } as const;
  const ended = `Ends the pushes of ${kind === "operation" ? "an" : "a"} ${kind} that this session has subscribed to`;
  return [
    row({
      ...of,
      type: `Subscribe${name}Command`,
      summary,
      handle: (call) => subscribe({ kind, id: idOf(call.target) }, call),
    }),
    row({
      ...of,
      type: `Unsubscribe${name}Command`,
      summary: ended,
      handle: (call) => unsubscribe({ kind, id: idOf(call.target) }, call),
    }),
  ];
}

function idOf(target: HubTarget | RegisterTarget | SiteTarget | Operation): string {
  if ("site" in target) return target.site.id;
  if ("registerId" in target) return target.registerId;
  return "hubId" in target ? target.hubId : target.id;
}

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
async function subscribe(
  thing: Thing,
  { caller, fields: { sessionId }, parts }: Subscribing,
): Promise<{} | Failed> {
  const session = sessionOf(caller, sessionId);
  if (session instanceof Failed) return session;
  const limit = await parts.watching.subscribe(caller.account, session, thing);
  return limit === undefined ? {} : new Failed("E_LIMIT", tooMany[limit], { limit });
}

/** Ends the subscription of the caller's session, if there is one. */
async function unsubscribe(
  thing: Thing,
  { caller, fields: { sessionId }, parts }: Subscribing,
): Promise<{} | Failed> {
  const session = sessionOf(caller, sessionId);
  if (session instanceof Failed) return session;
  await parts.watching.unsubscribe(caller.account, session, thing);
  return {};
}

function sessionOf(caller: GraphCaller, sessionId: string | undefined): Session | Failed {
  const { connection } = caller;
  const access = accessOf(caller);
  if (connection !== undefined) return { kind: "connection", id: connection, access };
  if (sessionId !== undefined) return { kind: "fetch", id: sessionId, access };
  const message = "sessionId must name the session that fetches the pushes";
  return new Failed("E_INVALID", message, { field: "sessionId" });
}
