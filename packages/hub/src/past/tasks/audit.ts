import type { Audit, AuditEntry } from "@ledge/api";
import type { RemoteCalled } from "@ledge/model";
import {
  aggregates,
  eventRef,
  isLocal,
  isOfBus,
  isOfPerson,
  isRelayed,
  limits,
  userIn,
  whyText,
} from "@ledge/model";
import { Names, Telling } from "@ledge/rules";
import { type Found, readBackwards } from "./backwards.ts";
import type { Task } from "./task.ts";

type Fields = Found["event"];

/** Telemetry events are not audited, except calls through the relay. */
const passing: ReadonlySet<string> = new Set(
  aggregates.flatMap(({ events }) =>
    events.flatMap(({ type, telemetry }) =>
      telemetry === undefined || type === "RemoteCalled" ? [] : [type],
    ),
  ),
);
/** Events that the hub takes over from its cloud. */
const byCloud: ReadonlySet<string> = new Set([
  "AuthorizationsTaken",
  "CloudTrusted",
  "OwnershipTransferred",
  "RemoteCalled",
]);
/** Events about users are audited, whoever causes them. */
const aboutUsers: ReadonlySet<string> = new Set(
  aggregates.flatMap(({ kind, events }) => (kind === "user" ? events.map(({ type }) => type) : [])),
);

/** Returns who did what, newest first, as many entries as requested or as time allows. */
export const audit: Task<"audit"> = (reader, question, { language }): Audit => {
  const { user, id, limit = limits.auditDefault } = question;
  const home = reader.stateAt(reader.now).projection.read;
  const telling = new Telling(new Names(home, () => true), language, new Map());
  const { found, next } = readBackwards(reader, { ...question, limit }, ({ event }) => {
    if (!isAudited(event) || (user !== undefined && userOf(event) !== user)) return false;
    return id === undefined || event.id === id;
  });
  return { type: "AUDIT", entries: found.map((one) => entryOf(one, telling)), next };
};

/** Whether an event is an action itself, and not a consequence of one. */
function isAudited({ type, origin, depth }: Fields): boolean {
  // Commands of people are left out, as there are too many; those of programs on a bus are what they do here.
  if (isOfBus(origin)) return depth === 0;
  if (passing.has(type)) return false;
  if (byCloud.has(type) || aboutUsers.has(type)) return true;
  return depth === 0 && (isOfPerson(origin) || origin === "autoconfig");
}

/** Returns the id of the acting user. */
function userOf({ type, origin, user }: Fields): string | undefined {
  if (type === "RemoteCalled") return typeof user === "string" ? user : undefined;
  return userIn(origin);
}

function entryOf({ at, index, event }: Found, telling: Telling): AuditEntry {
  const { type, origin } = event;
  const ref = eventRef(at, index);
  const { text, object } = telling.link({ ref, at, event });
  const user = userOf(event);
  return {
    ref,
    at,
    type,
    origin,
    user: user === undefined ? null : { id: user, name: telling.names.user(user) ?? "" },
    from: fromOf(event),
    object,
    text: type === "RemoteCalled" ? calledText(event, telling) : text,
  };
}

function fromOf({ type, origin, cause, root = cause }: Fields): AuditEntry["from"] {
  if (byCloud.has(type)) return "cloud";
  if (origin === "console") return "console";
  if (isOfBus(origin)) return "bus";
  if (root === undefined) return null;
  if (isRelayed(root)) return "relay";
  return isLocal(root) ? "local" : null;
}

function calledText(event: Fields, { names, language }: Telling): string {
  const { user, row, status, count } = event as unknown as RemoteCalled;
  return whyText("called", language, {
    who: (user === null ? undefined : names.user(user)) ?? whyText("by.user", language),
    row: row ?? "-",
    status: String(status ?? "-"),
    count: String(count),
  });
}
