import { parseEventRef } from "@ledge/model";
import Type from "typebox";
import { respondAs } from "../json.ts";
import { invalid, Refused } from "../refused.ts";
import { row } from "../row.ts";

const contentType = "text/event-stream";

export const events = [
  row({
    method: "GET",
    path: "/events",
    summary: "Events of the log as server-sent events, from a reference on",
    access: "USER_ADMIN",
    stream: true,
    contentType,
    query: Type.Object({
      after: Type.Optional(Type.String({ description: "<timestamp>-<index> of the last event known" })),
    }),
    result: Type.String(),
    handle(call) {
      // A browser that reconnects repeats the URL of the first time; the header is the newer one.
      const text = call.header("last-event-id") || call.query.after;
      const after = text === undefined ? undefined : parseEventRef(text);
      if (text !== undefined && after === undefined) {
        return invalid([{ field: "after", message: "must be <timestamp>-<index>" }]);
      }
      if (after !== undefined && after.timestamp > call.hub.kernel.timestamp) {
        return invalid([{ field: "after", message: "is ahead of the log: read the state anew" }]);
      }
      const stream = call.hub.streams.open(call.caller.origin, after, () => call.admitted());
      return stream instanceof Refused ? stream : respondAs(contentType, stream);
    },
  }),
];
