import { Id, isRejection, RuleDiagram } from "@ledge/model";
import Type from "typebox";
import { decidedAccess } from "../access.ts";
import { respondAs } from "../json.ts";
import { mermaid } from "../mermaid.ts";
import { invalid, notFound, refusedBy } from "../refused.ts";
import { row } from "../row.ts";
import { Source } from "./custom-rules.ts";

const Format = Type.Optional(
  Type.Union([Type.Literal("mermaid"), Type.Literal("json")], {
    description: "a Mermaid state diagram as text (default), or states and transitions as JSON",
  }),
);
const text = { contentType: "text/plain", result: Type.String(), asJson: RuleDiagram } as const;

export const ruleDiagram = [
  row({
    method: "GET",
    path: "/rules/diagram",
    summary: "The machine of a rule or of a template, with the states that it stands in",
    access: "IDENTIFIED_USER",
    past: "IDENTIFIED_USER",
    query: Type.Object({
      ruleId: Type.Optional(Id),
      type: Type.Optional(Type.String()),
      format: Format,
    }),
    ...text,
    handle({ query: { ruleId, type, format }, caller, hub }) {
      if ((ruleId === undefined) === (type === undefined))
        return invalid([{ field: "ruleId", message: "ruleId or type is wanted, not both" }]);
      if (ruleId !== undefined && !hub.kernel.readable("rule", ruleId, caller))
        return notFound(`no rule ${ruleId}`);
      const drawn = hub.ruleDiagram(ruleId === undefined ? { type: type ?? "" } : { ruleId });
      if (drawn === undefined) return notFound(`no template ${type ?? "of that rule"}`);
      return isRejection(drawn) ? refusedBy(drawn) : answered(drawn, format);
    },
  }),
  row({
    method: "POST",
    path: "/rules/diagram",
    summary: "The machine of a source that need not be installed",
    ...decidedAccess["POST /rules/template"],
    raw: true,
    query: Type.Object({ format: Format }),
    body: Type.Unsafe<string>(Source),
    ...text,
    handle({ query: { format }, body, hub }) {
      const drawn = hub.ruleDiagram({ source: body });
      if (drawn === undefined) return notFound("no machine");
      return isRejection(drawn) ? refusedBy(drawn) : answered(drawn, format);
    },
  }),
];

function answered(drawn: RuleDiagram, format: "mermaid" | "json" | undefined): RuleDiagram | Response {
  return format === "json" ? drawn : respondAs("text/plain; charset=utf-8", mermaid(drawn));
}
