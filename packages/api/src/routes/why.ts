import { Id, limits, Why } from "@ledge/model";
import Type from "typebox";
import { askerOf, At, refusedAhead } from "../past.ts";
import { row } from "../row.ts";

export const why = row({
  method: "GET",
  path: "/why",
  summary: "Why an attribute of an object is as it is, or why rules did nothing about it",
  access: "IDENTIFIED_USER",
  query: Type.Object({
    id: Id,
    attribute: Type.Optional(
      Type.String({
        maxLength: limits.idChars,
        description: "such as isOn; what the object is mostly about",
      }),
    ),
    not: Type.Optional(
      Type.Boolean({ description: "why a rule did nothing, or the rules that drive a device" }),
    ),
    at: At,
  }),
  result: Why,
  handle(call) {
    const { query, hub } = call;
    return (
      refusedAhead("at", query.at, hub) ?? hub.past.ask("why", query, askerOf(call), { signal: call.signal })
    );
  },
});
