import { orNull } from "@ledge/model";
import Type from "typebox";
import { askerOf, refusedPage } from "../past.ts";
import { TimelineQuery } from "../past-questions.ts";
import { invalid } from "../refused.ts";
import { row } from "../row.ts";

const TimelineEntry = Type.Object({
  /** Of the event. */
  ref: Type.String(),
  /** ms since the epoch. */
  at: Type.Integer(),
  /** Of the event. */
  type: Type.String(),
  /** Of the object. */
  kind: Type.String(),
  /** `user` when the caller may not learn which. */
  origin: Type.String(),
  object: orNull(Type.Object({ kind: Type.String(), id: Type.String(), name: Type.String() })),
  text: Type.String(),
  /** What all of it followed from, and what it followed from: an event, or a request. Null: from nothing. */
  root: orNull(Type.String()),
  cause: orNull(Type.String()),
  /** The attributes that a device reported. */
  change: orNull(Type.Record(Type.String(), Type.Unknown())),
});
export type TimelineEntry = Type.Static<typeof TimelineEntry>;

const TimelineCount = Type.Object({
  /** The begin of the slice, ms since the epoch. */
  at: Type.Integer(),
  events: Type.Integer(),
  /** Alarms that were raised. */
  alarms: Type.Integer(),
});
export type TimelineCount = Type.Static<typeof TimelineCount>;

const Timeline = Type.Object({
  type: Type.Literal("TIMELINE"),
  /** The newest first. */
  entries: Type.Array(TimelineEntry),
  /** What `before` is for the next page; null when there is nothing older. */
  next: orNull(Type.String()),
  /** Null unless asked for. */
  counts: orNull(Type.Array(TimelineCount)),
});
export type Timeline = Type.Static<typeof Timeline>;

export const timeline = row({
  method: "GET",
  path: "/timeline",
  summary: "What happened to the objects that the caller may read, the newest first",
  access: "IDENTIFIED_USER",
  query: TimelineQuery,
  result: Timeline,
  handle(call) {
    const { query, hub } = call;
    const refused = refusedPage(query);
    if (refused !== undefined) return refused;
    if (query.counts !== undefined && query.from === undefined)
      return invalid([{ field: "from", message: "is needed to count" }]);
    return hub.past.ask("timeline", query, askerOf(call), { signal: call.signal });
  },
});
