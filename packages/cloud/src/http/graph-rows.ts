import { Refused } from "@ledge/link";
import { Id, limits } from "@ledge/model";
import Type from "typebox";
import { graphDocument } from "../graph/document.ts";
import type { Graph } from "../graph/graph.ts";
import type { Kind } from "../graph/row.ts";
import { graphRows as rows } from "../graph/rows.ts";
import { refusedByFailure, respondAs } from "./answers.ts";
import { graphCaller } from "./graph-caller.ts";
import { type Row, row } from "./row.ts";

/** Rows of Graph (platform-api 4.1). */
export function graphRows(graph: Graph): readonly Row[] {
  return [graphRow("PUT", "command", graph), graphRow("POST", "query", graph)];
}

const document = JSON.stringify(graphDocument(rows));

/** Describes Graph to programs. */
export const apidoc: Row = row({
  method: "GET",
  path: "/apidoc",
  who: "anyone",
  needsNoLog: true,
  handle: () => respondAs("application/json", document),
});

function graphRow(method: "PUT" | "POST", kind: Kind, graph: Graph): Row {
  return row({
    method,
    path: `/${kind}`,
    who: "platform",
    countsItself: true,
    from: "json",
    fields: Type.Object({}),
    bodyBytes: limits.graphBodyBytes,
    handle(call) {
      const { fields, signal, header } = call;
      return graph.answer(fields, graphCaller(call), kind, { traceparent: header("traceparent"), signal });
    },
  });
}

/** Where an operation can be followed without Graph, in the tenant that is active, as all of the 1.0 API. */
export function operationRow(graph: Graph): Row {
  return row({
    method: "GET",
    // The segments of the platform's own paths match without case.
    path: "/:collection{[Oo][Pp][Ee][Rr][Aa][Tt][Ii][Oo][Nn][Ss]}/:operationId",
    who: "platform",
    countsItself: true,
    fields: Type.Object({ operationId: Id }),
    async handle(call) {
      const { cloud, fields, signal } = call;
      const request = { query: { type: "GetOperationQuery", operationId: fields.operationId } };
      const caller = { tenant: cloud.tenancy.activeTenantOf(call.caller.account.id), ...graphCaller(call) };
      const answer = await graph.answer(request, caller, "query", { signal });
      if (answer instanceof Refused) return answer;
      const { error, operation } = answer.result;
      return error === undefined ? (operation as object) : refusedByFailure(error);
    },
  });
}
