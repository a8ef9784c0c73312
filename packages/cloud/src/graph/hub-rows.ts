import { GraphHub, hubObject } from "./hub-object.ts";
import { row } from "./row.ts";

/** Types about one hub that the cloud answers itself. */
export const hubRows = [
  row({
    type: "GetHubQuery",
    summary: "Returns a hub",
    scope: "hub",
    right: "R",
    result: { hub: GraphHub },
    handle: ({ target, parts }) => ({ hub: hubObject(target, parts) }),
  }),
];
