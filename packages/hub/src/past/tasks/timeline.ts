import type { Timeline, TimelineCount, TimelineEntry, TimelineQuestion } from "@ledge/api";
import type { Viewer } from "@ledge/kernel";
import type { Reader as Home, States } from "@ledge/model";
import { allows, eventRef, kindsByEvent, limits } from "@ledge/model";
import { Names, Telling } from "@ledge/rules";
import type { Reader } from "../reader.ts";
import { eventsOf, type Found, readBackwards } from "./backwards.ts";
import { mayRead } from "./rights.ts";
import type { Task } from "./task.ts";

/** Returns what happened to the objects that the caller may read, newest first, and how much in each slice. */
export const timeline: Task<"timeline"> = (reader, question, { viewer, language }): Timeline => {
  const { limit = limits.auditDefault } = question;
  const home = reader.stateAt(reader.now).projection.read;
  const isWanted = wanted(question, home, viewer);
  const mayName = (user: string): boolean => allows("USER_ADMIN", viewer.role) || user === viewer.user;
  const telling = new Telling(new Names(home, mayName), language, new Map());
  const { found, next } = readBackwards(reader, { ...question, limit }, isWanted);
  return {
    type: "TIMELINE",
    entries: found.map((one) => entryOf(one, telling)),
    next,
    counts: question.counts === undefined ? null : countsOf(reader, question, isWanted),
  };
};

/** Returns which events the caller asks for and may read: of objects that are gone, only admins read. */
function wanted(
  { id, kind, room, root }: TimelineQuestion,
  home: Pick<Home, "get">,
  viewer: Viewer,
): (found: Found) => boolean {
  const readable = new Map<string, boolean>();
  return ({ at, index, event }) => {
    const of = kindsByEvent.get(event.type);
    if (of === undefined || !shownKinds.has(of)) return false;
    if ((id !== undefined && event.id !== id) || (kind !== undefined && of !== kind)) return false;
    if (root !== undefined && rootOf(event) !== root && eventRef(at, index) !== root) return false;
    const key = `${of}/${event.id}`;
    let isReadable = readable.get(key);
    if (isReadable === undefined) {
      const state = home.get(of as keyof States, event.id) as never;
      isReadable =
        (state === undefined
          ? allows("USER_ADMIN", viewer.role)
          : mayRead(of as keyof States, state, viewer)) &&
        (room === undefined || isIn(room, of, event.id, state));
      readable.set(key, isReadable);
    }
    return isReadable;
  };
}

/** Kinds of objects that people know; the others are the hub's own book-keeping. */
const shownKinds: ReadonlySet<string> = new Set([
  "device",
  "group",
  "scene",
  "rule",
  "room",
  "zone",
  "alarm",
  "hub",
  "user",
]);

function isIn(
  room: string,
  kind: string,
  id: string,
  state: { readonly room?: unknown } | undefined,
): boolean {
  if (kind === "room") return id === room;
  return Array.isArray(state?.room) && state.room.includes(room);
}

/** @throws BudgetSpent when there is no time for all of it */
function countsOf(
  reader: Reader,
  { from = 0, to = reader.now, counts = 1 }: TimelineQuestion,
  isWanted: (found: Found) => boolean,
): TimelineCount[] {
  const sliceMs = Math.max(1, Math.ceil((to - from + 1) / counts));
  const slices = Array.from({ length: counts }, (_, n) => ({ at: from + n * sliceMs, events: 0, alarms: 0 }));
  for (const commit of reader.log.read(Math.max(0, from - 1), Math.min(to, reader.now))) {
    reader.spend();
    const slice = slices[Math.floor((commit.timestamp - from) / sliceMs)];
    if (slice === undefined) continue;
    for (const one of eventsOf(commit)) {
      if (!isWanted(one)) continue;
      slice.events++;
      if (one.event.type === "AlarmRaised") slice.alarms++;
    }
  }
  return slices;
}

function rootOf({ root, cause }: Found["event"]): string | null {
  return root ?? cause ?? null;
}

function entryOf({ at, index, event }: Found, telling: Telling): TimelineEntry {
  const ref = eventRef(at, index);
  const { text, object, origin } = telling.link({ ref, at, event });
  const { attributes } = event;
  const isReport = typeof attributes === "object" && attributes !== null;
  return {
    ref,
    at,
    type: event.type,
    kind: kindsByEvent.get(event.type) ?? "",
    origin,
    object,
    text,
    root: rootOf(event),
    cause: event.cause ?? null,
    change: isReport ? (attributes as Record<string, unknown>) : null,
  };
}
