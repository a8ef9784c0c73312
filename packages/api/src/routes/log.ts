import Type from "typebox";
import { decidedAccess } from "../access.ts";
import { respondAs } from "../json.ts";
import { refusedToPages } from "../origin.ts";
import { Refused } from "../refused.ts";
import { row } from "../row.ts";

const contentType = "text/plain; charset=utf-8";

export const log = row({
  method: "GET",
  path: "/log",
  ...decidedAccess["GET /log"],
  summary: "What the hub's process has logged, as lines of text, the newest last",
  stream: true,
  contentType,
  result: Type.String(),
  handle(call) {
    const refused = refusedToPages(call, "read the hub's log");
    if (refused !== undefined) return refused;
    const stream = call.hub.processLog.open();
    if (stream === undefined) return new Refused(503, "others are reading the log; try again", [], 5);
    return respondAs(contentType, stream);
  },
});
