import type { Audit, AuditEntry, AuditQuestion } from "@ledge/api";
import type { Commit, LoggedEvent, RemoteCalled } from "@ledge/model";
import {
  aggregates,
  eventRef,
  indexIn,
  isLocal,
  isOfPerson,
  isRelayed,
  limits,
  parseEventRef,
  userIn,
  whyText,
} from "@ledge/model";
import { Names, Telling } from "@ledge/rules";
import { BudgetSpent, type Reader } from "../reader.ts";
import { type Segment, spans } from "../segments.ts";
import type { Task } from "./task.ts";

type Fields = LoggedEvent & Readonly<Record<string, unknown>>;

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

/** An audited event and its place in the log. */
interface Found {
  readonly at: number;
  readonly index: number;
  readonly event: Fields;
}

/** Returns who did what, newest first, as many entries as requested or as time allows. */
export const audit: Task<"audit"> = (reader, question, { language }): Audit => {
  const { from = 0, to = reader.now, limit = limits.auditDefault } = question;
  const before = question.before === undefined ? undefined : parseEventRef(question.before);
  const until = Math.min(to, before?.timestamp ?? to, reader.now);
  const home = reader.stateAt(reader.now).projection.read;
  const telling = new Telling(new Names(home, () => true), language, new Map());
  const found: Found[] = [];
  let reached = until;
  for (const segment of spans(Math.max(0, from - 1), until)) {
    const part = partOf(reader, segment, question, before);
    if (part === undefined && reached === until) throw new BudgetSpent("this takes too long");
    // A partial result is an answer: the next page continues from there.
    if (part === undefined) return page(found.slice(0, limit), eventRef(reached + 1, 0), telling);
    found.push(...part.toReversed());
    reached = segment.after;
    if (found.length > limit) break;
  }
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const next = last !== undefined && found.length > limit ? eventRef(last.at, last.index) : null;
  return page(shown, next, telling);
};

/** Returns the audited events of a part of the log, oldest first; undefined when there is no time to read it. */
function partOf(
  reader: Reader,
  { after, until }: Segment,
  question: AuditQuestion,
  before: { readonly timestamp: number; readonly index: number } | undefined,
): Found[] | undefined {
  const found: Found[] = [];
  try {
    for (const commit of reader.log.read(after, until)) {
      reader.spend();
      for (const one of foundIn(commit, question)) {
        const isLater = before !== undefined && one.at === before.timestamp && one.index >= before.index;
        if (!isLater) found.push(one);
      }
    }
    return found;
  } catch (error) {
    if (error instanceof BudgetSpent) return undefined;
    throw error;
  }
}

function* foundIn(commit: Commit, { user, id }: AuditQuestion): Generator<Found> {
  const { timestamp: at, events } = commit;
  for (const [place, event] of (events as readonly Fields[]).entries()) {
    if (!isAudited(event)) continue;
    if (user !== undefined && userOf(event) !== user) continue;
    if (id !== undefined && event.id !== id) continue;
    yield { at, index: indexIn(commit, place), event };
  }
}

/** Whether an event is an action itself, and not a consequence of one. */
function isAudited({ type, origin, depth }: Fields): boolean {
  if (passing.has(type)) return false;
  if (byCloud.has(type) || aboutUsers.has(type)) return true;
  return depth === 0 && (isOfPerson(origin) || origin === "autoconfig");
}

/** Returns the id of the acting user. */
function userOf({ type, origin, user }: Fields): string | undefined {
  if (type === "RemoteCalled") return typeof user === "string" ? user : undefined;
  return userIn(origin);
}

function page(found: readonly Found[], next: string | null, telling: Telling): Audit {
  return { type: "AUDIT", entries: found.map((one) => entryOf(one, telling)), next };
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
